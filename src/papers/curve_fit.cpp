#include "curve_fit.hpp"

#include <cmath>

#include <carom/core/least_squares.hpp>

namespace carom {
namespace {

CurveFit fit_weighted(const CurveResiduals& residuals, const Eigen::VectorXd& roots,
                      const std::vector<double>& start) {
  const auto at = [&](const Eigen::VectorXd& parameters, Eigen::VectorXd& values) {
    residuals({parameters.data(), std::size_t(parameters.size())},
              {values.data(), std::size_t(values.size())});
  };
  const LeastSquaresFit fit = least_squares(
      [&](const Eigen::VectorXd& parameters, Eigen::VectorXd& values) {
        at(parameters, values);
        values = values.cwiseProduct(roots);
      },
      int(roots.size()),
      Eigen::Map<const Eigen::VectorXd>(start.data(), Eigen::Index(start.size())),
      {.max_evaluations = 4000});
  Eigen::VectorXd last(roots.size());
  at(fit.parameters, last);
  return {.parameters = {fit.parameters.begin(), fit.parameters.end()},
          .rms = std::sqrt(last.squaredNorm() / double(last.size())),
          .largest = last.cwiseAbs().maxCoeff(),
          .converged = fit.converged};
}

}  // namespace

CurveFit fit_least_squares(const CurveResiduals& residuals, std::size_t count,
                           const std::vector<double>& start) {
  return fit_weighted(residuals, Eigen::VectorXd::Ones(Eigen::Index(count)), start);
}

CurveFit fit_minimax(const CurveResiduals& residuals, std::size_t count, std::vector<double> start,
                     int rounds) {
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(Eigen::Index(count)), values(weights.size());
  CurveFit best = fit_weighted(residuals, weights, start);
  for (int round = 0; round < rounds; ++round) {
    const CurveFit fit = fit_weighted(residuals, weights.cwiseSqrt(), start);
    if (fit.largest < best.largest) best = fit;
    start = fit.parameters;
    residuals(start, {values.data(), count});
    weights = weights.cwiseProduct(values.cwiseAbs());
    weights *= double(count) / weights.sum();
  }
  return best;
}

}  // namespace carom
