#include <cmath>
#include <utility>

#include <carom/nonsmooth/lcp.hpp>

namespace carom {
namespace {

/// Columns of the tableau: right-hand side, w (n of them), z (n), z0. The w columns hold the
/// inverse of the basis, which the lexicographic rule needs.
constexpr int rhs = 0;
int w_column(int i) { return 1 + i; }
int z_column(int n, int i) { return 1 + n + i; }
int z0_column(int n) { return 1 + 2 * n; }

int complement(int n, int column) { return column <= n ? column + n : column - n; }

constexpr double pivot_floor = 1e-11;  ///< smaller entries of the scaled tableau count as zero

}  // namespace

/// The row with the lexicographically smallest (rhs, inverse basis) / entry among entries > 0: the
/// rule under which Lemke's method cannot cycle on degenerate problems. -1 on a ray.
int LcpSolver::leaving_row(int n, int column, bool z0_first) const noexcept {
  int best = -1;
  for (int i = 0; i < n; ++i) {
    const double entry = tableau_(i, column);
    if (entry <= pivot_floor) continue;
    if (best < 0) {
      best = i;
      continue;
    }
    const double best_entry = tableau_(best, column);
    for (int c = rhs; c <= n; ++c) {
      const double difference = tableau_(i, c) / entry - tableau_(best, c) / best_entry;
      if (std::abs(difference) <= 1e-13) {
        // On a tie of the ratios z0 leaves at once: the problem is then solved.
        if (c == rhs && z0_first) {
          if (basis_[static_cast<std::size_t>(best)] == z0_column(n)) break;
          if (basis_[static_cast<std::size_t>(i)] == z0_column(n)) {
            best = i;
            break;
          }
        }
        continue;
      }
      if (difference < 0.0) best = i;
      break;
    }
  }
  return best;
}

void LcpSolver::pivot(int n, int row, int column) noexcept {
  const int width = 2 * n + 2;
  const double entry = tableau_(row, column);
  for (int c = 0; c < width; ++c) tableau_(row, c) /= entry;
  for (int i = 0; i < n; ++i) {
    const double factor = tableau_(i, column);
    if (i == row || factor == 0.0) continue;
    for (int c = 0; c < width; ++c) tableau_(i, c) -= factor * tableau_(row, c);
    tableau_(i, column) = 0.0;
  }
}

/// Lemke's complementary pivoting on w - M z - 1 z0 = q.
LcpResult LcpSolver::lemke(int n, int limit) noexcept {
  z_.head(n).setZero();
  LcpResult result{LcpStatus::iteration_limit, 0, residual(n)};
  if (result.residual == 0.0) return {LcpStatus::solved, 0, 0.0};

  tableau_.topLeftCorner(n, 2 * n + 2).setZero();
  int row = 0;
  for (int i = 0; i < n; ++i) {
    tableau_(i, rhs) = q_[i];
    tableau_(i, w_column(i)) = 1.0;
    for (int j = 0; j < n; ++j) tableau_(i, z_column(n, j)) = -m_(i, j);
    tableau_(i, z0_column(n)) = -1.0;
    basis_[static_cast<std::size_t>(i)] = w_column(i);
    if (q_[i] < q_[row]) row = i;
  }
  int entering = z0_column(n);
  while (row >= 0 && result.iterations < limit) {
    pivot(n, row, entering);
    const int left = std::exchange(basis_[static_cast<std::size_t>(row)], entering);
    ++result.iterations;
    if (left == z0_column(n)) break;
    entering = complement(n, left);
    row = leaving_row(n, entering, true);
  }
  bool z0_in_basis = false;
  for (int i = 0; i < n; ++i) {
    const int column = basis_[static_cast<std::size_t>(i)];
    active_[static_cast<std::size_t>(i)] = 0;
    if (column == z0_column(n)) z0_in_basis = true;
  }
  for (int i = 0; i < n; ++i) {
    const int column = basis_[static_cast<std::size_t>(i)];
    if (column > n && column != z0_column(n)) {
      z_[column - n - 1] = std::max(0.0, tableau_(i, rhs));
      active_[static_cast<std::size_t>(column - n - 1)] = 1;
    }
  }
  result.residual = residual(n);
  if (result.residual > 0.0 && !z0_in_basis) {
    // The tableau has gathered rounding; the same active set solved afresh has not.
    const double of_tableau = result.residual;
    scratch_.head(n) = z_.head(n);
    const auto size = static_cast<std::size_t>(n);
    const PivotResult fresh =
        pivoting_.solve_from(m_, {rows_.data(), size}, {q_.data(), size}, {active_.data(), size},
                             0.0, 1, {z_.data(), size});
    if (fresh.status != PivotStatus::not_positive_definite) result.residual = residual(n);
    if (!(result.residual < of_tableau)) {
      z_.head(n) = scratch_.head(n);
      result.residual = residual(n);
    }
  }
  if (result.residual <= settings_.tolerance) {
    result.status = LcpStatus::solved;
  } else if (row < 0) {
    result.status = LcpStatus::ray_termination;
  }
  return result;
}

}  // namespace carom
