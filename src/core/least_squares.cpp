#include <cmath>

#include <boost/math/distributions/students_t.hpp>
#include <unsupported/Eigen/NonLinearOptimization>
#include <unsupported/Eigen/NumericalDiff>

#include <carom/core/least_squares.hpp>

namespace carom {
namespace {

/// The face that Eigen asks for.
class Problem {
 public:
  using Scalar = double;
  using InputType = Eigen::VectorXd;
  using ValueType = Eigen::VectorXd;
  using JacobianType = Eigen::MatrixXd;
  static constexpr int InputsAtCompileTime = Eigen::Dynamic;
  static constexpr int ValuesAtCompileTime = Eigen::Dynamic;

  Problem(const Residuals& residuals, int inputs, int values)
      : residuals_(&residuals), inputs_(inputs), values_(values) {}

  int inputs() const { return inputs_; }
  int values() const { return values_; }
  int operator()(const Eigen::VectorXd& p, Eigen::VectorXd& misfit) const {
    (*residuals_)(p, misfit);
    return misfit.allFinite() ? 0 : -1;
  }

 private:
  const Residuals* residuals_;
  int inputs_, values_;
};

using Differences = Eigen::NumericalDiff<Problem, Eigen::Central>;

}  // namespace

LeastSquaresFit least_squares(const Residuals& residuals, int values, const Eigen::VectorXd& start,
                              int most_evaluations) {
  Differences function(Problem(residuals, static_cast<int>(start.size()), values));
  Eigen::LevenbergMarquardt<Differences> solver(function);
  solver.parameters.ftol = solver.parameters.xtol = 1e-14;
  solver.parameters.maxfev = most_evaluations;
  LeastSquaresFit fit{start, 0, false};
  const auto status = solver.minimize(fit.parameters);
  fit.norm = solver.fvec.norm();
  using namespace Eigen::LevenbergMarquardtSpace;
  fit.converged = status != ImproperInputParameters && status != UserAsked &&
                  status != TooManyFunctionEvaluation;
  return fit;
}

Eigen::MatrixXd covariance(const Residuals& residuals, int values, const Eigen::VectorXd& p) {
  const Differences function(Problem(residuals, static_cast<int>(p.size()), values));
  Eigen::MatrixXd jacobian(values, p.size());
  function.df(p, jacobian);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(jacobian);
  Eigen::MatrixXd r = qr.matrixR().topLeftCorner(p.size(), p.size());
  // A parameter that the data do not determine gets a huge variance, not a division by zero.
  const double least = 1e-14 * std::abs(r(0, 0));
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    if (std::abs(r(i, i)) < least) r(i, i) = least;
  }
  const Eigen::MatrixXd inverse =
      r.triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(p.size(), p.size()));
  const Eigen::MatrixXd half = qr.colsPermutation() * inverse;
  return half * half.transpose();
}

double half_width(const std::function<double(const Eigen::VectorXd&)>& value,
                  const Eigen::VectorXd& p, const Eigen::MatrixXd& covariance, double scale,
                  int freedom) {
  constexpr double step = 1e-5;
  Eigen::VectorXd slope(p.size());
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    Eigen::VectorXd high = p, low = p;
    high[i] += step;
    low[i] -= step;
    slope[i] = (value(high) - value(low)) / (2 * step);
  }
  const double normal = 1.9599639845400545;  // 97.5 % point
  const double quantile =
      freedom > 0 ? boost::math::quantile(boost::math::students_t(freedom), 0.975) : normal;
  return quantile * scale * std::sqrt(slope.dot(covariance * slope));
}

}  // namespace carom
