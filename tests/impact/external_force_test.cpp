#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/history.hpp>
#include <carom/impact/hunt_crossley.hpp>

#include "data.hpp"
#include "relative.hpp"

namespace carom {
namespace {

using support::close;

TEST(ExternalForce, HuntCrossleyAgreesWithReference) {
  int cases = 0, held = 0;
  const auto reference = support::reference("hunt_crossley_impacts.json");
  for (const auto& r : reference.at("cases")) {
    if (r.at("f_e") == 0.0) continue;
    ++cases;
    SCOPED_TRACE(support::text(r));
    const HuntCrossley law{r.at("k"), r.at("n"), r.at("mu")};
    const Impact hit =
        impact(law, {.mass = r.at("m"), .speed = r.at("v_in"), .force = r.at("f_e")});
    EXPECT_EQ(hit.releases, r.at("release").get<bool>());
    EXPECT_TRUE(close(hit.max_compression, r.at("x_max"), 1e-12));
    EXPECT_TRUE(close(hit.max_compression_time, r.at("t_xmax"), 1e-12));
    if (!r.at("x_eq").is_null()) {
      EXPECT_TRUE(close(hit.equilibrium_compression, r.at("x_eq"), 1e-14));
    }
    if (!hit.releases) {
      ++held;
      EXPECT_TRUE(std::isnan(hit.rebound_speed));
      continue;
    }
    EXPECT_TRUE(close(hit.rebound_speed, -r.at("v_out").get<double>(), 1e-12));
    EXPECT_TRUE(close(hit.contact_time, r.at("tau"), 1e-12));
  }
  EXPECT_EQ(cases, 40);
  EXPECT_EQ(held, 1);
}

TEST(ExternalForce, HeldBodySettlesAtTheEquilibrium) {
  const auto settles = [](const auto& law, const Collision& collision) {
    const ImpactHistory history(law, collision);
    const Impact& hit = history.summary();
    EXPECT_FALSE(hit.releases);
    EXPECT_TRUE(std::isinf(hit.contact_time));
    const double rest = std::pow(collision.force / law.stiffness, 1 / law.exponent);
    EXPECT_TRUE(close(hit.equilibrium_compression, rest, 1e-14));
    if (std::isfinite(hit.max_compression_time)) {
      const ImpactState deepest = history.at(hit.max_compression_time);
      EXPECT_TRUE(close(deepest.compression, hit.max_compression, 1e-13));
    } else {
      EXPECT_EQ(hit.max_compression, hit.equilibrium_compression);  // crept there without overshoot
    }
    const ImpactState late = history.at(1000);
    EXPECT_TRUE(close(late.compression, rest, 1e-10));
    EXPECT_TRUE(close(late.force, collision.force, 1e-9));
  };
  settles(HuntCrossley{1.0, 1.5, 3.0}, {.mass = 1, .speed = 1, .force = 1.0});
  settles(HuntCrossley{1.0, 2.0, 0.8}, {.mass = 1, .speed = 1, .force = 5.0});
  settles(HertzDamper{1.0, 1.5, 0.5}, {.mass = 1, .speed = 0.2, .force = 1.0});
  settles(HertzDamper{1.0, 1.0, 6.0}, {.mass = 1, .speed = 0.2, .force = 1.0});
  settles(HertzDamper{1.0, 1.5, 0.5, Release::zero_compression},
          {.mass = 1, .speed = 0.2, .force = 1});
}

TEST(ExternalForce, EnergyBalanceClosesIndependently) {
  // At release: kinetic energy in = kinetic out + dissipated; the work of f_e over a closed path is
  // zero. The dissipated part is summed here from the history by Simpson's rule.
  const HuntCrossley law{1.0, 1.5, 0.4};
  const Collision collision{.mass = 1, .speed = 1, .force = 0.15};
  const ImpactHistory history(law, collision);
  const Impact& hit = history.summary();
  const int intervals = 4000;
  double dissipated = 0;
  for (int i = 0; i <= intervals; ++i) {
    const ImpactState s = history.at(hit.contact_time * i / intervals);
    const double power = law.lambda() * std::pow(s.compression, 1.5) * s.rate * s.rate;
    dissipated += power * (i == 0 || i == intervals ? 1 : i % 2 == 1 ? 4 : 2);
  }
  dissipated *= hit.contact_time / intervals / 3;
  // The integrand starts like t^1.5, so Simpson converges with order 2.5: (1/4000)^2.5 = 1e-9.
  EXPECT_NEAR(hit.energy_lost, dissipated, 2e-9);
}

/// The rebound of m v' = f_e - k x^n (1 + mu v) by Runge and Kutta's rule of fourth order; the end,
/// x = 0, by the tangent within the last step.
double rebound_by_small_steps(const HuntCrossley& law, const Collision& c, double step) {
  const auto acceleration = [&](double x, double v) {
    return (c.force - law.stiffness * std::pow(std::max(0.0, x), law.exponent) * (1 + law.mu * v)) /
           c.mass;
  };
  double x = 0, v = c.speed;
  while (true) {
    const double k1 = v, l1 = acceleration(x, v);
    const double k2 = v + step / 2 * l1, l2 = acceleration(x + step / 2 * k1, k2);
    const double k3 = v + step / 2 * l2, l3 = acceleration(x + step / 2 * k2, k3);
    const double k4 = v + step * l3, l4 = acceleration(x + step * k3, k4);
    const double x_next = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    const double v_next = v + step / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    if (x_next < 0) return -(v - x / v * acceleration(x, v));
    x = x_next;
    v = v_next;
  }
}

TEST(ExternalForce, ReboundIsThatOfTheEquationOfMotion) {
  const HuntCrossley law{1.0, 1.5, 0.4};
  for (const double force : {-0.3, 0.0, 0.15}) {
    const Collision collision{.mass = 1, .speed = 1, .force = force};
    const double rebound = rebound_by_small_steps(law, collision, 1e-4);
    const Impact hit = impact(law, collision);
    // x^1.5 at both ends leaves order 2.5: (1e-4)^2.5 = 1e-10.
    EXPECT_NEAR(hit.rebound_speed, rebound, 2e-9) << force;
    EXPECT_NEAR(hit.energy_lost, 0.5 * (1 - rebound * rebound), 2e-9) << force;
  }
}

TEST(ExternalForce, PullTearsOffAlongFreeFlight) {
  // Pulled off harder than the contact can push at -1/mu: from there on the contact is force free.
  const HuntCrossley law{1.0, 1.5, 5.0};
  const Collision collision{.mass = 1, .speed = 1, .force = -2.0};
  const ImpactHistory history(law, collision);
  const Impact& hit = history.summary();
  EXPECT_TRUE(hit.releases);
  EXPECT_GT(hit.rebound_speed, 1 / law.mu);
  double last_rate = 1;
  for (int i = 0; i <= 1000; ++i) {
    const ImpactState s = history.at(hit.contact_time * i / 1000);
    EXPECT_GE(s.force, 0);
    EXPECT_LE(s.rate, last_rate);
    if (s.rate < -1 / law.mu) {
      EXPECT_EQ(s.force, 0);
    }
    last_rate = s.rate;
  }
  EXPECT_NEAR(history.at(hit.contact_time).compression, 0, 1e-15);
}

TEST(ExternalForce, StrongPullIsNearlyAParabola) {
  for (const double n : {1.0, 2.0, 3.3, 4.2}) {
    const double pull = 5000;
    const Impact hit = impact(HuntCrossley{1, n, 1e-3}, {.mass = 1, .speed = 1, .force = -pull});
    // The spring is weaker than the pull by x_max^n/pull.
    const double tolerance = 2 * std::pow(1e-4, n) / pull + 1e-13;
    EXPECT_TRUE(close(hit.max_compression, 0.5 / pull, tolerance)) << n;
    EXPECT_TRUE(close(hit.contact_time, 2 / pull, tolerance)) << n;
    EXPECT_TRUE(close(hit.rebound_speed, 1, tolerance)) << n;
    EXPECT_TRUE(close(hit.max_force, std::pow(0.5 / pull, n), 1e-3)) << n;
  }
}

TEST(ExternalForce, StrongPushKeepsTheRebound) {
  // A lossless body pressed in with 1e6 times its energy still leaves with the speed it came with.
  const Impact lossless = impact(HuntCrossley{1, 1.5, 0}, {.mass = 1, .speed = 1, .force = 4000});
  EXPECT_TRUE(close(lossless.rebound_speed, 1, 1e-14));
  const Impact lossy = impact(HuntCrossley{1, 1.5, 5e-12}, {.mass = 1, .speed = 1, .force = 4000});
  EXPECT_TRUE(close(lossy.energy_lost, 0.5 * (1 - lossy.restitution * lossy.restitution), 1e-13));
  EXPECT_LT(lossy.rebound_speed, 1);
}

TEST(ExternalForce, OverdampedBodyCreepsToRestUnderAPush) {
  for (const bool zero_force : {true, false}) {
    const HertzDamper law{1.0, 2.0, 60.0,
                          zero_force ? Release::zero_force : Release::zero_compression};
    const Impact hit = impact(law, {.mass = 1, .speed = 1, .force = 1e-6});
    EXPECT_FALSE(hit.releases);
    EXPECT_TRUE(close(hit.equilibrium_compression, 1e-3, 1e-14));
  }
}

TEST(ExternalForce, WeightHardlyChangesAHardImpact) {
  // papetti2011 Fig. 5: the push speeds the body up first, then takes from the rebound.
  const HuntCrossley law{1e7, 1.5, 0.5};
  const Impact alone = impact(law, {.mass = 0.01, .speed = 0.5});
  double last_rebound = alone.rebound_speed, last_depth = alone.max_compression;
  for (const double weight : {0.5, 1.0, 2.0, 4.0}) {
    const Impact hit = impact(law, {.mass = 0.01, .speed = 0.5, .force = 0.0981 * weight});
    EXPECT_LT(hit.rebound_speed, last_rebound);
    EXPECT_GT(hit.max_compression, last_depth);
    last_rebound = hit.rebound_speed;
    last_depth = hit.max_compression;
  }
}

TEST(ExternalForce, RefusesWhatIsNotAnImpact) {
  EXPECT_THROW(impact(HuntCrossley{1e9, 1.5, 0.5}, {.mass = 1, .speed = 1e-9, .force = 1e12}),
               InvalidInput);
}

}  // namespace
}  // namespace carom
