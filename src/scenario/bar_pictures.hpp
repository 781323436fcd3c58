#pragma once

#include <utility>
#include <vector>

#include <carom/scenario/kind.hpp>
#include <carom/steppers/bar_drop.hpp>

namespace carom {

/// Keeps a bounded number of pictures of a moving bar, evenly spread over the run however long it
/// gets, and draws the filmstrip and the bending over time from them.
class BarFilm {
 public:
  explicit BarFilm(const BarDrop& drop) : drop_(drop) {}

  void add(const BarSample& sample);
  std::vector<Picture> pictures(const BarDropResult& result) const;
  void archive(Archive& state);

 private:
  struct Frame {
    double time, gap;
    double impulse;  ///< of the floor since the start [N s]
    Eigen::Matrix2Xd outline;
    Eigen::VectorXd deflection;  ///< of the points across the line from tip to far end [m]
    void archive(Archive& state) { state(time, gap, impulse, outline, deflection); }
  };
  Picture filmstrip(const BarDropResult& result) const;
  Picture bending(const BarDropResult& result) const;
  Picture landing(const BarDropResult& result) const;
  Picture push(const BarDropResult& result) const;
  /// The time around the contacts [s].
  std::pair<double, double> contact_window(const BarDropResult& result) const;

  BarDrop drop_;
  std::vector<Frame> frames_;
  int stride_ = 1, until_next_ = 1;
  double impulse_ = 0.0;
};

}  // namespace carom
