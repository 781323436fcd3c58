#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/newmark_impacts.hpp>
#include <carom/steppers/paoli_schatzman.hpp>
#include <carom/systems/small_systems.hpp>

namespace carom {
namespace {

static_assert(Stepper<PaoliSchatzman<BouncingPoint>>);
static_assert(Stepper<MoreauJean<BouncingPoint>>);
static_assert(Stepper<NewmarkImpacts<BouncingPoint>>);

Eigen::VectorXd vec(std::initializer_list<double> values) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(values.size()));
  std::copy(values.begin(), values.end(), v.begin());
  return v;
}

/// Without forces an impact of Paoli-Schatzman takes two steps; then the velocity is -e v exactly,
/// whatever the phase of the impact in the step.  paoli2007 Sect. 3.
TEST(PaoliSchatzman, ReversesTheVelocityExactlyInTwoStepsWithoutForces) {
  const BouncingPoint point{.mass = 0.3, .gravity = 0.0};
  for (const double e : {0.0, 0.3, 0.5, 1.0}) {
    for (int phase = 0; phase < 10; ++phase) {
      const double dt = 1e-3, start = 0.01 + 0.1 * phase * dt + 1e-9;
      PaoliSchatzman stepper(point, {{e}}, {vec({start}), vec({-1.0})}, {.step = dt});
      int steps_with_impulse = 0;
      march(stepper, 0.03, [&](const auto& s) {
        steps_with_impulse += s.impulses()[0] > 1e-12 ? 1 : 0;  // at rest (e = 0) rounding touches
      });
      EXPECT_EQ(stepper.report().status, StepStatus::ok);
      EXPECT_NEAR(stepper.velocity()[0], e, 1e-12) << e << " " << phase;
      EXPECT_LE(steps_with_impulse, 2);
      // The ledger closes to rounding and has counted what the impact law takes.
      EXPECT_LT(std::abs(stepper.ledger().worst_residual()), 1e-15);
      EXPECT_NEAR(stepper.ledger().dissipated(), 0.5 * 0.3 * (1 - e * e), 1e-14);
    }
  }
}

/// With gravity the restitution is e + O(dt); the factor depends on the phase of the impact in the
/// step, so the worst of many phases is what converges.
double worst_restitution_error(double e, double dt) {
  const BouncingPoint point;
  double worst = 0.0;
  for (int phase = 0; phase < 16; ++phase) {
    const double height = 0.05 + 0.137 * phase * dt;
    PaoliSchatzman stepper(point, {{e}}, {vec({height}), vec({-1.0})}, {.step = dt});
    const double t_impact = (-1.0 + std::sqrt(1.0 + 2 * 9.81 * height)) / 9.81;
    const double v_in = std::sqrt(1.0 + 2 * 9.81 * height);
    march(stepper, t_impact + 8 * dt);
    const double v_out = stepper.velocity()[0] + 9.81 * (stepper.time() - t_impact);
    worst = std::max(worst, std::abs(v_out / v_in - e));
  }
  return worst;
}

TEST(PaoliSchatzman, RecoversTheRestitutionAtFirstOrder) {
  for (const double e : {0.25, 0.5, 0.75, 1.0}) {
    const double coarse = worst_restitution_error(e, 1e-3), fine = worst_restitution_error(e, 1e-4);
    // 8 steps of gravity against 1 m/s bound the factor of dt.
    EXPECT_LT(coarse, 4 * 9.81 * 1e-3) << e;
    EXPECT_NEAR(std::log10(coarse / fine), 1.0, 0.15) << e;
  }
}

/// Moreau-Jean: the same ball penetrates by less than one step of its speed, the restitution is
/// exact at velocity level.
TEST(MoreauJean, PenetratesAtMostByOneStepOfItsSpeed) {
  const BouncingPoint point;
  for (const double dt : {1e-2, 1e-3, 1e-4}) {
    MoreauJean stepper(point, {{0.8}}, {vec({0.3}), vec({0.0})}, {.common = {.step = dt}});
    double deepest = 0.0, fastest = 0.0;
    march(stepper, 2.0, [&](const auto& s) {
      deepest = std::max(deepest, -s.position()[0]);
      fastest = std::max(fastest, std::abs(s.velocity()[0]));
    });
    EXPECT_EQ(stepper.report().status, StepStatus::ok);
    EXPECT_GT(deepest, 0.0);
    EXPECT_LE(deepest, fastest * dt);
  }
}

TEST(MoreauJean, RecoversTheRestitutionAtFirstOrder) {
  const BouncingPoint point;
  const auto worst = [&](double dt) {
    double result = 0.0;
    for (int phase = 0; phase < 16; ++phase) {
      const double height = 0.05 + 0.137 * phase * dt;
      MoreauJean stepper(point, {{0.6}}, {vec({height}), vec({-1.0})}, {.common = {.step = dt}});
      const double t_impact = (-1.0 + std::sqrt(1.0 + 2 * 9.81 * height)) / 9.81;
      const double v_in = std::sqrt(1.0 + 2 * 9.81 * height);
      march(stepper, t_impact + 4 * dt);
      const double v_out = stepper.velocity()[0] + 9.81 * (stepper.time() - t_impact);
      result = std::max(result, std::abs(v_out / v_in - 0.6));
    }
    return result;
  };
  EXPECT_NEAR(std::log10(worst(1e-3) / worst(1e-4)), 1.0, 0.15);
}

/// Infinitely many bounces in finite time: t_end = sqrt(2 h/g) (1 + e)/(1 - e). Both schemes end at
/// rest on the floor and the work counted is the energy there was.
template <class Make>
void expect_zeno_ball_comes_to_rest(const Make& make, double height, double dt) {
  auto stepper = make();
  const double t_end = std::sqrt(2 * height / 9.81) * (1.5 / 0.5);
  march(stepper, 1.1 * t_end);
  EXPECT_EQ(stepper.report().status, StepStatus::ok);
  // A few steps of free fall are the resolution of the scheme at rest.
  EXPECT_LT(std::abs(stepper.velocity()[0]), 5 * 9.81 * dt);
  EXPECT_LT(std::abs(stepper.position()[0]), 5 * dt);
  const double energy = 9.81 * height;
  EXPECT_NEAR(stepper.ledger().dissipated(), energy, 0.05 * energy);
  EXPECT_LE(stepper.ledger().dissipated(), 1.01 * energy);
}

TEST(NonsmoothSteppers, ZenoBallEndsInRestWithBoundedWork) {
  const BouncingPoint point;
  const double dt = 1e-4, h = 0.2;
  const MotionState start{vec({h}), vec({0.0})};
  expect_zeno_ball_comes_to_rest(
      [&] { return PaoliSchatzman(point, {{0.5}}, start, {.step = dt}); }, h, dt);
  expect_zeno_ball_comes_to_rest(
      [&] { return MoreauJean(point, {{0.5}}, start, {.common = {.step = dt}}); }, h, dt);
}

/// A ball of mass m on one of mass M = 3 m that falls with it: both hit the floor with v, the upper
/// one leaves with 2 v, the lower one rests (e = 1, sequential impacts; the classic demonstration).
TEST(NonsmoothSteppers, StackedBallsDoTheClassicTrick) {
  const BallColumn column{.masses = vec({3.0, 1.0}), .radius = 0.0, .gravity = 0.0};
  for (const double dt : {1e-4, 1e-5}) {
    const MotionState start{vec({0.0105, 0.0306}), vec({-1.0, -1.0})};
    PaoliSchatzman ps(column, {{1.0}}, start, {.step = dt});
    march(ps, 0.05);
    EXPECT_NEAR(ps.velocity()[0], 0.0, 1e-10);
    EXPECT_NEAR(ps.velocity()[1], 2.0, 1e-10);
    MoreauJean mj(column, {{1.0}}, start, {.common = {.step = dt}});
    march(mj, 0.05);
    EXPECT_NEAR(mj.velocity()[0], 0.0, 1e-10);
    EXPECT_NEAR(mj.velocity()[1], 2.0, 1e-10);
  }
}

/// Three balls dropped one above the other with e = 0 form a resting tower: three contacts closed
/// at once, whose impulses in a step carry the weight above.
TEST(NonsmoothSteppers, TowerOfThreeBallsCarriesItsWeight) {
  const BallColumn column{.masses = vec({1.0, 2.0, 3.0}), .radius = 0.01};
  const double dt = 1e-4;
  const MotionState start{vec({0.02, 0.05, 0.08}), vec({0.0, 0.0, 0.0})};
  const auto check = [&](auto stepper) {
    march(stepper, 0.5);
    EXPECT_EQ(stepper.report().status, StepStatus::ok);
    const Eigen::VectorXd p = stepper.impulses() / dt;
    EXPECT_NEAR(p[0], 6 * 9.81, 1e-6);
    EXPECT_NEAR(p[1], 5 * 9.81, 1e-6);
    EXPECT_NEAR(p[2], 3 * 9.81, 1e-6);
    EXPECT_LT(stepper.velocity().norm(), 1e-9);
  };
  check(PaoliSchatzman(column, {{0.0}}, start, {.step = dt}));
  check(MoreauJean(column, {{0.0}}, start, {.common = {.step = dt}}));
}

/// A block falling flat with e = 0 onto its two corners stays level: redundant in the sense that
/// both corners share the load equally by symmetry.
TEST(NonsmoothSteppers, BlockFallingFlatStaysLevel) {
  const RockingBlock block;
  const double dt = 1e-4;
  const MotionState start{vec({0.0, 0.16, 0.0}), vec({0.3, 0.0, 0.0})};
  const auto check = [&](auto stepper) {
    march(stepper, 0.3);
    EXPECT_EQ(stepper.report().status, StepStatus::ok);
    EXPECT_NEAR(stepper.position()[2], 0.0, 1e-12);
    EXPECT_NEAR(stepper.position()[0], 0.3 * stepper.time(), 1e-9);  // no friction
    EXPECT_NEAR(stepper.impulses()[0], 0.5 * 9.81 * dt, 1e-9);
    EXPECT_NEAR(stepper.impulses()[1], 0.5 * 9.81 * dt, 1e-9);
  };
  check(PaoliSchatzman(block, {{0.0}}, start, {.step = dt}));
  check(MoreauJean(block, {{0.0}}, start, {.common = {.step = dt}}));
}

/// One corner hits first: v_corner+ = -e v_corner-, momentum and spin from one impulse. The closed
/// form of a single frictionless impact of a rigid body.
TEST(NonsmoothSteppers, CornerImpactOfATiltedBlockIsTheRigidBodyFormula) {
  const RockingBlock block{.gravity = 0.0};
  const double angle = 0.2, e = 0.7;
  const double low = 0.5 * block.width * std::sin(angle) + 0.5 * block.height * std::cos(angle);
  const double arm = 0.5 * block.height * std::sin(angle) - 0.5 * block.width * std::cos(angle);
  const double p =
      (1 + e) / (1 / block.mass + arm * arm / block.inertia());  // approach speed 1 m/s
  const MotionState start{vec({0.0, low + 0.01, angle}), vec({0.0, -1.0, 0.0})};
  const auto error = [&](auto stepper) {
    march(stepper, 0.0105);
    return std::hypot(stepper.velocity()[1] - (p / block.mass - 1.0),
                      stepper.velocity()[2] - p * arm / block.inertia());
  };
  // Geometry at the impact is known to O(dt): first order.
  const auto ps = [&](double dt) {
    return error(PaoliSchatzman(block, {{e}}, start, {.step = dt}));
  };
  const auto mj = [&](double dt) {
    return error(MoreauJean(block, {{e}}, start, {.common = {.step = dt}}));
  };
  EXPECT_LT(ps(1e-5), 1e-3);
  EXPECT_LT(mj(1e-5), 1e-3);
}

/// Between impacts the parabola is exact for the trapezoidal rule, so every impact of a bouncing
/// ball is where the closed form puts it: t_k = t_0 (1 + 2 e (1 - e^k)/(1 - e)), to rounding.
TEST(NewmarkImpacts, BouncingBallIsExact) {
  const BouncingPoint point{.mass = 0.2};
  const double h = 0.2, e = 0.5, first = std::sqrt(2 * h / 9.81);
  for (const ImpactInstant instant : {ImpactInstant::resolved, ImpactInstant::interpolated}) {
    NewmarkImpacts stepper(point, {{e}}, {vec({h}), vec({0.0})},
                           {.common = {.step = 7e-3}, .instant = instant});
    std::vector<double> times;
    march(stepper, 0.7, [&](const auto& s) {
      if (s.impact()) times.push_back(s.time());
    });
    EXPECT_EQ(stepper.report().status, StepStatus::ok);
    ASSERT_GT(times.size(), 20U);
    for (std::size_t k = 0; k < times.size(); ++k) {
      const double expected = first * (1 + 2 * e * (1 - std::pow(e, k)) / (1 - e));
      EXPECT_NEAR(times[k], expected, 1e-12) << k;
    }
    // After infinitely many bounces: held, with its weight, all energy counted.
    EXPECT_EQ(stepper.velocity()[0], 0.0);
    EXPECT_NEAR(stepper.position()[0], 0.0, 1e-15);
    EXPECT_NEAR(stepper.holding_forces()[0], 0.2 * 9.81, 1e-12);
    EXPECT_NEAR(stepper.ledger().dissipated(), 0.2 * 9.81 * h, 1e-12);
    EXPECT_LT(std::abs(stepper.ledger().residual()), 1e-13);
  }
}

TEST(NewmarkImpacts, ColumnOfBallsCollapsesIntoATower) {
  const BallColumn column{.masses = vec({1.0, 2.0, 3.0}), .radius = 0.01};
  for (const double e : {0.0, 0.3, 0.6}) {
    const MotionState start{vec({0.02, 0.05, 0.08}), vec({0.0, 0.0, 0.0})};
    NewmarkImpacts stepper(column, {{e}}, start, {.common = {.step = 1e-4}});
    double lowest = 0.0;
    Eigen::VectorXd gaps(3);
    march(stepper, 1.0, [&](const auto& s) {
      column.gaps(s.time(), s.position(), gaps);
      lowest = std::min(lowest, gaps.minCoeff());
    });
    EXPECT_EQ(stepper.report().status, StepStatus::ok) << e;
    EXPECT_GT(lowest, -1e-12) << e;
    EXPECT_LT(stepper.velocity().norm(), 1e-8) << e;
    EXPECT_NEAR(stepper.holding_forces()[0], 6 * 9.81, 1e-6) << e;
    EXPECT_NEAR(stepper.holding_forces()[1], 5 * 9.81, 1e-6) << e;
    EXPECT_NEAR(stepper.holding_forces()[2], 3 * 9.81, 1e-6) << e;
    EXPECT_LT(std::abs(stepper.ledger().residual()), 1e-9) << e;
  }
}

/// A held corner slides on the floor while the block tips over: the gap is curved, yet it must not
/// drift, and without friction the energy stays and the centre keeps its x.
TEST(NewmarkImpacts, BlockTipsOverASlidingCorner) {
  const RockingBlock block;
  const double angle = 0.5;  // beyond the balance point: tips over to the left corner
  const double low = 0.5 * block.width * std::sin(angle) + 0.5 * block.height * std::cos(angle);
  NewmarkImpacts stepper(block, {{0.0}}, {vec({0.0, low, angle}), vec({0.0, 0.0, 0.0})},
                         {.common = {.step = 1e-4}});
  const double energy = stepper.energy();
  double worst_gap = 0.0;
  Eigen::VectorXd gaps(2);
  march(stepper, 0.15, [&](const auto& s) {
    block.gaps(s.time(), s.position(), gaps);
    worst_gap = std::max(worst_gap, std::abs(gaps[0]));
  });
  EXPECT_EQ(stepper.report().status, StepStatus::ok);
  EXPECT_GT(stepper.position()[2], angle + 0.02);
  EXPECT_LT(worst_gap, 1e-9);
  EXPECT_NEAR(stepper.energy(), energy, 1e-6 * energy);
  EXPECT_NEAR(stepper.position()[0], 0.0, 1e-12);
}

/// The three schemes at work on the same tilted block with several impacts: both time-stepping
/// schemes approach the event-driven one at first order.
TEST(NonsmoothSteppers, SchemesAgreeOnAFallingBlock) {
  const RockingBlock block;
  const MotionState start{vec({0.0, 0.2, 0.3}), vec({0.1, -0.5, 0.0})};
  const double end = 0.12;
  NewmarkImpacts event(block, {{0.5}}, start, {.common = {.step = 1e-5}});
  march(event, end - 1e-9);
  const auto off = [&](auto stepper) {
    march(stepper, end - 1e-9);
    return (stepper.position() - event.position()).norm();
  };
  const double ps = off(PaoliSchatzman(block, {{0.5}}, start, {.step = 1e-5}));
  const double mj = off(MoreauJean(block, {{0.5}}, start, {.common = {.step = 1e-5}}));
  // Each impact shifts by up to one step of relative speeds of about 2 m/s.
  EXPECT_LT(ps, 2e-4);
  EXPECT_LT(mj, 2e-4);
}

TEST(NonsmoothSteppers, RefuseBadInput) {
  const BouncingPoint point;
  const MotionState good{vec({1.0}), vec({0.0})}, bad{vec({1.0, 2.0}), vec({0.0})};
  EXPECT_THROW(PaoliSchatzman(point, {{0.5}}, bad, {.step = 1e-3}), InvalidInput);
  EXPECT_THROW(PaoliSchatzman(point, {{1.5}}, good, {.step = 1e-3}), InvalidInput);
  EXPECT_THROW(PaoliSchatzman(point, {{0.5}}, good, {.step = 0.0}), InvalidInput);
  EXPECT_THROW(PaoliSchatzman(point, {{0.5}, {0.5}}, good, {.step = 1e-3}), InvalidInput);
  EXPECT_THROW(MoreauJean(point, {{0.5}}, good, {.common = {.step = 1e-3}, .theta = 0.2}),
               InvalidInput);
}

}  // namespace
}  // namespace carom
