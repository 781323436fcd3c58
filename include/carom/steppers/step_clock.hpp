#pragma once

#include <limits>

namespace carom {

/// The times of steps of one length, the last of them shortened to end exactly where it should.
class StepClock {
 public:
  explicit StepClock(double step) noexcept : step_(step) {}

  /// No step goes beyond `end`; one that would leave less than 1e-6 of a step over ends there too.
  void end_at(double end) noexcept { end_ = end; }

  double time() const noexcept { return time_; }
  /// Of the next step.
  double length() const noexcept { return ends(grid()) && !on_grid() ? end_ - time_ : step_; }
  /// After a step of length().
  void tick() noexcept {
    const double next = grid();
    if (ends(next)) {
      jump(end_);
    } else {
      ++count_;
      time_ = next;
    }
  }
  /// After a step that ended before its time, at an impact: steps are counted from there.
  void jump(double time) noexcept {
    origin_ = time_ = time;
    count_ = 0;
  }

 private:
  double grid() const noexcept { return origin_ + step_ * static_cast<double>(count_ + 1); }
  bool ends(double next) const noexcept { return time_ < end_ && next > end_ - 1e-6 * step_; }
  /// The end is a multiple of the step but for rounding: 900 steps of 1e-3 end at 0.9.
  bool on_grid() const noexcept {
    const double off = grid() - end_;
    return off < 1e-9 * step_ && off > -1e-9 * step_;
  }

  double step_, origin_ = 0.0, time_ = 0.0;
  double end_ = std::numeric_limits<double>::infinity();
  long long count_ = 0;
};

}  // namespace carom
