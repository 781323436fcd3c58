#include "curve_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Core>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

// The only file of the room that knows Eigen's optimiser.
namespace carom {
namespace {

struct Functor {
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  enum { InputsAtCompileTime = Eigen::Dynamic, ValuesAtCompileTime = Eigen::Dynamic };

  const Residuals& residuals;
  const Eigen::VectorXd& roots;  ///< square roots of the weights
  int input_count;

  int inputs() const { return input_count; }
  int values() const { return int(roots.size()); }
  int operator()(const Eigen::VectorXd& parameters, Eigen::VectorXd& values_out) const {
    residuals({parameters.data(), std::size_t(parameters.size())},
              {values_out.data(), std::size_t(values_out.size())});
    values_out = values_out.cwiseProduct(roots);
    return values_out.allFinite() ? 0 : -1;
  }
};

CurveFit fit_weighted(const Residuals& residuals, const Eigen::VectorXd& roots,
                      const std::vector<double>& start) {
  Eigen::VectorXd parameters =
      Eigen::Map<const Eigen::VectorXd>(start.data(), Eigen::Index(start.size()));
  Eigen::NumericalDiff<Functor, Eigen::Central> functor(
      Functor{residuals, roots, int(start.size())});
  Eigen::LevenbergMarquardt<Eigen::NumericalDiff<Functor, Eigen::Central>> solver(functor);
  solver.parameters.xtol = solver.parameters.ftol = 1e-14;
  solver.parameters.maxfev = 4000;
  const auto status = solver.minimize(parameters);

  Eigen::VectorXd last(roots.size());
  residuals({parameters.data(), std::size_t(parameters.size())},
            {last.data(), std::size_t(last.size())});
  using namespace Eigen::LevenbergMarquardtSpace;
  return {.parameters = {parameters.data(), parameters.data() + parameters.size()},
          .rms = std::sqrt(last.squaredNorm() / double(last.size())),
          .largest = last.cwiseAbs().maxCoeff(),
          .converged = status != ImproperInputParameters && status != UserAsked &&
                       status != TooManyFunctionEvaluation};
}

}  // namespace

CurveFit fit_least_squares(const Residuals& residuals, std::size_t count,
                           std::vector<double> start) {
  return fit_weighted(residuals, Eigen::VectorXd::Ones(Eigen::Index(count)), start);
}

CurveFit fit_minimax(const Residuals& residuals, std::size_t count, std::vector<double> start,
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
