#include <cmath>

#include <gtest/gtest.h>

#include <carom/steppers/moreau_jean.hpp>
#include <carom/systems/any_system.hpp>
#include <carom/systems/bar_pairs.hpp>
#include <carom/systems/small_systems.hpp>

namespace carom {
namespace {

static_assert(SystemWithGaps<AnySystem>);
static_assert(std::same_as<DynamicsOf<AnySystem>, AnyDynamics>);

/// A point over a table that moves as a sin(w t), with a damper, a drive and every other optional
/// member.
struct Everything {
  int coordinates() const { return 1; }
  int contacts() const { return 1; }
  void mass_matrix(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& M) const { M(0, 0) = 2.0; }
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const {
    f[0] = std::cos(t) - 3.0 * q[0] - 0.5 * v[0];
  }
  double potential_energy(const Eigen::VectorXd& q) const { return 1.5 * q[0] * q[0]; }
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
    g[0] = q[0] - std::sin(t);
  }
  void gap_gradients(double /*t*/, const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& G) const {
    G(0, 0) = 1.0;
  }
  void gap_rates(double t, const Eigen::VectorXd& /*q*/, Eigen::VectorXd& r) const {
    r[0] = -std::cos(t);
  }
  double dissipation(double /*t*/, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& v) const {
    return 0.5 * v[0] * v[0];
  }
  double power(double t, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& v) const {
    return std::cos(t) * v[0];
  }
  bool can_touch(int /*contact*/, const Eigen::VectorXd& q) const { return q[0] < 1.0; }
  bool two_sided(int /*contact*/) const { return true; }
  void stiffness(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& K) const { K(0, 0) = 3.0; }
};

TEST(AnySystem, PassesOnWhatTheSystemOffers) {
  const AnySystem any(Everything{});
  const double t = 0.7;
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.4), v = Eigen::VectorXd::Constant(1, 2.);
  Eigen::VectorXd x(1);
  Eigen::MatrixXd A(1, 1);
  any.force(t, q, v, x);
  EXPECT_DOUBLE_EQ(x[0], std::cos(0.7) - 1.2 - 1.0);
  any.gaps(t, q, x);
  EXPECT_DOUBLE_EQ(x[0], 0.4 - std::sin(0.7));
  any.gap_rates(t, q, x);
  EXPECT_DOUBLE_EQ(x[0], -std::cos(0.7));
  any.stiffness(q, A);
  EXPECT_EQ(A(0, 0), 3.0);
  EXPECT_EQ(any.dissipation(t, q, v), 2.0);
  EXPECT_DOUBLE_EQ(any.power(t, q, v), 2 * std::cos(0.7));
  EXPECT_TRUE(any.has_gap_rates() && any.has_stiffness() && any.two_sided(0));
  EXPECT_TRUE(any.can_touch(0, q));
  EXPECT_FALSE(any.can_touch(0, v));
}

TEST(AnySystem, FillsInWhatTheSystemLeavesOut) {
  const AnySystem any(BouncingPoint{});
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 0.4), v = Eigen::VectorXd::Constant(1, 2.);
  Eigen::VectorXd r = Eigen::VectorXd::Constant(1, 7.0);
  any.gap_rates(0.0, q, r);
  EXPECT_EQ(r[0], 0.0);
  EXPECT_EQ(any.dissipation(0.0, q, v), 0.0);
  EXPECT_EQ(any.power(0.0, q, v), 0.0);
  EXPECT_TRUE(any.can_touch(0, q));
  EXPECT_FALSE(any.has_gap_rates() || any.has_stiffness() || any.two_sided(0));
}

/// The dynamics come along: a bar behind virtual calls takes the same O(n) path, bit for bit.
TEST(AnySystem, StepsAsTheSystemItself) {
  const BarPairs bar;
  const AnySystem any(bar);
  const MotionState start = bar.at({.angle = 1.2, .height = 0.006355, .speed = 1.0});
  MoreauJean direct(bar, {{0.3}}, start, {.common = {.step = 1e-7}});
  MoreauJean erased(any, {{0.3}}, start, {.common = {.step = 1e-7}});
  march(direct, 3e-5);
  march(erased, 3e-5);
  EXPECT_GT(direct.ledger().dissipated(), 0.0);
  EXPECT_EQ(direct.position(), erased.position());
  EXPECT_EQ(direct.velocity(), erased.velocity());
}

}  // namespace
}  // namespace carom
