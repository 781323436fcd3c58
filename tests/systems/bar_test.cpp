#include <cmath>
#include <numbers>
#include <random>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include <carom/core/cholesky.hpp>
#include <carom/core/error.hpp>
#include <carom/systems/bar_pairs.hpp>
#include <carom/systems/bar_spiral.hpp>
#include <carom/systems/dense_dynamics.hpp>

#include "data.hpp"

namespace carom {
namespace {

template <class Bar>
struct Model;
template <>
struct Model<BarSpiral> {
  static constexpr const char* name = "model1";
  static constexpr int number = 1;
};
template <>
struct Model<BarPairs> {
  static constexpr const char* name = "model2";
  static constexpr int number = 2;
};

Eigen::VectorXd vector_of(const nlohmann::json& values) {
  Eigen::VectorXd v(static_cast<Eigen::Index>(values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) v[static_cast<Eigen::Index>(i)] = values[i];
  return v;
}

template <class Bar>
Bar sample_bar(const nlohmann::json& par) {
  return Bar(BarParameters{.segments = 3,
                           .half_length = par[0],
                           .radius = par[1],
                           .mass = par[2],
                           .tip_mass = par[3],
                           .inertia = par[4],
                           .tip_inertia = par[5],
                           .stiffness = par[6],
                           .bending = par[7],
                           .offset = par[8],
                           .gravity = par[9]});
}

/// A bent, stretched and moving bar.
template <class Bar>
MotionState random_motion(const Bar& bar, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const int n = bar.parameters().segments;
  MotionState state = bar.at({.angle = 1.0 + unit(random), .height = 0.05, .speed = 1.0});
  for (int i = 0; i < n; ++i) {
    state.q[2 + i] += 0.2 * unit(random);
    state.q[2 + n + i] += 0.05 * bar.parameters().half_length * unit(random);
    state.v[2 + i] = 30 * unit(random);
    state.v[2 + n + i] = unit(random);
  }
  state.v[0] = unit(random);
  return state;
}

template <class Bar>
class Bars : public testing::Test {};
using BothModels = testing::Types<BarSpiral, BarPairs>;
TYPED_TEST_SUITE(Bars, BothModels);

TYPED_TEST(Bars, MassMatrixAndForcesEqualTheReferenceSamples) {
  const nlohmann::json sample =
      support::reference("impacting_bar.json")["lagrangian_samples"][Model<TypeParam>::name];
  const TypeParam bar = sample_bar<TypeParam>(sample["par"]);
  const Eigen::VectorXd q = vector_of(sample["q"]), w = vector_of(sample["w"]);
  const Eigen::VectorXd f_ref = vector_of(sample["f"]), m_ref = vector_of(sample["M"]);
  Eigen::MatrixXd M(8, 8);
  bar.mass_matrix(q, M);
  Eigen::VectorXd f(8), fast(8);
  bar.force(0.0, q, w, f);
  DynamicsOf<TypeParam> dynamics(bar);
  dynamics.set_position(q);
  dynamics.residual(0.0, w, Eigen::VectorXd::Zero(8), fast);
  for (int i = 0; i < 8; ++i) {
    // Relative to the largest term that enters an entry: 30 rad/s squared, springs of 1e6 N.
    const double scale = i < 2 || i > 4 ? std::max(1.0, std::abs(f_ref[i])) : 300.0;
    EXPECT_NEAR(f[i], f_ref[i], 1e-13 * scale) << i;
    EXPECT_NEAR(fast[i], f_ref[i], 1e-13 * scale) << i;
    for (int j = 0; j < 8; ++j) EXPECT_NEAR(M(i, j), m_ref[8 * i + j], 1e-13) << i << " " << j;
  }
}

TYPED_TEST(Bars, ChainSolveEqualsDenseAlgebra) {
  std::mt19937_64 random(1);
  for (const int n : {2, 3, 9, 30}) {
    const TypeParam bar(BarSettings{.segments = n});
    const MotionState state = random_motion(bar, random);
    DynamicsOf<TypeParam> fast(bar);
    DenseDynamics<TypeParam> dense(bar);
    const int size = bar.coordinates();
    Eigen::VectorXd a = Eigen::VectorXd::Random(size), r1(size), r2(size), x1(size), x2(size);
    fast.set_position(state.q);
    dense.set_position(state.q);
    fast.residual(0.0, state.v, a, r1);
    dense.residual(0.0, state.v, a, r2);
    EXPECT_LT((r1 - r2).norm(), 1e-12 * r2.norm()) << n;
    ASSERT_TRUE(fast.factor());
    ASSERT_TRUE(dense.factor());
    fast.solve(r2, x1);
    dense.solve(r2, x2);
    Eigen::MatrixXd M(size, size);
    bar.mass_matrix(state.q, M);
    // In the norm of the kinetic energy, where the conditioning of M does not enter.
    const Eigen::VectorXd difference = x1 - x2;
    EXPECT_LT(std::sqrt(difference.dot(M * difference) / x2.dot(M * x2)), 1e-11) << n;
    EXPECT_NEAR(fast.kinetic_energy(state.v), 0.5 * state.v.dot(M * state.v),
                1e-13 * state.v.dot(M * state.v));
  }
}

/// At n = 200 the naive recursion has no digit left; here M x = r is met backward stably.
TYPED_TEST(Bars, ChainSolveKeepsItsDigitsInLongChains) {
  std::mt19937_64 random(2);
  const TypeParam bar(BarSettings{.segments = 200});
  const MotionState state = random_motion(bar, random);
  DynamicsOf<TypeParam> fast(bar);
  fast.set_position(state.q);
  ASSERT_TRUE(fast.factor());
  const int size = bar.coordinates();
  Eigen::MatrixXd M(size, size);
  bar.mass_matrix(state.q, M);
  Eigen::MatrixXd factor = M;
  ASSERT_TRUE(factor_cholesky(factor));
  const Eigen::VectorXd r = Eigen::VectorXd::Unit(size, 1);
  Eigen::VectorXd x(size);
  fast.solve(r, x);
  Eigen::VectorXd dense = r;
  solve_cholesky(factor, dense);
  const double ours = (M * x - r).norm(), theirs = (M * dense - r).norm();
  EXPECT_LT(ours, 10 * theirs + 1e-13) << "dense Cholesky leaves " << theirs;
  EXPECT_NEAR(x[1], dense[1], 1e-7 * dense[1]);
}

TYPED_TEST(Bars, ShiftedSolveContractsTheStiffPart) {
  // (M + shift K') x = r with any K' >= 0 is still solved for a symmetric positive matrix: x.r > 0
  // and no larger than without the shift.
  const TypeParam bar;
  std::mt19937_64 random(3);
  const MotionState state = random_motion(bar, random);
  DynamicsOf<TypeParam> fast(bar);
  fast.set_position(state.q);
  const Eigen::VectorXd r = Eigen::VectorXd::Random(bar.coordinates());
  Eigen::VectorXd x(bar.coordinates());
  ASSERT_TRUE(fast.factor());
  fast.solve(r, x);
  const double free = x.dot(r);
  ASSERT_TRUE(fast.factor(1e-14));
  fast.solve(r, x);
  EXPECT_GT(x.dot(r), 0.0);
  EXPECT_LE(x.dot(r), free * (1 + 1e-12));
}

TYPED_TEST(Bars, ForceAtRestIsTheSlopeOfThePotential) {
  std::mt19937_64 random(4);
  const TypeParam bar(BarSettings{.segments = 4});
  MotionState state = random_motion(bar, random);
  Eigen::VectorXd f(bar.coordinates());
  bar.force(0.0, state.q, Eigen::VectorXd::Zero(bar.coordinates()), f);
  for (int i = 0; i < bar.coordinates(); ++i) {
    const double h = 1e-7;
    Eigen::VectorXd up = state.q, down = state.q;
    up[i] += h;
    down[i] -= h;
    const double slope = (bar.potential_energy(up) - bar.potential_energy(down)) / (2 * h);
    // Rounding of U (1e3 J) over 2h.
    EXPECT_NEAR(-slope, f[i], 1e-6 * std::abs(f[i]) + 1e-3) << i;
  }
}

/// W_exp of the four angles of Tables 3 and 5 to the seven printed digits.
TYPED_TEST(Bars, InitialEnergyIsThatOfTheTables) {
  const nlohmann::json expected = support::reference("impacting_bar.json")["W_exp_event_driven"];
  const TypeParam bar;
  for (const auto& [degrees, energy] : expected.items()) {
    const MotionState state = bar.at({.angle = std::stod(degrees) * std::numbers::pi / 180});
    DynamicsOf<TypeParam> dynamics(bar);
    dynamics.set_position(state.q);
    EXPECT_NEAR(dynamics.kinetic_energy(state.v) + dynamics.potential_energy(),
                energy.template get<double>(), 1e-14);
  }
}

TYPED_TEST(Bars, EigenfrequenciesEqualTheReference) {
  const nlohmann::json reference = support::reference("impacting_bar.json");
  ASSERT_GT(reference["eigenfrequencies"].size(), 20U);
  for (const auto& entry : reference["eigenfrequencies"]) {
    if (entry["model"] != Model<TypeParam>::number) continue;
    const TypeParam bar(BarSettings{.segments = entry["n"]});
    const BarModes modes = bar.modes(1.0);
    const double to_hertz = 1 / (2 * std::numbers::pi);
    // The reference is printed with one decimal; omega_max with four.
    EXPECT_NEAR(modes.frequencies[modes.bending(0)] * to_hertz, entry["bend1"], 0.06) << entry;
    EXPECT_NEAR(modes.frequencies[modes.axial(0)] * to_hertz, entry["long1"], 0.06) << entry;
    EXPECT_NEAR(modes.frequencies.maxCoeff(), entry["omega_max"],
                1e-4 * entry["omega_max"].template get<double>());
  }
}

/// With the limit stiffness the frequencies tend to those of a free-free Euler-Bernoulli beam,
/// beta l = 4.73004, and of a free-free rod, c/(2 l). The hemisphere counts as length R less a
/// third in mass, hence about 1 %.
TYPED_TEST(Bars, EigenfrequenciesTendToTheContinuousBar) {
  const BarSettings s{.stiffness = BarStiffness::limit};
  const double length = s.length - s.radius / 3, c = std::sqrt(s.young / s.density);
  const double bending =
      4.730040744862704 * 4.730040744862704 * c * (s.radius / 2) / (length * length);
  const double axial = std::numbers::pi * c / length;
  double last_bending = 1, last_axial = 1;
  for (const int n : {10, 20, 40}) {
    BarSettings fine = s;
    fine.segments = n;
    const BarModes modes = TypeParam(fine).modes(0.7);
    const double off_bending = std::abs(modes.frequencies[modes.bending(0)] / bending - 1);
    const double off_axial = std::abs(modes.frequencies[modes.axial(0)] / axial - 1);
    // Rotary inertia of the sections (kept by the segments) lowers bending by about 0.5 %.
    EXPECT_LT(off_bending, 0.015) << n;
    EXPECT_LT(off_axial, n == 10 ? 0.05 : 0.02) << n;
    EXPECT_LT(off_axial, last_axial + 1e-3) << n;
    last_bending = off_bending;
    last_axial = off_axial;
  }
  EXPECT_LT(last_bending, 0.01);
}

TYPED_TEST(Bars, ExcitationHasTheEnergyAskedFor) {
  const TypeParam bar(BarSettings{.gravity = 0.0});
  const BarModes modes = bar.modes(1.0);
  const int k = modes.bending(0);
  for (const double phase : {0.0, 0.7, 1.5707963267948966, 3.0}) {
    MotionState state = bar.at({.angle = 1.0, .speed = 0.0});
    const double energy = 1e-7;  // small: the springs are linear only for small bends
    excite(state, modes.shapes.col(k), modes.frequencies[k], energy, phase);
    DynamicsOf<TypeParam> dynamics(bar);
    dynamics.set_position(state.q);
    EXPECT_NEAR(dynamics.kinetic_energy(state.v) + dynamics.potential_energy(), energy,
                1e-3 * energy);
  }
}

TEST(Bar, RefusesNonsense) {
  EXPECT_THROW(BarPairs(BarSettings{.segments = 1}), InvalidInput);
  EXPECT_THROW(BarPairs(BarSettings{.length = 0.001}), InvalidInput);
  EXPECT_THROW(BarSpiral(BarSettings{.density = -1}), InvalidInput);
  EXPECT_THROW(BarSpiral(BarSettings{.young = std::nan("")}), InvalidInput);
}

}  // namespace
}  // namespace carom
