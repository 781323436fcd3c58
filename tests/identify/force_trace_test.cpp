#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/identify/force_trace.hpp>
#include <carom/impact/history.hpp>

#include "relative.hpp"

namespace carom {
namespace {

using support::close;

struct Trace {
  std::vector<double> times, forces;
};

/// The exact force of an impact that starts at `onset`, sampled evenly, with zeros around it.
Trace sampled(const HuntCrossley& law, const Collision& collision, double onset, int samples) {
  const ImpactHistory history(law, collision);
  const double step = history.summary().contact_time / samples;
  Trace trace;
  for (int i = -5; i < samples + 5; ++i) {
    trace.times.push_back(onset + (i + 0.37) * step);
    trace.forces.push_back(history.at((i + 0.37) * step).force);
  }
  return trace;
}

TEST(ForceTrace, GivesBackTheLawThatMadeIt) {
  for (const double n : {1.0, 1.5, 2.2, 3.5}) {
    for (const double eps : {0.02, 0.3, 1.5, 6.0}) {
      const Collision collision{.mass = 0.2, .speed = 3};
      const HuntCrossley law{.stiffness = 4e6, .exponent = n, .mu = eps / collision.speed};
      const Trace trace = sampled(law, collision, 0.125, 80);
      const FittedTrace fit = identify_force_trace(trace.times, trace.forces, collision.mass);
      SCOPED_TRACE(::testing::Message() << n << " " << eps);
      EXPECT_EQ(fit.status, FitStatus::converged);
      // The trace is exact: what is left is the finite-difference slope of the fit, and at n = 1
      // the kink at the bound.
      EXPECT_LT(fit.residual, 1e-8);
      EXPECT_TRUE(close(*fit.law.exponent, n, 1e-6));
      EXPECT_TRUE(close(fit.law.epsilon, eps, 1e-6));
      EXPECT_TRUE(close(*fit.law.speed, collision.speed, 1e-6));
      EXPECT_TRUE(close(*fit.law.stiffness, law.stiffness, 1e-4));
      EXPECT_NEAR(fit.onset, 0.125, 1e-6 * fit.contact_time);
      EXPECT_TRUE(close(fit.impulse, 0.2 * 3 * (1 + fit.restitution), 1e-6));
    }
  }
}

TEST(ForceTrace, AloneGivesShapeWithSpeedGivesMass) {
  const Collision collision{.mass = 0.2, .speed = 3};
  const HuntCrossley law{.stiffness = 4e6, .exponent = 1.5, .mu = 0.1};
  const Trace trace = sampled(law, collision, 0, 60);
  const FittedTrace alone = identify_force_trace(trace.times, trace.forces);
  EXPECT_TRUE(close(alone.law.epsilon, 0.3, 1e-6));
  EXPECT_FALSE(alone.law.stiffness || alone.law.mu);
  const FittedTrace with_speed = identify_force_trace(trace.times, trace.forces, {}, 3.0);
  EXPECT_TRUE(close(*with_speed.law.mass, 0.2, 1e-6));
  EXPECT_TRUE(close(*with_speed.law.mu, 0.1, 1e-6));
}

TEST(ForceTrace, StandsNoise) {
  const Collision collision{.mass = 0.2, .speed = 3};
  const HuntCrossley law{.stiffness = 4e6, .exponent = 1.5, .mu = 0.1};
  Trace trace = sampled(law, collision, 0, 200);
  const double peak = ImpactHistory(law, collision).summary().max_force;
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.005 * peak);
  for (double& f : trace.forces) f += noise(random);
  const FittedTrace fit = identify_force_trace(trace.times, trace.forces, 0.2);
  // The standard deviation of 195 degrees of freedom is known to 1/sqrt(390) = 5 %.
  EXPECT_NEAR(fit.residual, 0.005, 3 * 0.05 * 0.005);
}

/// The half widths are those of the noise: the truth lies within them nineteen times in twenty.
TEST(ForceTrace, HalfWidthsHoldTheTruth) {
  const Collision collision{.mass = 0.2, .speed = 3};
  const HuntCrossley law{.stiffness = 4e6, .exponent = 1.5, .mu = 0.1};
  const Trace clean = sampled(law, collision, 0, 60);
  const double peak = ImpactHistory(law, collision).summary().max_force;
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.005 * peak);
  const int runs = 24;
  int exponents = 0, dampings = 0;
  for (int k = 0; k < runs; ++k) {
    Trace trace = clean;
    for (double& f : trace.forces) f += noise(random);
    const FittedTrace fit = identify_force_trace(trace.times, trace.forces, 0.2);
    const double dn = *fit.uncertainty.exponent, de = *fit.uncertainty.epsilon;
    EXPECT_LT(dn, 0.2);  // wide enough to hold anything would be no answer
    EXPECT_LT(de, 0.2);
    exponents += std::abs(*fit.law.exponent - 1.5) <= dn ? 1 : 0;
    dampings += std::abs(fit.law.epsilon - 0.3) <= de ? 1 : 0;
  }
  // Binomial, p = 0.95: fewer than 20 of 24 in 0.6 % of cases. The seed is fixed.
  EXPECT_GE(exponents, 20);
  EXPECT_GE(dampings, 20);
}

TEST(ForceTrace, RefusesWhatIsNoImpact) {
  const std::vector<double> t{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<double> zeros(10, 0.0), few{0, 0, 0, 1, 2, 1, 0, 0, 0, 0};
  EXPECT_THROW(static_cast<void>(identify_force_trace({}, {})), InvalidInput);
  EXPECT_THROW(static_cast<void>(identify_force_trace(t, zeros)), InvalidInput);
  EXPECT_THROW(static_cast<void>(identify_force_trace(t, few)), InvalidInput);
  EXPECT_THROW(static_cast<void>(identify_force_trace(t, std::vector<double>(9, 1.0))),
               InvalidInput);
  std::vector<double> back = t;
  back[4] = 2.5;
  EXPECT_THROW(static_cast<void>(identify_force_trace(back, std::vector<double>(10, 1.0))),
               InvalidInput);
  EXPECT_THROW(static_cast<void>(identify_force_trace(t, std::vector<double>(10, 1.0), 1.0, 1.0)),
               InvalidInput);
}

}  // namespace
}  // namespace carom
