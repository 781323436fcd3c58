#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/simulated_pendulums.hpp>

namespace carom {
namespace {

constexpr PendulumRods swinging_rods{{1.0, 0.2}, {6.0, 4.0}, -2.0};
constexpr PendulumState raised{{std::numbers::pi / 12, -std::numbers::pi / 2}};
constexpr double tight = 1e-13;

double distance(const PendulumState& a, const PendulumState& b) {
  return std::hypot(std::hypot(a.angles[0] - b.angles[0], a.angles[1] - b.angles[1]),
                    std::hypot(a.rates[0] - b.rates[0], a.rates[1] - b.rates[1]));
}

/// The error of `rk4` over 15 ms around the first contact, which lasts 8 ms, against the
/// event-driven method: the greatest of eight phases of the grid.
double contact_error(const AnyLaw& law, double step) {
  double worst = 0.0;
  for (int phase = 0; phase < 8; ++phase) {
    const double wait = 1.141 + step * phase / 8;
    const PendulumState before =
        simulate_pendulums(swinging_rods, raised, law, {.duration = wait, .tolerance = tight}).end;
    const auto end = [&](PendulumSettings settings) {
      settings.duration = 0.015;
      const PendulumRun run = simulate_pendulums(swinging_rods, before, law, settings);
      EXPECT_EQ(run.impacts.size(), 1u);
      return run.end;
    };
    worst = std::max(worst, distance(end({.step = step}), end({.tolerance = tight})));
  }
  return worst;
}

TEST(PendulumOrders, RungeKuttaHasOrderFourWhereTheForceIsSmoothFromTheTouchOn) {
  // Errors of 7e-9 and less; the next term of the expansion is worth 0.1.
  for (const AnyLaw& law :
       {AnyLaw{HuntCrossley{1e6, 2.0, 0.2}}, AnyLaw{HuntCrossley{1e8, 3.0, 0.2}},
        AnyLaw{HertzDamper{1e4, 1.0, 10.0}}, AnyLaw{HertzDamper{1e6, 2.0, 10.0}}})
    EXPECT_NEAR(std::log2(contact_error(law, 5e-5) / contact_error(law, 2.5e-5)), 4.0, 0.1)
        << law.index();
}

/// With the exponent 3/2 the force grows as t^(3/2) from the touch on: its fourth derivative is
/// t^(-5/2), and the steps next to the touch and the release err by h^5 h^(-5/2). Locating the
/// events, which happens to rounding, cannot mend that; Fehlberg's steps become short there.
TEST(PendulumOrders, TheOnsetOfAHertzContactLowersRungeKuttaToFiveHalves) {
  for (const AnyLaw& law :
       {AnyLaw{HuntCrossley{1e5, 1.5, 0.2}}, AnyLaw{HertzDamper{1e5, 1.5, 10.0}}})
    // The worst phase of eight wavers by a tenth of an order from halving to halving.
    EXPECT_NEAR(std::log2(contact_error(law, 1e-4) / contact_error(law, 1.25e-5)) / 3, 2.5, 0.15)
        << law.index();
}

/// Newton's law: smooth swings between impacts that are located to rounding, so that nothing lowers
/// the order of the formula that follows the swings.
TEST(PendulumOrders, PiecewiseTreatmentKeepsTheOrderOfItsSwings) {
  const auto end = [](PendulumSettings settings) {
    settings.duration = 4.0;
    const PendulumRun run =
        simulate_pendulums(swinging_rods, raised, NewtonRestitution{0.3}, settings);
    EXPECT_GE(run.impacts.size(), 2u);
    return run.end;
  };
  const PendulumState truth = end({.tolerance = tight});
  const auto error = [&](double step) { return distance(end({.step = step}), truth); };
  EXPECT_NEAR(std::log2(error(8e-3) / error(4e-3)), 4.0, 0.1);
}

/// `piecewise` and `event-driven` choose their own steps, by an estimate that squares what ten
/// Gauss nodes cannot follow: it bounds the error, so that the motion is better than the tolerance
/// of a step times the few dozen steps it has, at every tolerance. No contact is missed at a loose
/// one.
TEST(PendulumOrders, CollocationKeepsItsTolerance) {
  const auto worst_error = [](const PendulumContact& contact, double tolerance) {
    double worst = 0.0;
    for (int lean = 0; lean < 6; ++lean) {
      PendulumState from = raised;
      from.angles[0] += 0.1 * lean;
      const auto end = [&](double t) {
        return simulate_pendulums(swinging_rods, from, contact, {.duration = 2.0, .tolerance = t})
            .end;
      };
      worst = std::max(worst, distance(end(tolerance), end(tight)));
    }
    return worst;
  };
  for (const PendulumContact& contact : {PendulumContact{NewtonRestitution{0.3}},
                                         PendulumContact{AnyLaw{HuntCrossley{1e5, 1.5, 0.2}}},
                                         PendulumContact{AnyLaw{HertzDamper{1e5, 1.5, 10.0}}}}) {
    for (int decade = 4; decade <= 11; ++decade) {
      const double tolerance = std::pow(10.0, -decade);
      EXPECT_LT(worst_error(contact, tolerance), 100 * tolerance) << contact.index();
    }
    EXPECT_LT(worst_error(contact, 1e-12), 1e-11) << contact.index();
  }
}

TEST(PendulumOrders, AToleranceBelowRoundingIsRefused) {
  EXPECT_THROW(
      simulate_pendulums(swinging_rods, raised, NewtonRestitution{0.3}, {.tolerance = 1e-14}),
      InvalidInput);
}

}  // namespace
}  // namespace carom
