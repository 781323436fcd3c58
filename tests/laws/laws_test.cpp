#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/laws/hertz_damper.hpp>
#include <carom/laws/hunt_crossley.hpp>
#include <carom/laws/newton_restitution.hpp>
#include <carom/laws/power_law.hpp>

namespace carom {
namespace {

/// The elastic force is the slope of the potential, for random exponents and compressions.
template <ContactLaw Law>
void expect_force_is_slope_of_potential(const Law& law, double x) {
  // Central difference: error h^2 V'''/6 plus rounding eps V / h; with h = 1e-5 x both are < 1e-9.
  const double h = 1e-5 * x;
  const double slope = (law.potential(x + h) - law.potential(x - h)) / (2 * h);
  EXPECT_NEAR(slope, law.elastic_force(x), 1e-8 * law.elastic_force(x)) << law.exponent << " " << x;
}

TEST(Laws, ElasticForceIsSlopeOfPotential) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(1, 5), log_x(-8, 0), log_k(0, 13);
  for (int i = 0; i < 200; ++i) {
    const double n = exponent(random), x = std::pow(10, log_x(random)),
                 k = std::pow(10, log_k(random));
    expect_force_is_slope_of_potential(PowerLaw{k, n}, x);
    expect_force_is_slope_of_potential(HuntCrossley{k, n, 0.5}, x);
    expect_force_is_slope_of_potential(HertzDamper{k, n, 0.5}, x);
  }
}

TEST(Laws, NoForceAndNoEnergyApart) {
  for (const double x : {0.0, -1e-9, -1.0}) {
    EXPECT_EQ((HuntCrossley{1e9, 1.5, 0.5}.force(x, 1.0)), 0.0);
    EXPECT_EQ((HertzDamper{1e9, 2, 10.0}.force(x, 1.0)), 0.0);
    EXPECT_EQ((PowerLaw{1e9, 2}.potential(x)), 0.0);
  }
}

TEST(Laws, ContactNeverPullsUnlessAsked) {
  EXPECT_EQ((HuntCrossley{1e9, 1.5, 0.5}.force(1e-3, -3.0)), 0.0);
  const HertzDamper clamped{.stiffness = 1, .exponent = 1, .damping = 2};
  EXPECT_EQ(clamped.force(1.0, -1.0), 0.0);
  HertzDamper pulling = clamped;
  pulling.release = Release::zero_compression;
  EXPECT_EQ(pulling.force(1.0, -1.0), -1.0);
}

TEST(Laws, RefuseParametersOutsideTheirRange) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_NO_THROW(validate(HuntCrossley{1e9, 1.5, 0.0}));
  for (const double bad : {0.0, -1.0, nan, inf}) {
    EXPECT_THROW(validate(PowerLaw{bad, 1.5}), InvalidInput);
    EXPECT_THROW(validate(HuntCrossley{bad, 1.5, 0.5}), InvalidInput);
    EXPECT_THROW(validate(HertzDamper{bad, 1.5, 0.5}), InvalidInput);
  }
  EXPECT_THROW(validate(PowerLaw{1, 0.7}), InvalidInput);
  EXPECT_THROW(validate(HuntCrossley{1, 1.5, -0.1}), InvalidInput);
  EXPECT_THROW(validate(HertzDamper{1, 1.5, nan}), InvalidInput);
  EXPECT_THROW(validate(NewtonRestitution{1.01}), InvalidInput);
}

}  // namespace
}  // namespace carom
