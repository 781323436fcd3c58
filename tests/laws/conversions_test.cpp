#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/laws/conversions.hpp>

#include "relative.hpp"

namespace carom {
namespace {

using support::close;

TEST(Conversions, AllNamesOfTheDampingGiveTheSameForce) {
  const HuntCrossley law{.stiffness = 3e5, .exponent = 1.5, .mu = 0.36};
  const double x = 2e-3, v = 0.7, spring = law.elastic_force(x), force = law.force(x, v);
  EXPECT_TRUE(
      close(spring + lambda_of_mu(law.mu, law.stiffness) * std::pow(x, 1.5) * v, force, 1e-15));
  EXPECT_TRUE(close(spring * (1 + 1.5 * simbody_dissipation_of_mu(law.mu) * v), force, 1e-15));
  EXPECT_TRUE(close(spring * (1 + drake_dissipation_of_mu(law.mu) * v), force, 1e-15));
  const double speed = 2.5;
  EXPECT_TRUE(close(spring * (1 + epsilon_of_mu(law.mu, speed) * v / speed), force, 1e-15));
}

TEST(Conversions, GoThereAndBack) {
  EXPECT_TRUE(close(mu_of_lambda(lambda_of_mu(0.3, 1e7), 1e7), 0.3, 1e-15));
  EXPECT_TRUE(close(mu_of_simbody_dissipation(simbody_dissipation_of_mu(0.3)), 0.3, 1e-15));
  EXPECT_EQ(mu_of_drake_dissipation(drake_dissipation_of_mu(0.3)), 0.3);
  EXPECT_TRUE(close(mu_of_epsilon(epsilon_of_mu(0.3, 7.0), 7.0), 0.3, 1e-15));
  for (const double n : {1.0, 1.5, 2.7, 5.0}) {
    const double omega = impact_frequency(4e8, n, 0.02, 3.0);
    EXPECT_TRUE(close(stiffness_of_impact_frequency(omega, n, 0.02, 3.0), 4e8, 1e-14)) << n;
  }
  EXPECT_TRUE(close(impact_frequency(100, 1, 4, 17), 5, 1e-15));  // sqrt(k/m), whatever the speed
}

TEST(Conversions, AccelerationFormIsForceOverMass) {
  const HuntCrossley law{.stiffness = 3e5, .exponent = 1.7, .mu = 0.36};
  const double mass = 0.4, speed = 2.5;
  const AccelerationForm form = acceleration_form(law, mass, speed);
  for (const double v : {2.5, 0.0, -1.4}) {
    EXPECT_TRUE(close(form.acceleration(1e-3, v), -law.force(1e-3, v) / mass, 1e-14)) << v;
  }
  EXPECT_EQ(form.acceleration(0, 1), 0);
  EXPECT_EQ(form.acceleration(1e-3, -10), 0);
  const HuntCrossley back = hunt_crossley_of(form, mass);
  EXPECT_TRUE(close(back.stiffness, law.stiffness, 1e-14));
  EXPECT_TRUE(close(back.mu, law.mu, 1e-15));
}

TEST(Conversions, RefuseBadInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(mu_of_lambda(bad, 1), InvalidInput);
    EXPECT_THROW(lambda_of_mu(bad, 1), InvalidInput);
    EXPECT_THROW(mu_of_simbody_dissipation(bad), InvalidInput);
    EXPECT_THROW(mu_of_drake_dissipation(bad), InvalidInput);
    EXPECT_THROW(mu_of_epsilon(bad, 1), InvalidInput);
    EXPECT_THROW(impact_frequency(bad, 1.5, 1, 1), InvalidInput);
  }
  EXPECT_THROW(mu_of_lambda(1, 0), InvalidInput);
  EXPECT_THROW(stiffness_of_impact_frequency(1e200, 5, 1, 1e-100), InvalidInput);
}

}  // namespace
}  // namespace carom
