#pragma once

#include <cstddef>
#include <vector>

#include <carom/core/archive.hpp>
#include <carom/scenario/kind.hpp>

namespace carom {

/// The first contact of a run, sample by sample, for its pictures: force loop and phase portrait.
/// Bounded: when it is full, every second point is dropped.
class ContactTrace {
 public:
  void add(double compression, double rate, double force) {
    if (seen_++ % stride_ != 0) return;
    compression_.push_back(compression);
    rate_.push_back(rate);
    force_.push_back(force);
    if (compression_.size() < max_points) return;
    for (std::size_t i = 0; i < max_points / 2; ++i) {
      compression_[i] = compression_[2 * i];
      rate_[i] = rate_[2 * i];
      force_[i] = force_[2 * i];
    }
    for (auto* values : {&compression_, &rate_, &force_}) values->resize(max_points / 2);
    stride_ *= 2;
  }
  bool empty() const { return compression_.empty(); }
  void archive(Archive& state) {
    state(compression_, rate_, force_, stride_, seen_);
    state.require(compression_.size() < max_points && rate_.size() == compression_.size() &&
                  force_.size() == compression_.size() && stride_ > 0);
  }

  /// `exact_*` is the curve it should lie on; may be empty.
  struct Curve {
    std::vector<double> compression, rate, force;
  };
  std::vector<Picture> pictures(const Curve& exact) const;

 private:
  static constexpr std::size_t max_points = 2000;
  std::vector<double> compression_, rate_, force_;
  std::size_t stride_ = 1, seen_ = 0;
};

}  // namespace carom
