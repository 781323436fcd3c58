#pragma once

#include <utility>
#include <vector>

#include <carom/core/archive.hpp>
#include <carom/scenario/film.hpp>
#include <carom/scenario/panel.hpp>

#include "modal_run.hpp"

namespace carom {

/// A modal body seen from the side over the first periods of its lowest mode.
class ModalFilm {
 public:
  explicit ModalFilm(const ModalSetup& setup);

  bool filming() const noexcept;                             ///< frames are still wanted
  long long interval() const noexcept { return interval_; }  ///< between frames [steps]
  void take(double time, const Eigen::VectorXd& position);
  bool empty() const noexcept { return frames_.empty(); }
  Film film() const;
  Picture picture() const;
  void archive(Archive& state) {
    state(frames_);
    for (const auto& [time, position] : frames_) {
      state.require(position.size() == view_.shapes.cols());
    }
  }

 private:
  const SideView& view_;
  long long interval_;
  std::vector<std::pair<double, Eigen::VectorXd>> frames_;
};

}  // namespace carom
