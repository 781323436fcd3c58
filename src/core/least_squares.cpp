#include <algorithm>
#include <cmath>
#include <numbers>

#include <carom/core/least_squares.hpp>

namespace carom {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

/// Householder's way to a triangle: A becomes Q^T A, zero below its diagonal, and b becomes Q^T b.
void triangularise(MatrixXd& a, VectorXd& b) {
  VectorXd mirror;
  const auto reflect = [&](auto&& x) { x -= 2 * mirror.dot(x) / mirror.squaredNorm() * mirror; };
  for (Index k = 0; k < a.cols(); ++k) {
    const Index below = a.rows() - k;
    mirror = a.col(k).tail(below);
    const double norm = mirror.norm();
    if (norm == 0) continue;
    mirror[0] += std::copysign(norm, mirror[0]);
    for (Index j = k; j < a.cols(); ++j) reflect(a.col(j).tail(below));
    reflect(b.tail(below));
  }
}

/// x with R x = b, R the upper triangle of `a`.
VectorXd back_substitute(const MatrixXd& a, const VectorXd& b) {
  VectorXd x = b.head(a.cols());
  for (Index i = a.cols() - 1; i >= 0; --i) {
    x[i] /= a(i, i);
    for (Index j = 0; j < i; ++j) x[j] -= a(j, i) * x[i];
  }
  return x;
}

/// R x, R the upper triangle of `a`.
VectorXd triangle_times(const MatrixXd& a, const VectorXd& x) {
  VectorXd image = VectorXd::Zero(a.cols());
  for (Index i = 0; i < a.cols(); ++i) image.head(i + 1) += x[i] * a.col(i).head(i + 1);
  return image;
}

/// The s for which |R s - b|^2 + damping |D s|^2 is smallest, D = diag(scale).
VectorXd damped_step(const MatrixXd& a, const VectorXd& b, const VectorXd& scale, double damping) {
  const Index n = a.cols();
  MatrixXd stacked = MatrixXd::Zero(2 * n, n);
  VectorXd right = VectorXd::Zero(2 * n);
  right.head(n) = b.head(n);
  for (Index i = 0; i < n; ++i) {
    stacked.col(i).head(i + 1) = a.col(i).head(i + 1);
    // A parameter without any effect stays where it is.
    stacked(n + i, i) = std::sqrt(damping) * (scale[i] > 0 ? scale[i] : 1.0);
  }
  triangularise(stacked, right);
  return back_substitute(stacked, right);
}

/// By central differences. The step is far below the one that balances truncation and rounding: a
/// parameter mirrored at its bound has a kink there, and a wide step would straddle it.
MatrixXd jacobian(const Residuals& residuals, int values, const VectorXd& p) {
  constexpr double relative_step = 1.5e-8;
  MatrixXd result(values, p.size());
  VectorXd high(values), low(values), at = p;
  for (Index i = 0; i < p.size(); ++i) {
    const double step = relative_step * (p[i] != 0 ? std::abs(p[i]) : 1.0);
    at[i] = p[i] + step;
    residuals(at, high);
    at[i] = p[i] - step;
    residuals(at, low);
    at[i] = p[i];
    result.col(i) = (high - low) / (2 * step);
  }
  return result;
}

/// P(|T| < t) of Student's T for whole degrees of freedom: finite sums, 26.7.3 and 26.7.4 of
/// Abramowitz and Stegun.
double central_probability(double t, int freedom) {
  const double angle = std::atan(t / std::sqrt(freedom));
  const double c = std::cos(angle), s = std::sin(angle);
  const bool odd = freedom % 2 == 1;
  double term = odd ? c : 1.0, sum = freedom > 1 ? term : 0.0;
  for (int k = odd ? 3 : 2; k <= freedom - 2; k += 2) {
    term *= c * c * (k - 1) / k;
    sum += term;
  }
  return odd ? 2 / std::numbers::pi * (angle + s * sum) : s * sum;
}

/// 95 % of a normal distribution lie within this many standard deviations.
constexpr double normal_factor = 1.9599639845400545;

/// t with P(|T| < t) = 95 %. The probability is concave in t, so Newton's iteration climbs to it
/// from the point of the normal distribution, which lies below.
double student_factor(int freedom) {
  const double half = 0.5 * freedom;
  const double peak =
      std::exp(std::lgamma(half + 0.5) - std::lgamma(half)) / std::sqrt(freedom * std::numbers::pi);
  double t = normal_factor;
  for (int i = 0; i < 60; ++i) {
    const double density = 2 * peak * std::pow(1 + t * t / freedom, -half - 0.5);
    const double change = (0.95 - central_probability(t, freedom)) / density;
    t += change;
    if (std::abs(change) < 1e-13 * t) break;
  }
  return t;
}

}  // namespace

// Written here because Eigen's takes twenty seconds to compile.
// Levenberg and Marquardt's method with the scaling of More (1978) and the damping of Nielsen
// (1999).
LeastSquaresFit least_squares(const Residuals& residuals, int values, const VectorXd& start,
                              int most_evaluations) {
  constexpr double tolerance = 1e-14;
  const Index n = start.size();
  LeastSquaresFit fit{start, 0, false};
  VectorXd misfit(values), trial(values), scale = VectorXd::Zero(n);
  residuals(start, misfit);
  fit.norm = misfit.norm();
  double damping = 1e-3, growth = 2;
  int evaluations = 1;
  while (evaluations < most_evaluations && std::isfinite(fit.norm)) {
    MatrixXd triangle = jacobian(residuals, values, fit.parameters);
    evaluations += static_cast<int>(2 * n);
    if (!triangle.allFinite()) break;
    for (Index i = 0; i < n; ++i) scale[i] = std::max(scale[i], triangle.col(i).norm());
    VectorXd target = -misfit;
    triangularise(triangle, target);

    for (bool moved = false; !moved && evaluations < most_evaluations; ++evaluations) {
      const VectorXd step = damped_step(triangle, target, scale, damping);
      const VectorXd there = fit.parameters + step;
      residuals(there, trial);
      const double before = fit.norm * fit.norm, after = trial.squaredNorm();
      // |r|^2 - |r + J s|^2 for the s above.
      const double reach = step.cwiseProduct(scale).norm();
      const double predicted =
          triangle_times(triangle, step).squaredNorm() + 2 * damping * reach * reach;
      const double gain = (before - after) / predicted;
      const double small = tolerance * before;
      const bool settled = (predicted <= small && std::abs(before - after) <= small) ||
                           reach <= tolerance * fit.parameters.cwiseProduct(scale).norm();
      moved = gain > 1e-4;  // false for a residual that is not finite
      if (moved) {
        fit.parameters = there;
        misfit = trial;
        fit.norm = std::sqrt(after);
        damping *= std::max(0.02, 1 - std::pow(2 * gain - 1, 3));
        growth = 2;
      } else {
        damping *= growth;
        growth *= 2;
      }
      if (settled) {
        fit.converged = true;
        return fit;
      }
    }
  }
  return fit;
}

MatrixXd covariance(const Residuals& residuals, int values, const VectorXd& p) {
  MatrixXd triangle = jacobian(residuals, values, p);
  VectorXd none = VectorXd::Zero(values);
  triangularise(triangle, none);
  // A parameter that the data do not determine gets a huge variance, not a division by zero.
  const double least = 1e-14 * triangle.diagonal().cwiseAbs().maxCoeff();
  for (Index i = 0; i < p.size(); ++i) {
    if (std::abs(triangle(i, i)) < least) triangle(i, i) = least;
  }
  MatrixXd inverse(p.size(), p.size());
  for (Index i = 0; i < p.size(); ++i) {
    inverse.col(i) = back_substitute(triangle, VectorXd::Unit(p.size(), i));
  }
  return inverse.lazyProduct(inverse.transpose());
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
  const double factor = freedom > 0 ? student_factor(freedom) : normal_factor;
  return factor * scale * std::sqrt(slope.dot(covariance * slope));
}

}  // namespace carom
