#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/impact/power_law.hpp>

#include "relative.hpp"

namespace carom {
namespace {

using support::close;

TEST(PowerLawImpact, LinearSpringIsHalfAnOscillation) {
  const double k = 3e4, m = 0.7, v = 1.2, omega = std::sqrt(k / m);
  const Impact hit = impact(PowerLaw{k, 1.0}, {m, v});
  EXPECT_TRUE(close(hit.contact_time, std::numbers::pi / omega, 1e-15));
  EXPECT_TRUE(close(hit.max_compression, v / omega, 1e-15));
  EXPECT_TRUE(close(hit.max_force, m * v * omega, 1e-15));
  EXPECT_TRUE(close(hit.max_force_time, std::numbers::pi / omega / 2, 1e-15));
  EXPECT_EQ(hit.rebound_speed, v);
  EXPECT_EQ(hit.energy_lost, 0);
}

TEST(PowerLawImpact, HertzContactTimeIsTheKnownOne) {
  // t = 3.2180873 at n = 3/2 in dimensionless form is 2.9432 x_max/v; maximum over n at n
  // = 1.658107.
  const Impact hit = impact(PowerLaw{1.0, 1.5}, {1.0, 1.0});
  EXPECT_NEAR(hit.contact_time / hit.max_compression, 2.9432751, 1e-7);
  EXPECT_NEAR(contact_time(PowerLaw{1.0, 1.658107}, {1, 1}), 3.221289, 5e-7);
}

TEST(PowerLawImpact, IsTheUndampedLimitOfHuntCrossley) {
  for (const double n : {1.0, 1.5, 2.2, 3.0, 5.0, 12.0, 20.0}) {
    const Collision collision{.mass = 2e-3, .speed = 0.3};
    const Impact lossless = impact(PowerLaw{1e7, n}, collision);
    const Impact undamped = impact(HuntCrossley{1e7, n, 0.0}, collision);
    EXPECT_TRUE(close(undamped.contact_time, lossless.contact_time, 1e-14)) << n;
    EXPECT_TRUE(close(undamped.max_compression, lossless.max_compression, 1e-14)) << n;
    EXPECT_TRUE(close(undamped.max_force, lossless.max_force, 1e-14)) << n;
    EXPECT_EQ(undamped.energy_lost, 0);
    EXPECT_EQ(undamped.restitution, 1);
  }
}

TEST(PowerLawImpact, PushedIntoALinearSpringFollowsTheOscillator) {
  // x'' = F - x: x = F (1 - cos t) + sin t; back at zero when tan(t/2) = -1/F.
  for (const double push : {1e-3, 0.5, 20.0, -0.3}) {
    const Impact hit = impact(PowerLaw{1.0, 1.0}, {.mass = 1, .speed = 1, .force = push});
    const double t = 2 * std::atan2(1.0, -push);
    EXPECT_TRUE(close(hit.contact_time, t, 1e-14)) << push;
    EXPECT_TRUE(close(hit.max_compression, push + std::hypot(1, push), 1e-14)) << push;
    EXPECT_TRUE(close(hit.rebound_speed, 1, 1e-13)) << push;
    EXPECT_EQ(hit.energy_lost, 0);
    EXPECT_TRUE(hit.releases);
  }
}

TEST(PowerLawImpact, RefusesBadInput) {
  EXPECT_THROW(impact(PowerLaw{0, 1.5}, {1, 1}), InvalidInput);
  EXPECT_THROW(impact(PowerLaw{1, 1.5}, {1, -1}), InvalidInput);
  EXPECT_THROW(contact_time(PowerLaw{1, 1.5}, {.mass = 1, .speed = 1, .force = 2}), InvalidInput);
}

}  // namespace
}  // namespace carom
