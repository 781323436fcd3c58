#include <cmath>
#include <limits>
#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/nonsmooth/lcp.hpp>

namespace carom {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Problem {
  MatrixXd M;
  VectorXd q;
};

MatrixXd random_matrix(std::mt19937_64& random, int rows, int columns) {
  std::normal_distribution<double> normal;
  return MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

/// M = A A^T of the given rank plus `ridge` on the diagonal; q in the range of [I, -M], so that a
/// solution exists also for singular M.
Problem random_problem(std::mt19937_64& random, int n, int rank, double ridge) {
  const MatrixXd A = random_matrix(random, n, rank);
  const MatrixXd M = A * A.transpose() + ridge * MatrixXd::Identity(n, n);
  VectorXd z = VectorXd::Zero(n), w = VectorXd::Zero(n);
  for (int i = 0; i < n; ++i) {
    const double size = std::abs(random_matrix(random, 1, 1)(0, 0));
    ((random() & 1U) != 0 ? z : w)[i] = size;
  }
  return {M, w - M * z};
}

/// All 2^n active sets by brute force: the answer by definition, for symmetric positive definite M
/// the only one.
VectorXd by_enumeration(const Problem& problem) {
  const int n = static_cast<int>(problem.q.size());
  VectorXd best;
  double best_residual = std::numeric_limits<double>::infinity();
  for (unsigned set = 0; set < (1U << n); ++set) {
    std::vector<int> active;
    for (int i = 0; i < n; ++i) {
      if ((set >> i & 1U) != 0) active.push_back(i);
    }
    VectorXd z = VectorXd::Zero(n);
    if (!active.empty()) {
      const VectorXd part = problem.M(active, active).fullPivLu().solve(-problem.q(active));
      z(active) = part;
    }
    const double residual = lcp_residual(problem.M, problem.q, z);
    if (residual < best_residual) {
      best_residual = residual;
      best = z;
    }
  }
  return best;
}

LcpResult solve(LcpMethod method, const Problem& problem, VectorXd& z) {
  const int n = static_cast<int>(problem.q.size());
  LcpSolver solver(n, {.method = method});
  z = VectorXd::Zero(n);
  return solver.solve(problem.M, problem.q, z);
}

TEST(Lcp, EveryMethodFindsTheOnlySolutionOfEnumeration) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 1 + trial % 8;
    const Problem problem = random_problem(random, n, n, 0.1);
    const VectorXd expected = by_enumeration(problem);
    for (const LcpMethod method :
         {LcpMethod::automatic, LcpMethod::lemke, LcpMethod::gauss_seidel, LcpMethod::newton}) {
      VectorXd z;
      const LcpResult result = solve(method, problem, z);
      ASSERT_EQ(result.status, LcpStatus::solved) << trial << " " << static_cast<int>(method);
      // Residual 1e-12 of the scaled problem times its condition, which stays below 1e3 here.
      EXPECT_LT((z - expected).norm(), 1e-8 * (1 + expected.norm())) << trial;
    }
  }
}

TEST(Lcp, LargerPositiveDefiniteProblemsAreSolvedToTheirResidual) {
  std::mt19937_64 random(2);
  for (const int n : {12, 30, 80}) {
    for (int trial = 0; trial < 5; ++trial) {
      const Problem problem = random_problem(random, n, n, 1.0);
      for (const LcpMethod method : {LcpMethod::automatic, LcpMethod::lemke}) {
        VectorXd z;
        const LcpResult result = solve(method, problem, z);
        ASSERT_EQ(result.status, LcpStatus::solved) << n << " " << result.residual;
        EXPECT_LT(lcp_residual(problem.M, problem.q, z), 1e-10 * problem.q.cwiseAbs().maxCoeff());
      }
    }
  }
}

/// Redundant contacts: M = G G^T has rank 3 whatever the number of contacts. The impulses are not
/// unique but w = M z + q is.
TEST(Lcp, RedundantContactsAreSolvedAndTheMotionIsUnique) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 4 + trial % 5;
    const Problem problem = random_problem(random, n, 3, 0.0);
    VectorXd by_lemke, by_sweeps;
    const LcpResult lemke = solve(LcpMethod::automatic, problem, by_lemke);
    ASSERT_EQ(lemke.status, LcpStatus::solved) << trial << " residual " << lemke.residual;
    LcpSolver sweeps(
        n, {.method = LcpMethod::gauss_seidel, .tolerance = 1e-10, .max_iterations = 200000});
    by_sweeps.setZero(n);
    const LcpResult swept = sweeps.solve(problem.M, problem.q, by_sweeps);
    ASSERT_EQ(swept.status, LcpStatus::solved) << trial << " residual " << swept.residual;
    // Gauss-Seidel stops at 1e-10; a semi-definite problem bounds w by the root of the residual.
    EXPECT_LT((problem.M * (by_lemke - by_sweeps)).norm(), 1e-4 * (1 + problem.q.norm())) << trial;
  }
}

TEST(Lcp, TwoEqualContactsShareTheLoad) {
  const Problem problem{MatrixXd::Ones(2, 2), VectorXd::Constant(2, -3.0)};
  for (const LcpMethod method : {LcpMethod::automatic, LcpMethod::lemke, LcpMethod::gauss_seidel}) {
    VectorXd z;
    ASSERT_EQ(solve(method, problem, z).status, LcpStatus::solved);
    EXPECT_NEAR(z.sum(), 3.0, 1e-12);
    EXPECT_GE(z.minCoeff(), 0.0);
  }
}

/// Murty's example (unit lower triangular, twos below the diagonal, q_i = -(2^n + ... + 2^(n-i)))
/// makes Lemke's method visit 2^n bases; the answer is 2^n times the first unit vector.
TEST(Lcp, MurtysExampleTakesExponentiallyManyPivotsAndIsSolved) {
  constexpr int n = 7;
  Problem problem{MatrixXd::Identity(n, n), VectorXd::Zero(n)};
  for (int i = 0; i < n; ++i) {
    problem.M.row(i).head(i).setConstant(2.0);
    for (int j = n - i; j <= n; ++j) problem.q[i] -= std::pow(2.0, j);
  }
  VectorXd z;
  const LcpResult result = solve(LcpMethod::lemke, problem, z);
  ASSERT_EQ(result.status, LcpStatus::solved) << result.iterations;
  EXPECT_EQ(result.iterations, 1 << n);
  EXPECT_NEAR((z - std::pow(2.0, n) * VectorXd::Unit(n, 0)).norm(), 0.0, 1e-9);
  LcpSolver impatient(n, {.method = LcpMethod::lemke, .max_iterations = 100});
  z.setZero();
  EXPECT_EQ(impatient.solve(problem.M, problem.q, z).status, LcpStatus::iteration_limit);
}

/// Fathi's symmetric positive definite companion of it: M = L L^T.
TEST(Lcp, FathisExampleIsSolvedByEveryMethod) {
  constexpr int n = 6;
  MatrixXd L = MatrixXd::Identity(n, n);
  for (int i = 0; i < n; ++i) L.row(i).head(i).setConstant(2.0);
  const Problem problem{L * L.transpose(), -VectorXd::Ones(n)};
  for (const LcpMethod method : {LcpMethod::automatic, LcpMethod::lemke}) {
    VectorXd z;
    ASSERT_EQ(solve(method, problem, z).status, LcpStatus::solved);
    EXPECT_LT((z - VectorXd::Unit(n, 0)).norm(), 1e-12);
  }
}

/// Many zero right-hand sides: every pivot is degenerate.
TEST(Lcp, DegenerateProblemsDoNotCycle) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 40; ++trial) {
    Problem problem = random_problem(random, 8, 8, 0.1);
    for (int i = 0; i < 8; ++i) {
      if (i != trial % 8) problem.q[i] = 0.0;
    }
    problem.q[trial % 8] = -1.0;
    VectorXd z;
    const LcpResult result = solve(LcpMethod::lemke, problem, z);
    ASSERT_EQ(result.status, LcpStatus::solved) << trial;
    EXPECT_LT(lcp_residual(problem.M, problem.q, z), 1e-12);
  }
}

TEST(Lcp, WithoutSolutionEndsOnARay) {
  MatrixXd M(2, 2);
  M << 1, -1, -1, 1;  // w1 + w2 = q1 + q2 < 0 for every z
  VectorXd z;
  EXPECT_EQ(solve(LcpMethod::lemke, {M, VectorXd::Constant(2, -1.0)}, z).status,
            LcpStatus::ray_termination);
  EXPECT_EQ(solve(LcpMethod::automatic, {M, VectorXd::Constant(2, -1.0)}, z).status,
            LcpStatus::ray_termination);
}

TEST(Lcp, ScalesFromMicrogramsToShips) {
  std::mt19937_64 random(5);
  for (const double scale : {1e-12, 1.0, 1e12}) {
    Problem problem = random_problem(random, 5, 5, 0.1);
    problem.M *= scale;
    problem.q *= 1e-6;
    VectorXd z;
    const LcpResult result = solve(LcpMethod::automatic, problem, z);
    ASSERT_EQ(result.status, LcpStatus::solved);
    EXPECT_LT(result.residual, 1e-12);
  }
}

TEST(Lcp, OneContactIsItsClosedForm) {
  VectorXd z = VectorXd::Zero(1);
  LcpSolver solver(1);
  ASSERT_EQ(solver.solve(MatrixXd::Constant(1, 1, 4.0), VectorXd::Constant(1, -2.0), z).status,
            LcpStatus::solved);
  EXPECT_EQ(z[0], 0.5);
  ASSERT_EQ(solver.solve(MatrixXd::Constant(1, 1, 4.0), VectorXd::Constant(1, 2.0), z).status,
            LcpStatus::solved);
  EXPECT_EQ(z[0], 0.0);
}

TEST(Lcp, NotANumberIsAStatusAndBadSettingsAreRefused) {
  VectorXd z = VectorXd::Ones(2);
  LcpSolver solver(2);
  const VectorXd q = VectorXd::Constant(2, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(solver.solve(MatrixXd::Identity(2, 2), q, z).status, LcpStatus::not_finite);
  EXPECT_EQ(z.norm(), 0.0);
  EXPECT_THROW(LcpSolver(2, {.tolerance = 0.0}), InvalidInput);
  EXPECT_THROW(LcpSolver(-1), InvalidInput);
}

TEST(Lcp, WhatOverflowsIsNotCalledSolved) {
  struct Case {
    double m, q;
  };
  for (const auto& [m, q] :
       {Case{1e-308, 1e308}, {1e-300, 1e308}, {1e-154, -1e308}, {1e-320, -1.0}}) {
    for (const LcpMethod method : {LcpMethod::automatic, LcpMethod::lemke, LcpMethod::gauss_seidel,
                                   LcpMethod::newton, LcpMethod::closed_form}) {
      const Eigen::MatrixXd matrix = Eigen::MatrixXd::Constant(1, 1, m);
      const Eigen::VectorXd vector = Eigen::VectorXd::Constant(1, q);
      Eigen::VectorXd z = Eigen::VectorXd::Zero(1);
      const LcpResult result = LcpSolver(1, {.method = method}).solve(matrix, vector, z);
      EXPECT_TRUE(std::isfinite(z[0])) << m << " " << q;
      if (result.status == LcpStatus::solved) {
        EXPECT_LE(result.residual, 1e-12) << m << " " << q;
      }
    }
  }
}

}  // namespace
}  // namespace carom
