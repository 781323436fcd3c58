#include "steppers/adaptive_motion.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace carom {
namespace {

/// In the middle of a contact with exponent 3.
struct Pressed final : detail::AdaptiveSystem {
  void slopes(const State& y, State& dy) const noexcept override {
    dy[0] = y[1];
    dy[1] = 0.1 - y[0] * y[0] * y[0] * (1 + 0.4 * y[1]);
  }
  double step_error(const State& wrong) const noexcept override {
    return std::hypot(wrong[0], wrong[1]);
  }
};

TEST(AdaptiveMotion, HasOrderEight) {
  const auto after = [](int steps) {
    detail::AdaptiveMotion motion(1e9);
    std::vector<double> y{1.0, 0.3};
    for (int i = 0; i < steps; ++i) y = motion.tried(Pressed{}, y, 2.0 / steps).y;
    return y;
  };
  const auto truth = after(64);
  const auto error = [&](int steps) {
    const auto y = after(steps);
    return std::hypot(y[0] - truth[0], y[1] - truth[1]);
  };
  // Errors of 2e-11 and 8e-14; the next term of the expansion adds 0.2.
  EXPECT_NEAR(std::log2(error(12) / error(24)), detail::AdaptiveMotion::order, 0.3);
}

}  // namespace
}  // namespace carom
