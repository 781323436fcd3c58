#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <carom/core/least_squares.hpp>

namespace carom {
namespace {

using Eigen::VectorXd;

// Misra1a of NIST's Statistical Reference Datasets (nonlinear regression, lower difficulty), with
// its certified results.
constexpr double misra_y[] = {10.07, 14.73, 17.94, 23.93, 29.61, 35.18, 40.02,
                              44.82, 50.76, 55.05, 61.01, 66.40, 75.47, 81.78};
constexpr double misra_x[] = {77.6,  114.9, 141.1, 190.8, 239.9, 289.0, 332.8,
                              378.4, 434.8, 477.3, 536.8, 593.1, 689.1, 760.0};

void misra(const VectorXd& b, VectorXd& r) {
  for (int i = 0; i < 14; ++i) r[i] = misra_y[i] + b[0] * std::expm1(-b[1] * misra_x[i]);
}

// Differences over 1.5e-8 of a parameter leave nine digits of it and seven of its deviation.
TEST(LeastSquares, FindsTheCertifiedFitOfMisra1a) {
  for (const VectorXd& start : {VectorXd{{500, 1e-4}}, VectorXd{{250, 5e-4}}}) {
    const LeastSquaresFit fit = least_squares(misra, 14, start);
    ASSERT_TRUE(fit.converged);
    EXPECT_NEAR(fit.parameters[0], 2.3894212918e2, 4e-7);
    EXPECT_NEAR(fit.parameters[1], 5.5015643181e-4, 1e-12);
    EXPECT_NEAR(fit.norm * fit.norm, 1.2455138894e-1, 1e-11);
    const Eigen::MatrixXd spread = covariance(misra, 14, fit.parameters);
    const double residual = fit.norm / std::sqrt(14 - 2);
    EXPECT_NEAR(residual * std::sqrt(spread(0, 0)), 2.7070075241, 3e-7);
    EXPECT_NEAR(residual * std::sqrt(spread(1, 1)), 7.2668688436e-6, 7e-13);
  }
}

// Rosenbrock's valley from its usual start: the residual vanishes at (1, 1).
TEST(LeastSquares, FollowsACurvedValleyToItsEnd) {
  const auto valley = [](const VectorXd& p, VectorXd& r) {
    r[0] = 10 * (p[1] - p[0] * p[0]);
    r[1] = 1 - p[0];
  };
  const LeastSquaresFit fit = least_squares(valley, 2, VectorXd{{-1.2, 1}});
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.parameters[0], 1, 1e-12);
  EXPECT_NEAR(fit.parameters[1], 1, 1e-12);
}

TEST(LeastSquares, StepsBackWhereResidualsAreNotFinite) {
  // The full first step would leave the domain of the logarithm.
  const auto f = [](const VectorXd& p, VectorXd& r) { r[0] = std::log(p[0]); };
  const LeastSquaresFit fit = least_squares(f, 1, VectorXd{{5}});
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.parameters[0], 1, 1e-12);
  EXPECT_FALSE(least_squares(f, 1, VectorXd{{-1}}).converged);
}

TEST(LeastSquares, ParameterWithoutEffectStaysAndIsReportedAsUnknown) {
  const auto f = [](const VectorXd& p, VectorXd& r) {
    r[0] = p[0] - 3;
    r[1] = 2 * (p[0] - 3);
  };
  const LeastSquaresFit fit = least_squares(f, 2, VectorXd{{1, 7}});
  EXPECT_TRUE(fit.converged);
  EXPECT_NEAR(fit.parameters[0], 3, 1e-12);
  EXPECT_EQ(fit.parameters[1], 7);
  EXPECT_GT(covariance(f, 2, fit.parameters)(1, 1), 1e20);
}

TEST(LeastSquares, GivesUpWhenEvaluationsRunOut) {
  EXPECT_FALSE(least_squares(misra, 14, VectorXd{{500, 1e-4}}, {.max_evaluations = 10}).converged);
}

// 97.5 % points of Student's t from scipy.stats.t.ppf.
TEST(HalfWidth, UsesStudentsFactor) {
  const auto first = [](const VectorXd& p) { return p[0]; };
  const auto factor = [&](int freedom) {
    return half_width(first, VectorXd{{1}}, Eigen::MatrixXd::Identity(1, 1), 1, freedom);
  };
  const std::pair<int, double> known[] = {
      {1, 12.70620473643},    {2, 4.302652729911},     {3, 3.182446305284},    {4, 2.776445105198},
      {5, 2.570581836615},    {10, 2.228138851965},    {31, 2.039513446396},   {100, 1.98397151845},
      {1001, 1.962336705281}, {20000, 1.960082605158}, {0, 1.9599639845400545}};
  for (const auto& [freedom, t] : known) EXPECT_NEAR(factor(freedom), t, 1e-9) << freedom;
}

}  // namespace
}  // namespace carom
