#include <cmath>

#include <gtest/gtest.h>

#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/newmark_impacts.hpp>
#include <carom/steppers/paoli_schatzman.hpp>
#include <carom/systems/small_systems.hpp>

namespace carom {
namespace {

constexpr double gravity = 9.81, step = 1e-3;
constexpr double restitutions_tried[] = {0.0, 0.3, 0.6, 0.9, 0.99};

/// Far beyond the last bounce [s].
double until(double e) { return e > 0.9 ? 40.0 : 6.0; }

/// What a run must reach: rest, with all the energy above that of the system at rest counted as
/// lost.
struct Rest {
  double until;   ///< [s], far beyond the last bounce
  double energy;  ///< to be lost [J]
  double weight;  ///< of all bodies [N]
  double speed;   ///< of the first impact [m/s]
};

template <class Stepper>
void expect_rest(const char* name, Stepper stepper, const Rest& rest) {
  SCOPED_TRACE(name);
  long long steps = 0;
  // Each bounce is a step of the event-driven method; 0.99^n = 1e-9 after 2000 of a contact.
  const auto most = static_cast<long long>(rest.until / step) + 20000;
  march(stepper, rest.until, [&](const auto&) { return ++steps < most; });
  EXPECT_EQ(stepper.time(), rest.until);
  EXPECT_EQ(stepper.report().status, StepStatus::ok);
  EXPECT_LT(stepper.velocity().cwiseAbs().maxCoeff(), 1e-9);
  const Ledger& ledger = stepper.ledger();
  // Bodies rest within one step's travel of where they should (event-driven: exactly).
  constexpr bool located = requires { stepper.holding_forces(); };
  const double off = located ? 1e-4 * rest.energy : 2 * rest.weight * rest.speed * step;
  EXPECT_NEAR(ledger.dissipated(), rest.energy, off);
  // Rules of second order on a turning block: measured 2e-6 J.
  EXPECT_LT(std::abs(ledger.residual()), 1e-4 * rest.energy);
}

template <class S>
void expect_rest_by_every_method(const S& system, double e, const MotionState& start,
                                 const Rest& rest) {
  SCOPED_TRACE(e);
  const NonsmoothSettings common{.step = step};
  expect_rest("moreau-jean", MoreauJean(system, {{e}}, start, {.common = common}), rest);
  PaoliSchatzman positions(system, {{e}}, start, common);
  if (system.contacts() > 1 && e > 0.9) {
    // Contacts hit at once are not orthogonal impacts: energy is gained, which is reported.
    march(positions, rest.until);
    EXPECT_EQ(positions.report().status, StepStatus::energy_gained);
    EXPECT_GT(positions.report().residual, 0.01);
  } else {
    expect_rest("paoli-schatzman", positions, rest);
  }
  for (const FlightRule flight : {FlightRule::midpoint, FlightRule::newmark}) {
    expect_rest("event-driven",
                NewmarkImpacts(system, {{e}}, start, {.common = common, .flight = flight}), rest);
  }
  expect_rest("interpolated",
              NewmarkImpacts(system, {{e}}, start,
                             {.common = common, .instant = ImpactInstant::interpolated}),
              rest);
}

/// Bounces end at sqrt(2 h/g) (1 + e)/(1 - e): 20 s at e = 0.99.
TEST(NonsmoothRest, BallRestsAfterInfinitelyManyBounces) {
  const double h = 0.05;
  for (const double e : restitutions_tried) {
    expect_rest_by_every_method(BouncingPoint{}, e,
                                {Eigen::VectorXd::Constant(1, h), Eigen::VectorXd::Zero(1)},
                                {.until = until(e),
                                 .energy = gravity * h,
                                 .weight = gravity,
                                 .speed = std::sqrt(2 * gravity * h)});
  }
}

TEST(NonsmoothRest, ColumnOfBallsRestsAsATower) {
  const BallColumn column{.masses = Eigen::Vector3d(1.0, 2.0, 3.0), .radius = 0.01};
  // Heights above the tower: 0.01, 0.02, 0.03.
  const double energy = gravity * (1.0 * 0.01 + 2.0 * 0.02 + 3.0 * 0.03);
  for (const double e : restitutions_tried) {
    expect_rest_by_every_method(column, e,
                                {Eigen::Vector3d(0.02, 0.05, 0.08), Eigen::VectorXd::Zero(3)},
                                {.until = until(e),
                                 .energy = energy,
                                 .weight = 6 * gravity,
                                 .speed = std::sqrt(2 * gravity * 0.03)});
  }
}

/// A broad block, which cannot tip over, rattles on its two corners until it lies flat. Two corners
/// that settle together, each below the rounding of the coordinates, must not wake each other.
TEST(NonsmoothRest, BlockRestsOnBothCorners) {
  const RockingBlock block{.width = 0.3, .height = 0.1};
  const double drop = 0.03;
  for (const double angle : {0.1, 0.02}) {
    for (const double e : restitutions_tried) {
      SCOPED_TRACE(angle);
      expect_rest_by_every_method(
          block, e, {Eigen::Vector3d(0.0, 0.05 + drop, angle), Eigen::VectorXd::Zero(3)},
          {.until = until(e), .energy = gravity * drop, .weight = gravity, .speed = 1.0});
    }
  }
  const RockingBlock tall;
  expect_rest_by_every_method(
      tall, 0.6, {Eigen::Vector3d(0.0, 0.17, 0.1), Eigen::VectorXd::Zero(3)},
      {.until = until(0.6), .energy = gravity * 0.02, .weight = gravity, .speed = 1.0});
}

}  // namespace
}  // namespace carom
