#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <carom/core/error.hpp>
#include <carom/systems/motion.hpp>

namespace carom {
namespace {

/// Second derivatives of the natural cubic spline at its knots: h0/6 m0 + (h0 + h1)/3 m1 + h1/6 m2
/// = jump of the slopes, zero at both ends. Eliminated from the first to the last; the diagonal is
/// the largest of its row, so nothing is exchanged.
std::vector<double> natural_curvature(const std::vector<double>& t, const std::vector<double>& y) {
  std::vector<double> curvature(t.size(), 0.0), next(t.size(), 0.0);
  for (std::size_t i = 1; i + 1 < t.size(); ++i) {
    const double before = t[i] - t[i - 1], after = t[i + 1] - t[i];
    const double jump = (y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before;
    const double pivot = (before + after) / 3 - before / 6 * next[i - 1];
    next[i] = after / 6 / pivot;
    curvature[i] = (jump - before / 6 * curvature[i - 1]) / pivot;
  }
  for (std::size_t i = t.size(); i > 2; --i) curvature[i - 2] -= next[i - 2] * curvature[i - 1];
  return curvature;
}

}  // namespace

void validate(const Motion& motion) {
  require_finite("amplitude", motion.amplitude);
  require_not_negative("frequency", motion.frequency);
  require_finite("phase", motion.phase);
  require_not_negative("end_frequency", motion.end_frequency);
  require_not_negative("sweep_time", motion.sweep_time);
  if (motion.times.size() != motion.values.size())
    throw InvalidInput("a motion needs as many values as times");
  for (std::size_t i = 0; i < motion.times.size(); ++i) {
    if (!std::isfinite(motion.times[i]) || !std::isfinite(motion.values[i]))
      throw InvalidInput("a motion needs finite times and values");
    if (i > 0 && !(motion.times[i] > motion.times[i - 1]))
      throw InvalidInput("the times of a motion must ascend");
  }
}

MotionCurve::MotionCurve(Motion motion) : motion_(std::move(motion)) {
  validate(motion_);
  curvature_ = natural_curvature(motion_.times, motion_.values);
  if (motion_.amplitude != 0) {
    pace_.turn = 2 * std::numbers::pi * std::max(motion_.frequency, motion_.end_frequency);
    pace_.speed = std::abs(motion_.amplitude) * pace_.turn;
  }
  for (std::size_t i = 1; i < motion_.times.size(); ++i) {
    // On a piece the slope is that of its chord but for its curvatures.
    const double h = motion_.times[i] - motion_.times[i - 1];
    const double slope = std::abs(motion_.values[i] - motion_.values[i - 1]) / h +
                         h * std::max(std::abs(curvature_[i - 1]), std::abs(curvature_[i]));
    pace_.speed = std::max(pace_.speed, slope);
    pace_.turn = std::max(pace_.turn, 1 / h);
  }
}

MotionPoint MotionCurve::at(double time) const noexcept {
  MotionPoint point = spline(time);
  if (motion_.amplitude == 0.0) return point;
  // Phase of the sweep: the frequency changes linearly until sweep_time.
  constexpr double turn = 2 * std::numbers::pi;
  double angle = motion_.phase, omega = turn * motion_.frequency, change = 0.0;
  if (motion_.sweep_time > 0) {
    const double slope = turn * (motion_.end_frequency - motion_.frequency) / motion_.sweep_time;
    const double swept = std::min(time, motion_.sweep_time);
    angle += swept * (omega + 0.5 * slope * swept);
    omega += slope * swept;
    angle += omega * (time - swept);
    if (time < motion_.sweep_time) change = slope;
  } else {
    angle += omega * time;
  }
  const double sine = motion_.amplitude * std::sin(angle);
  const double cosine = motion_.amplitude * std::cos(angle);
  point.value += sine;
  point.rate += omega * cosine;
  point.acceleration += change * cosine - omega * omega * sine;
  return point;
}

MotionPoint MotionCurve::spline(double time) const noexcept {
  const auto& t = motion_.times;
  const auto& y = motion_.values;
  if (t.empty()) return {};
  if (time <= t.front()) return {y.front(), 0.0, 0.0};
  if (time >= t.back()) return {y.back(), 0.0, 0.0};
  const auto after =
      static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), time) - t.begin());
  const std::size_t before = after - 1;
  // From the point before: near it nothing cancels.
  const double h = t[after] - t[before], d = time - t[before];
  const double m0 = curvature_[before], m1 = curvature_[after], jerk = (m1 - m0) / h;
  const double slope = (y[after] - y[before]) / h - h / 6 * (2 * m0 + m1);
  return {y[before] + d * (slope + d * (m0 / 2 + d * jerk / 6)), slope + d * (m0 + d * jerk / 2),
          m0 + d * jerk};
}

}  // namespace carom
