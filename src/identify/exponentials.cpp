#include "exponentials.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace carom {
namespace {

using Complex = std::complex<double>;

/// Columns z_j^k.
Eigen::MatrixXcd powers(const Eigen::VectorXcd& log_poles, Eigen::Index n) {
  Eigen::MatrixXcd columns(n, log_poles.size());
  for (Eigen::Index j = 0; j < log_poles.size(); ++j) {
    for (Eigen::Index k = 0; k < n; ++k) columns(k, j) = std::exp(log_poles(j) * double(k));
  }
  return columns;
}

/// Complex Gauss-Newton: the model is holomorphic in amplitudes and ln z.
void refine(Exponentials& found, const Eigen::VectorXcd& signal) {
  const Eigen::Index n = signal.size(), p = found.log_poles.size();
  Eigen::MatrixXcd jacobian(n, 2 * p);
  const Eigen::VectorXd ramp = Eigen::VectorXd::LinSpaced(n, 0, double(n - 1));
  const auto fill = [&] {
    const Eigen::MatrixXcd columns = powers(found.log_poles, n);
    jacobian.leftCols(p) = columns;
    jacobian.rightCols(p) = ramp.asDiagonal() * columns * found.amplitudes.asDiagonal();
    return Eigen::VectorXcd(signal - columns * found.amplitudes);
  };
  for (int i = 0; i < 8; ++i) {
    const Eigen::VectorXcd rest = fill();
    const Eigen::VectorXcd change = jacobian.colPivHouseholderQr().solve(rest);
    const Exponentials before = found;
    found.amplitudes += change.head(p);
    found.log_poles += change.tail(p);
    const double after = (signal - powers(found.log_poles, n) * found.amplitudes).squaredNorm();
    if (!(after <= rest.squaredNorm())) {
      found = before;
      break;
    }
    if (change.tail(p).norm() < 1e-13) break;
  }
  const Eigen::VectorXcd rest = fill();
  found.residual = rest.squaredNorm();
  // Of a complex number whose parts are equally uncertain, each has half its variance.
  const double variance = found.residual / double(std::max<Eigen::Index>(1, n - 2 * p));
  const Eigen::MatrixXcd normal = jacobian.adjoint() * jacobian;
  const Eigen::MatrixXcd inverse =
      normal.completeOrthogonalDecomposition().pseudoInverse() * variance / 2.0;
  found.amplitude_sd = inverse.diagonal().real().cwiseMax(0).cwiseSqrt().head(p);
  found.pole_sd = inverse.diagonal().real().cwiseMax(0).cwiseSqrt().tail(p);
}

}  // namespace

Exponentials find_exponentials(const Eigen::VectorXcd& signal, int most) {
  const Eigen::Index n = signal.size(), window = n / 3;
  Eigen::MatrixXcd covariance = Eigen::MatrixXcd::Zero(window, window);
  for (Eigen::Index k = 0; k + window <= n; ++k) {
    covariance.selfadjointView<Eigen::Lower>().rankUpdate(signal.segment(k, window));
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd> eigen(covariance);
  Exponentials best;
  best.residual = signal.squaredNorm();
  const double samples = double(n);
  double criterion = 2 * samples * std::log(std::max(best.residual / samples, 1e-300));
  for (int p = 1; p <= most && 3 * p < window; ++p) {
    // Shifting the window by one sample multiplies each exponential by its pole.
    const Eigen::MatrixXcd space = eigen.eigenvectors().rightCols(p);
    const Eigen::MatrixXcd shift =
        space.topRows(window - 1).colPivHouseholderQr().solve(space.bottomRows(window - 1));
    const Eigen::ComplexEigenSolver<Eigen::MatrixXcd> poles(shift, false);
    Exponentials tried;
    tried.log_poles = poles.eigenvalues().array().log();
    // What grows by more than a factor of e over the signal is no decay.
    if (tried.log_poles.real().maxCoeff() > 1 / samples) continue;
    tried.amplitudes = powers(tried.log_poles, n).colPivHouseholderQr().solve(signal);
    refine(tried, signal);
    // 2n real numbers, four real parameters each.
    const double now = 2 * samples * std::log(std::max(tried.residual / samples, 1e-300)) +
                       4 * p * std::log(2 * samples);
    if (!std::isfinite(now) || now > criterion) continue;
    criterion = now;
    best = tried;
  }
  return best;
}

}  // namespace carom
