#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include <carom/nonsmooth/block_pivoting.hpp>

namespace {

TEST(BlockPivoting, SolvesRandomPositiveDefiniteProblems) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  carom::BlockPivoting solver(60);
  double factorisations = 0;
  const int cases = 2000;
  for (int n_case = 0; n_case < cases; ++n_case) {
    const int n = 1 + static_cast<int>(random() % 60);
    Eigen::MatrixXd root(n, n);
    Eigen::VectorXd q(n), z(n);
    for (double& value : root.reshaped()) value = normal(random);
    for (double& value : q) value = normal(random);
    const Eigen::MatrixXd m = root * root.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n);
    std::vector<int> rows(static_cast<std::size_t>(n));
    std::iota(rows.begin(), rows.end(), 0);
    const auto size = static_cast<std::size_t>(n);
    const carom::PivotResult result = solver.solve(m, rows, {q.data(), size}, {z.data(), size});
    ASSERT_EQ(result.status, carom::PivotStatus::solved) << "case " << n_case;
    factorisations += result.factorisations;
    const Eigen::VectorXd w = m * z + q;
    // The definition of the problem; the matrices have condition numbers up to about 1e4.
    ASSERT_LT((z.cwiseMin(w)).cwiseAbs().maxCoeff(), 1e-10) << "case " << n_case;
  }
  EXPECT_LT(factorisations / cases, 12);
}

TEST(BlockPivoting, TakesASubsetOfALargerMatrix) {
  Eigen::Matrix3d m;
  m << 2, 0.5, 1, 0.5, 3, 0.2, 1, 0.2, 2;
  carom::BlockPivoting solver(3);
  const std::vector<int> rows{0, 2};
  const std::vector<double> q{-1, -1};
  std::vector<double> z(2);
  ASSERT_EQ(solver.solve(m, rows, q, z).status, carom::PivotStatus::solved);
  EXPECT_NEAR(z[0], 1.0 / 3, 1e-15);  // [2 1; 1 2] z = (1, 1)
  EXPECT_NEAR(z[1], 1.0 / 3, 1e-15);
}

TEST(BlockPivoting, ReportsAMatrixThatIsNotPositiveDefinite) {
  const Eigen::MatrixXd m = -Eigen::MatrixXd::Identity(2, 2);
  carom::BlockPivoting solver(2);
  const std::vector<int> rows{0, 1};
  const std::vector<double> q{-1, -1};
  std::vector<double> z(2);
  EXPECT_EQ(solver.solve(m, rows, q, z).status, carom::PivotStatus::not_positive_definite);
}

}  // namespace
