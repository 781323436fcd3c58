#pragma once

#include <vector>

namespace carom {

/// A given motion along a line, or any other quantity that is known for all times: the sum of a
/// sine, whose frequency may be swept, and a curve through given points.
struct Motion {
  double amplitude = 0.0;
  double frequency = 0.0;      ///< [Hz], >= 0; at t = 0 where it is swept
  double phase = 0.0;          ///< [rad]
  double end_frequency = 0.0;  ///< [Hz] reached after sweep_time, and kept from then on
  double sweep_time = 0.0;     ///< [s]; 0: no sweep
  std::vector<double> times = {}, values = {};  ///< ascending times; as many values

  bool operator==(const Motion&) const = default;
};

/// Throws InvalidInput.
void validate(const Motion& motion);

/// Value, first and second derivative of a motion at a time.
struct MotionPoint {
  double value = 0.0, rate = 0.0, acceleration = 0.0;
};

/// A motion ready to be followed. The curve is the natural cubic spline: two continuous
/// derivatives, so that the accelerations it imposes are those of a body. Beyond its ends it stays
/// where it is.
class MotionCurve {
 public:
  MotionCurve() = default;
  explicit MotionCurve(Motion motion);
  MotionPoint at(double time) const noexcept;
  /// The most it can do: its speed, and how fast it changes that, the frequency of a sine or one
  /// over the shortest time between two points of a curve [1/s].
  struct Pace {
    double speed = 0.0, turn = 0.0;
  };
  const Pace& pace() const noexcept { return pace_; }
  bool moves() const noexcept { return motion_.amplitude != 0.0 || motion_.times.size() > 1; }

 private:
  MotionPoint spline(double time) const noexcept;

  Motion motion_ = {};
  std::vector<double> curvature_ = {};  ///< second derivatives at the times
  Pace pace_ = {};
};

}  // namespace carom
