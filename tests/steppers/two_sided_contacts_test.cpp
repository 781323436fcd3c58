#include <cmath>

#include <gtest/gtest.h>

#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/newmark_impacts.hpp>
#include <carom/steppers/paoli_schatzman.hpp>
#include <carom/systems/pair.hpp>
#include <carom/systems/pendulums.hpp>

namespace carom {
namespace {

const PendulumRods rods{.masses = {1.0, 0.6}, .lengths = {0.5, 0.35}, .offset = 0.1};

/// G is the derivative of g, by central differences.
TEST(PendulumRods, GradientsAreThoseOfTheGaps) {
  Eigen::VectorXd low(2), high(2);
  Eigen::MatrixXd G(2, 2);
  const double h = 1e-6;
  for (const Eigen::Vector2d& q : {Eigen::Vector2d(0.3, -0.4), Eigen::Vector2d(-1.2, 0.9)}) {
    rods.gap_gradients(0.0, q, G);
    for (int j = 0; j < 2; ++j) {
      rods.gaps(0.0, q - h * Eigen::Vector2d::Unit(j), low);
      rods.gaps(0.0, q + h * Eigen::Vector2d::Unit(j), high);
      for (int i = 0; i < 2; ++i) EXPECT_NEAR(G(i, j), (high[i] - low[i]) / (2 * h), 1e-9);
    }
  }
}

/// Whether the two rods cross, by the intersection of the two segments in the plane: nothing of the
/// gaps is used. Penetration by `slack` metres is allowed.
bool crossed(const PendulumRods& r, const Eigen::VectorXd& q, double slack) {
  const Eigen::Vector2d p(0.0, 0.0), s(r.offset, 0.0);
  const Eigen::Vector2d a = r.lengths[0] * Eigen::Vector2d(std::sin(q[0]), -std::cos(q[0]));
  const Eigen::Vector2d b = r.lengths[1] * Eigen::Vector2d(std::sin(q[1]), -std::cos(q[1]));
  const double det = a.x() * b.y() - a.y() * b.x();
  if (std::abs(det) < 1e-12) return false;
  const Eigen::Vector2d d = s - p;
  const double along_a = (d.x() * b.y() - d.y() * b.x()) / det;
  const double along_b = (d.x() * a.y() - d.y() * a.x()) / det;
  const double sine = std::abs(det) / (r.lengths[0] * r.lengths[1]);
  // How far the nearer tip sticks out beyond the other rod.
  const double depth_a = (1 - along_a) * r.lengths[0] * sine,
               depth_b = (1 - along_b) * r.lengths[1] * sine;
  return along_a > 0 && along_b > 0 && depth_a > slack && depth_b > slack;
}

template <class Stepper>
int swing(Stepper& stepper, double until, double slack) {
  int impacts = 0;
  bool before = false;
  march(stepper, until, [&](const auto& s) {
    impacts += s.touching() && !before ? 1 : 0;
    before = s.touching();
    EXPECT_FALSE(crossed(rods, s.position(), slack)) << s.time();
    return !testing::Test::HasFailure();
  });
  EXPECT_EQ(stepper.report().status, StepStatus::ok);
  return impacts;
}

/// The rods hit each other again and again and never pass through; the energy lost is that of the
/// impacts, and none with e = 1.
TEST(TwoSidedContacts, RodsDoNotPassThroughEachOther) {
  const MotionState start{Eigen::Vector2d(-1.0, 0.2), Eigen::Vector2d::Zero()};
  const double energy_at_start = energy(rods, {.angles = {-1.0, 0.2}});
  for (const double e : {0.5, 1.0}) {
    const double step = 1e-4, fastest = 3.0 * 0.5;
    MoreauJean mj(rods, {{e}}, start, {.common = {.step = step}});
    PaoliSchatzman ps(rods, {{e}}, start, {.step = step});
    NewmarkImpacts ed(rods, {{e}}, start, {.common = {.step = step}});
    EXPECT_GT(swing(mj, 4.0, 4 * fastest * step), 3);
    EXPECT_GT(swing(ps, 4.0, 4 * fastest * step), 3);
    EXPECT_GT(swing(ed, 4.0, 1e-9), 3);
    EXPECT_NEAR(ed.ledger().initial(), energy_at_start, 1e-14);
    EXPECT_NEAR(ed.ledger().stored() + ed.ledger().dissipated(), energy_at_start, 1e-6);
    if (e == 1.0) {
      EXPECT_NEAR(ed.ledger().dissipated(), 0.0, 1e-12);
    }
  }
}

/// The first impact is that of a rigid body: u+ = -e u- along M^-1 G^T.
TEST(TwoSidedContacts, FirstImpactFollowsTheImpactLaw) {
  for (const double side : {1.0, -1.0}) {  // from either side of the long rod
    PendulumRods mirrored = rods;
    mirrored.offset = side * rods.offset;
    const MotionState start{Eigen::Vector2d(-side * 1.0, side * 0.2), Eigen::Vector2d::Zero()};
    NewmarkImpacts stepper(mirrored, {{0.7}}, start, {.common = {.step = 1e-4}});
    Eigen::VectorXd before = start.v;
    while (!stepper.impact() && stepper.time() < 2.0) {
      before = stepper.velocity();
      stepper.step();
    }
    ASSERT_TRUE(stepper.impact());
    Eigen::MatrixXd G(2, 2);
    mirrored.gap_gradients(0.0, stepper.position(), G);
    const int tip = stepper.impulses()[0] > 0 ? 0 : 1;
    const double in = G.row(tip).dot(before), out = G.row(tip).dot(stepper.velocity());
    EXPECT_NEAR(out, -0.7 * in, 2e-3 * std::abs(in));  // `before` is up to a step early
    // The midpoint rule swings by dt^2 of the energy of 1 J.
    EXPECT_LT(std::abs(stepper.ledger().residual()), 1e-7);
  }
}

/// A tip that swings past beyond the end of the other rod has changed sides: coming back it is met
/// from there or passes again, without an impact out of nothing.
TEST(TwoSidedContacts, ATipBeyondTheEndPasses) {
  // Pivots further apart than both lengths: each tip crosses the line of the other rod, far from
  // it.
  const PendulumRods apart{.masses = {1.0, 1.0}, .lengths = {0.2, 0.2}, .offset = 0.5};
  const MotionState start{Eigen::Vector2d(1.5, -1.4), Eigen::Vector2d::Zero()};
  MoreauJean mj(apart, {{0.5}}, start, {.common = {.step = 1e-3}});
  NewmarkImpacts ed(apart, {{0.5}}, start, {.common = {.step = 1e-3}});
  PaoliSchatzman ps(apart, {{0.5}}, start, {.step = 1e-3});
  march(mj, 5.0);
  march(ed, 5.0);
  march(ps, 5.0);
  EXPECT_EQ(mj.ledger().dissipated(), 0.0);
  EXPECT_EQ(ed.ledger().dissipated(), 0.0);
  EXPECT_EQ(ps.ledger().dissipated(), 0.0);
}

/// A ledge that ends at x = 1: a body that falls beyond it is not caught from below.
struct Ledge {
  int coordinates() const { return 2; }
  int contacts() const { return 1; }
  void mass_matrix(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& M) const { M.setIdentity(); }
  void force(double /*t*/, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& /*v*/,
             Eigen::VectorXd& f) const {
    f << 0.0, -10.0;
  }
  double potential_energy(const Eigen::VectorXd& q) const { return 10.0 * q[1]; }
  void gaps(double /*t*/, const Eigen::VectorXd& q, Eigen::VectorXd& g) const { g[0] = q[1]; }
  void gap_gradients(double /*t*/, const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& G) const {
    G << 0.0, 1.0;
  }
  bool can_touch(int /*contact*/, const Eigen::VectorXd& q) const { return q[0] < 1.0; }
};

TEST(TwoSidedContacts, ABodySlidesOffALedgeAndFalls) {
  const Ledge ledge;
  const auto fall = [&](auto stepper) {
    march(stepper, 1.0);
    // On the ledge until x = 1 at t = 0.5, then free fall; the end is seen within a step.
    EXPECT_NEAR(stepper.position()[0], 1.5, 1e-9);
    EXPECT_NEAR(stepper.position()[1], -0.5 * 10 * 0.25, 2e-2);
    // Paoli-Schatzman starts as from free flight: (g dt)^2/2 at most.
    EXPECT_NEAR(stepper.ledger().dissipated(), 0.0, 5e-5);
    EXPECT_EQ(stepper.report().status, StepStatus::ok);
  };
  const MotionState start{Eigen::Vector2d(0.5, 0.0), Eigen::Vector2d(1.0, 0.0)};
  fall(MoreauJean(ledge, {{0.5}}, start, {.common = {.step = 1e-3}}));
  fall(PaoliSchatzman(ledge, {{0.5}}, start, {.step = 1e-3}));
  fall(NewmarkImpacts(ledge, {{0.5}}, start, {.common = {.step = 1e-3}}));
  // Thrown up from below, beyond and then under the ledge: it does not exist from there.
  const MotionState below{Eigen::Vector2d(1.2, -1.0), Eigen::Vector2d(-1.0, 3.0)};
  const auto under = [&](auto stepper) {
    march(stepper, 1.0);
    EXPECT_NEAR(stepper.position()[1], -1.0 + 3.0 - 5.0, 1e-9);
    EXPECT_EQ(stepper.ledger().dissipated(), 0.0);
  };
  under(MoreauJean(ledge, {{0.5}}, below, {.common = {.step = 1e-3}}));
  under(PaoliSchatzman(ledge, {{0.5}}, below, {.step = 1e-3}));
  under(NewmarkImpacts(ledge, {{0.5}}, below, {.common = {.step = 1e-3}}));
}

/// Two bodies on a line: velocities after the impact by momentum and restitution.
TEST(Pair, BouncesAsMomentumAndRestitutionSay) {
  const Pair pair{.mass_a = 0.3, .mass_b = 0.5, .velocity_a = 2.0, .velocity_b = -1.0, .gap = 0.01};
  const double e = 0.4, centre = (0.3 * 2.0 - 0.5) / 0.8;
  const auto check = [&](auto stepper) {
    march(stepper, 0.1);
    EXPECT_NEAR(pair.velocity_a_of(stepper.velocity()), centre - e * (2.0 - centre), 1e-12);
    EXPECT_NEAR(pair.velocity_b_of(stepper.velocity()), centre + e * (centre + 1.0), 1e-12);
    EXPECT_NEAR(stepper.ledger().initial(), 0.5 * 0.3 * 4.0 + 0.5 * 0.5, 1e-15);
    EXPECT_NEAR(stepper.ledger().dissipated(), 0.5 * (0.15 / 0.8) * 9.0 * (1 - e * e), 1e-12);
  };
  check(MoreauJean(pair, {{e}}, pair.start(), {.common = {.step = 1e-4}}));
  check(PaoliSchatzman(pair, {{e}}, pair.start(), {.step = 1e-4}));
  check(NewmarkImpacts(pair, {{e}}, pair.start(), {.common = {.step = 1e-4}}));
}

}  // namespace
}  // namespace carom
