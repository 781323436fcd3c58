#include <cmath>

#include <carom/core/cholesky.hpp>
#include <carom/nonsmooth/lcp.hpp>

namespace carom {

/// With the contacts `active_` carrying load and the others none: M_AA z_A = -q_A. False when M_AA
/// is not positive definite (redundant contacts).
bool LcpSolver::solve_active(int n) noexcept {
  int k = 0;
  for (int i = 0; i < n; ++i) {
    if (active_[static_cast<std::size_t>(i)] == 0) continue;
    int l = 0;
    for (int j = 0; j < n; ++j) {
      if (active_[static_cast<std::size_t>(j)] != 0) factor_(k, l++) = m_(i, j);
    }
    rhs_[k++] = -q_[i];
  }
  if (k > 0) {
    if (!factor_cholesky(factor_.topLeftCorner(k, k))) return false;
    solve_cholesky(factor_.topLeftCorner(k, k), rhs_.head(k));
  }
  k = 0;
  for (int i = 0; i < n; ++i) z_[i] = active_[static_cast<std::size_t>(i)] != 0 ? rhs_[k++] : 0.0;
  return true;
}

/// A Newton step on the piecewise linear equation min(z, w) = 0 is the solution for one active set
/// A = {z > w}; it ends when the set repeats. From a warm start one or two steps are usual.
LcpResult LcpSolver::newton(int n, int limit) noexcept {
  LcpResult result{LcpStatus::iteration_limit, 0, residual(n)};
  while (result.residual > settings_.tolerance && result.iterations < limit) {
    for (int i = 0; i < n; ++i) active_[static_cast<std::size_t>(i)] = z_[i] > w_[i] ? 1 : 0;
    if (!solve_active(n)) break;
    ++result.iterations;
    result.residual = residual(n);
  }
  z_.head(n) = z_.head(n).cwiseMax(0.0);
  result.residual = residual(n);
  if (result.residual <= settings_.tolerance) result.status = LcpStatus::solved;
  return result;
}

}  // namespace carom
