#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/systems/motion.hpp>

namespace carom {
namespace {

/// The derivatives of a motion against differences of its values: central ones of step h have the
/// error h^2 f'''/6 and the rounding of the values over h.
void expect_derivatives(const Motion& motion, double t, double tolerance) {
  const MotionCurve curve(motion);
  const double h = 1e-5;
  const MotionPoint before = curve.at(t - h), now = curve.at(t), after = curve.at(t + h);
  EXPECT_NEAR(now.rate, (after.value - before.value) / (2 * h), tolerance);
  EXPECT_NEAR(now.acceleration, (after.rate - before.rate) / (2 * h), 100 * tolerance);
}

TEST(Motion, HasTheDerivativesOfItsValue) {
  const Motion sine{.amplitude = 0.3, .frequency = 2.0, .phase = 0.4};
  Motion sweep = sine;
  sweep.end_frequency = 5.0;
  sweep.sweep_time = 0.7;
  Motion table;
  for (int i = 0; i <= 40; ++i) {
    table.times.push_back(0.02 * i + 0.003 * (i % 3));
    table.values.push_back(std::sin(7 * table.times.back()));
  }
  for (const double t : {0.11, 0.35, 0.6, 0.73}) {
    for (const Motion& motion : {sine, sweep, table}) expect_derivatives(motion, t, 1e-6);
  }
}

TEST(Motion, SweepsToItsEndFrequencyAndKeepsIt) {
  const MotionCurve curve({.amplitude = 1.0,
                           .frequency = 10.0,
                           .phase = 0.0,
                           .end_frequency = 20.0,
                           .sweep_time = 1.0});
  // The mean frequency is 15 Hz: 15 turns in the sweep, then 20 a second.
  EXPECT_NEAR(curve.at(1.0).value, 0.0, 1e-12);
  EXPECT_NEAR(curve.at(1.0).rate, 2 * std::numbers::pi * 20, 1e-9);
  EXPECT_NEAR(curve.at(1.0 + 1 / 80.0).value, 1.0, 1e-12);
}

TEST(Motion, FollowsACurveToFourthOrder) {
  const auto worst = [](int n) {
    Motion motion;
    // Whole periods: the second derivative of a sine vanishes at both ends, as that of the spline.
    for (int i = 0; i <= n; ++i) {
      motion.times.push_back(static_cast<double>(i) / n);
      motion.values.push_back(std::sin(2 * std::numbers::pi * i / n));
    }
    const MotionCurve curve(motion);
    double error = 0;
    for (double t = 0.001; t < 1; t += 0.01)
      error = std::max(error, std::abs(curve.at(t).value - std::sin(2 * std::numbers::pi * t)));
    return error;
  };
  EXPECT_NEAR(std::log2(worst(40) / worst(80)), 4.0, 0.15);
}

TEST(Motion, RefusesTimesThatDoNotAscend) {
  EXPECT_THROW(MotionCurve({.times = {0.0, 1.0, 1.0}, .values = {0.0, 1.0, 2.0}}), InvalidInput);
  EXPECT_THROW(MotionCurve({.times = {0.0, 1.0}, .values = {0.0}}), InvalidInput);
  EXPECT_THROW(MotionCurve({.frequency = -1.0}), InvalidInput);
}

}  // namespace
}  // namespace carom
