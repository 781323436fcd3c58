#include "samples.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace carom {
namespace {

constexpr SampleMethod methods[] = {SampleMethod::random, SampleMethod::sobol, SampleMethod::latin};

TEST(Samples, LieInTheUnitCubeAndRepeatWithTheirSeed) {
  for (const SampleMethod method : methods) {
    const auto points = unit_samples(method, 500, 3, 7);
    ASSERT_EQ(points.size(), 1500u);
    EXPECT_TRUE(
        std::all_of(points.begin(), points.end(), [](double u) { return u >= 0 && u < 1; }));
    EXPECT_EQ(points, unit_samples(method, 500, 3, 7));
    EXPECT_NE(points, unit_samples(method, 500, 3, 8));
  }
}

TEST(Samples, OfALatinHypercubeVisitEverySliceOnce) {
  const auto points = unit_samples(SampleMethod::latin, 64, 2, 3);
  for (std::size_t d = 0; d < 2; ++d) {
    std::vector<int> visits(64);
    for (std::size_t i = d; i < points.size(); i += 2)
      ++visits[static_cast<std::size_t>(64 * points[i])];
    EXPECT_EQ(visits, std::vector<int>(64, 1));
  }
}

/// The integral of x y^2 over the square is 1/6. Low discrepancy must beat independent points by a
/// wide margin: errors are of order (log N)^2 / N and N^(-1/2), here 0.002 and 0.008.
TEST(Samples, OfLowDiscrepancyIntegrateBetterThanRandomOnes) {
  const auto error = [](SampleMethod method, std::uint64_t seed) {
    const auto points = unit_samples(method, 1024, 2, seed);
    double sum = 0;
    for (std::size_t i = 0; i < points.size(); i += 2)
      sum += points[i] * points[i + 1] * points[i + 1];
    return std::abs(sum / 1024 - 1.0 / 6);
  };
  double random = 0, sobol = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    random += error(SampleMethod::random, seed) / 20;
    sobol += error(SampleMethod::sobol, seed) / 20;
  }
  EXPECT_LT(sobol, 0.1 * random);
}

TEST(Samples, NormalQuantileInvertsTheDistribution) {
  for (const double u : {1e-10, 0.001, 0.1587, 0.5, 0.9, 0.999999}) {
    const double z = normal_quantile(u);
    EXPECT_NEAR(0.5 * std::erfc(-z / std::sqrt(2.0)), u, 1e-14 + 1e-12 * u) << u;
  }
  EXPECT_TRUE(std::isfinite(normal_quantile(0)));
}

}  // namespace
}  // namespace carom
