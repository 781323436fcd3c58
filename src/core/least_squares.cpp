#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <unsupported/Eigen/LevenbergMarquardt>
#include <unsupported/Eigen/NumericalDiff>

#include <carom/core/least_squares.hpp>

namespace carom {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

/// As Eigen's method takes them. It wants at least as many residuals as parameters: zeros are
/// added.
struct Problem : Eigen::DenseFunctor<double> {
  Problem(const Residuals& residuals, int count, Index parameters)
      : DenseFunctor(static_cast<int>(parameters), std::max(count, static_cast<int>(parameters))),
        residuals_(&residuals),
        found_(count) {}

  int operator()(const VectorXd& p, VectorXd& misfit) const {
    (*residuals_)(p, found_);
    misfit.setZero();
    misfit.head(found_.size()) = found_;
    return 0;
  }

 private:
  const Residuals* residuals_;
  mutable VectorXd found_;
};

/// Central differences with a step of sqrt(epsilon), far below the one that balances truncation and
/// rounding: a parameter mirrored at its bound has a kink there, and a wide step would straddle it.
using Differences = Eigen::NumericalDiff<Problem, Eigen::Central>;

struct Differentiated : Differences {
  Differentiated(const Problem& problem, int count, const Slopes* slopes = nullptr)
      : Differences(problem), slopes_(slopes), found_(count, problem.inputs()) {}

  int df(const VectorXd& p, MatrixXd& jacobian) const {
    if (slopes_ == nullptr || !*slopes_) return Differences::df(p, jacobian);
    (*slopes_)(p, found_);
    jacobian.setZero();
    jacobian.topRows(found_.rows()) = found_;
    return 0;
  }

 private:
  const Slopes* slopes_;
  mutable MatrixXd found_;
};

/// How many standard deviations hold 95 %.
template <class Distribution>
double two_sided_factor(const Distribution& distribution) {
  return boost::math::quantile(boost::math::complement(distribution, 0.025));
}

}  // namespace

LeastSquaresFit least_squares(const Residuals& residuals, int values, const VectorXd& start,
                              const LeastSquaresSettings& settings) {
  Differentiated problem(Problem(residuals, values, start.size()), values, &settings.slopes);
  LeastSquaresFit fit{start, 0, false};
  VectorXd misfit(problem.values());
  problem(start, misfit);
  fit.norm = misfit.norm();
  if (!std::isfinite(fit.norm)) return fit;
  Eigen::LevenbergMarquardt<Differentiated> method(problem);
  method.setFtol(settings.tolerance);
  method.setXtol(settings.tolerance);
  method.setMaxfev(settings.max_evaluations);
  const Eigen::LevenbergMarquardtSpace::Status status = method.minimize(fit.parameters);
  fit.norm = method.fnorm();
  using namespace Eigen::LevenbergMarquardtSpace;
  fit.converged = status == RelativeReductionTooSmall || status == RelativeErrorTooSmall ||
                  status == RelativeErrorAndReductionTooSmall || status == CosinusTooSmall ||
                  status == FtolTooSmall || status == XtolTooSmall || status == GtolTooSmall;
  return fit;
}

VectorXd linear_fit(const MatrixXd& a, const VectorXd& b) {
  return a.colPivHouseholderQr().solve(b);
}

MatrixXd covariance(const Residuals& residuals, int values, const VectorXd& p) {
  const Differentiated problem(Problem(residuals, values, p.size()), values);
  MatrixXd jacobian(problem.values(), p.size());
  problem.df(p, jacobian);
  MatrixXd triangle = jacobian.householderQr().matrixQR().topRows(p.size());
  // A parameter that the data do not determine gets a huge variance, not a division by zero.
  const double least = 1e-14 * triangle.diagonal().cwiseAbs().maxCoeff();
  for (Index i = 0; i < p.size(); ++i) {
    if (std::abs(triangle(i, i)) < least) triangle(i, i) = least;
  }
  const MatrixXd inverse =
      triangle.triangularView<Eigen::Upper>().solve(MatrixXd::Identity(p.size(), p.size()));
  return inverse * inverse.transpose();
}

double half_width(const std::function<double(const VectorXd&)>& value, const VectorXd& p,
                  const MatrixXd& covariance, double scale, int freedom) {
  constexpr double step = 1e-5;
  VectorXd slope(p.size());
  for (Index i = 0; i < p.size(); ++i) {
    VectorXd high = p, low = p;
    high[i] += step;
    low[i] -= step;
    slope[i] = (value(high) - value(low)) / (2 * step);
  }
  const double factor = freedom > 0 ? two_sided_factor(boost::math::students_t(freedom))
                                    : two_sided_factor(boost::math::normal());
  return factor * scale * std::sqrt(slope.dot(covariance * slope));
}

}  // namespace carom
