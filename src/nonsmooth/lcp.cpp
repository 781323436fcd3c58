#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>

#include <carom/core/error.hpp>
#include <carom/nonsmooth/lcp.hpp>

namespace carom {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

int checked_size(int largest) {
  require_within("largest", largest, 0, 1e5);
  return largest;
}

}  // namespace

double lcp_residual(const Eigen::Ref<const Eigen::MatrixXd>& M,
                    const Eigen::Ref<const Eigen::VectorXd>& q,
                    const Eigen::Ref<const Eigen::VectorXd>& z) noexcept {
  double worst = 0.0;
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    double w = q[i];
    for (Eigen::Index j = 0; j < q.size(); ++j) w += M(i, j) * z[j];
    worst = std::max(worst, std::abs(std::min(z[i], w)));
  }
  return worst;
}

LcpSolver::LcpSolver(int largest, LcpSettings settings)
    : settings_(settings), pivoting_(checked_size(largest)) {
  require_positive("tolerance", settings.tolerance);
  require_within("max_iterations", settings.max_iterations, 0, 1e9);
  m_.setZero(largest, largest);
  const bool may_pivot =
      settings.method == LcpMethod::lemke || settings.method == LcpMethod::automatic;
  if (may_pivot) tableau_.setZero(largest, 2 * largest + 2);
  for (Eigen::VectorXd* v : {&q_, &z_, &w_, &scratch_, &scale_}) v->setZero(largest);
  rows_.resize(static_cast<std::size_t>(largest));
  std::iota(rows_.begin(), rows_.end(), 0);
  basis_.resize(static_cast<std::size_t>(largest));
  active_.resize(static_cast<std::size_t>(largest));
}

double LcpSolver::residual(int n) noexcept {
  w_.head(n) = q_.head(n);
  for (int j = 0; j < n; ++j) {
    if (z_[j] != 0.0) w_.head(n) += z_[j] * m_.col(j).head(n);
  }
  double worst = 0.0;
  for (int i = 0; i < n; ++i) worst = std::max(worst, std::abs(std::min(z_[i], w_[i])));
  if (!std::isfinite(w_.head(n).sum())) return infinity;
  return worst;
}

LcpResult LcpSolver::solve(const Eigen::Ref<const Eigen::MatrixXd>& M,
                           const Eigen::Ref<const Eigen::VectorXd>& q,
                           Eigen::Ref<Eigen::VectorXd> z) noexcept {
  const int n = static_cast<int>(q.size());
  assert(n <= m_.rows() && M.rows() == n && M.cols() == n && z.size() == n);
  if (n == 0) return {LcpStatus::solved, 0, 0.0};
  if (!std::isfinite(q.sum()) || !std::isfinite(M.sum())) {
    z.setZero();
    return {LcpStatus::not_finite, 0, infinity};
  }
  // z = s zeta / |q|: with s_i = M_ii^(-1/2) the matrix gets a unit diagonal.
  for (int i = 0; i < n; ++i) scale_[i] = M(i, i) > 0.0 ? 1.0 / std::sqrt(M(i, i)) : 1.0;
  const double size = q.cwiseProduct(scale_.head(n)).cwiseAbs().maxCoeff();
  if (size == 0.0) {
    z.setZero();
    return {LcpStatus::solved, 0, 0.0};
  }
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) m_(i, j) = scale_[i] * M(i, j) * scale_[j];
    q_[j] = scale_[j] * q[j] / size;
    z_[j] = std::isfinite(z[j]) ? std::max(0.0, z[j] / (scale_[j] * size)) : 0.0;
  }
  const LcpResult result = dispatch(n);
  for (int i = 0; i < n; ++i) z[i] = scale_[i] * z_[i] * size;
  // Numbers near the ends of their range overflow when they are scaled.
  if (!std::isfinite(z.sum()) ||
      (result.status == LcpStatus::solved && !(result.residual <= settings_.tolerance))) {
    z.setZero();
    return {LcpStatus::not_finite, result.iterations, infinity};
  }
  return result;
}

LcpResult LcpSolver::dispatch(int n) noexcept {
  const auto limit = [this](int usual) {
    return settings_.max_iterations > 0 ? settings_.max_iterations : usual;
  };
  if (n == 1 && m_(0, 0) > 0.0 &&
      (settings_.method == LcpMethod::automatic || settings_.method == LcpMethod::closed_form)) {
    z_[0] = std::max(0.0, -q_[0] / m_(0, 0));
    return {LcpStatus::solved, 0, residual(1)};
  }
  constexpr int largest_tableau = 256;  // beyond it a pivot costs more than a sweep is worth
  switch (settings_.method) {
    case LcpMethod::newton:
      return newton(n, limit(2 * n + 20));
    case LcpMethod::lemke:
      return lemke(n, limit(20 * n + 100));
    case LcpMethod::gauss_seidel:
      return gauss_seidel(n, limit(5000));
    case LcpMethod::closed_form:
    case LcpMethod::automatic:
      break;
  }
  if (settings_.method == LcpMethod::closed_form) {
    return {LcpStatus::iteration_limit, 0, residual(n)};
  }
  LcpResult result = newton(n, limit(2 * n + 20));
  if (result.status == LcpStatus::solved) return result;
  const int spent = result.iterations;
  result = n <= largest_tableau ? lemke(n, limit(20 * n + 100)) : gauss_seidel(n, limit(5000));
  result.iterations += spent;
  return result;
}

/// The active set A = {z > w} of the guess is where block pivoting starts.
LcpResult LcpSolver::newton(int n, int limit) noexcept {
  LcpResult result{LcpStatus::iteration_limit, 0, residual(n)};
  if (result.residual > settings_.tolerance) {
    const auto size = static_cast<std::size_t>(n);
    for (int i = 0; i < n; ++i) active_[static_cast<std::size_t>(i)] = z_[i] > w_[i] ? 1 : 0;
    result.iterations =
        pivoting_
            .solve_from(m_, {rows_.data(), size}, {q_.data(), size}, {active_.data(), size},
                        settings_.tolerance, limit, {z_.data(), size})
            .factorisations;
    result.residual = residual(n);
  }
  if (result.residual <= settings_.tolerance) result.status = LcpStatus::solved;
  return result;
}

LcpResult LcpSolver::gauss_seidel(int n, int limit) noexcept {
  LcpResult result{LcpStatus::iteration_limit, 0, residual(n)};
  while (result.residual > settings_.tolerance && result.iterations < limit) {
    for (int i = 0; i < n; ++i) {
      if (!(m_(i, i) > 0.0)) continue;
      double w = q_[i];
      for (int j = 0; j < n; ++j) w += m_(j, i) * z_[j];  // M is symmetric: walk down a column
      z_[i] = std::max(0.0, z_[i] - w / m_(i, i));
    }
    ++result.iterations;
    result.residual = residual(n);
  }
  if (result.residual <= settings_.tolerance) result.status = LcpStatus::solved;
  return result;
}

}  // namespace carom
