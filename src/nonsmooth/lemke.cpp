#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include <carom/core/double_double.hpp>
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

/// Lemke's complementary pivoting on w - M z - 1 z0 = q, with the tableau of n rows in `entries`,
/// column by column.
template <class Number>
class Tableau {
 public:
  Tableau(int n, Number* entries, int* basis) : n_(n), entries_(entries), basis_(basis) {}

  /// The pivots that were made; `ray`: it ended on one.
  int solve(const Eigen::MatrixXd& m, const Eigen::VectorXd& q, int limit, bool& ray) noexcept {
    std::fill_n(entries_, n_ * (2 * n_ + 2), Number(0.0));
    int row = 0;
    for (int i = 0; i < n_; ++i) {
      at(i, rhs) = q[i];
      at(i, w_column(i)) = 1.0;
      for (int j = 0; j < n_; ++j) at(i, z_column(n_, j)) = -m(i, j);
      at(i, z0_column(n_)) = -1.0;
      basis_[i] = w_column(i);
      if (q[i] < q[row]) row = i;
    }
    int entering = z0_column(n_), pivots = 0;
    while (row >= 0 && pivots < limit) {
      pivot(row, entering);
      const int left = std::exchange(basis_[row], entering);
      ++pivots;
      if (left == z0_column(n_)) break;
      entering = complement(n_, left);
      row = leaving_row(entering);
    }
    ray = row < 0;
    return pivots;
  }

  double value(int row) const noexcept {
    return std::max(0.0, static_cast<double>(entries_[row + rhs * n_]));
  }

 private:
  static constexpr bool doubles = std::is_same_v<Number, double>;
  /// Of the scaled tableau: smaller entries count as zero. M itself is rounded, so that no number
  /// of digits makes much smaller ones worth dividing by.
  static constexpr double pivot_floor = doubles ? 1e-11 : 1e-14;
  static constexpr double tie = doubles ? 1e-13 : 1e-27;  ///< closer ratios are the same

  Number& at(int row, int column) noexcept { return entries_[row + column * n_]; }

  /// The row with the lexicographically smallest (rhs, inverse basis) / entry among entries > 0:
  /// the rule under which Lemke's method cannot cycle on degenerate problems. -1 on a ray.
  int leaving_row(int column) noexcept {
    int best = -1;
    for (int i = 0; i < n_; ++i) {
      const Number entry = at(i, column);
      if (!(entry > pivot_floor)) continue;
      if (best < 0) {
        best = i;
        continue;
      }
      const Number best_entry = at(best, column);
      for (int c = rhs; c <= n_; ++c) {
        const Number difference = at(i, c) / entry - at(best, c) / best_entry;
        if (!(difference > tie) && !(difference < -tie)) {
          // On a tie of the ratios z0 leaves at once: the problem is then solved.
          if (c == rhs && basis_[best] == z0_column(n_)) break;
          if (c == rhs && basis_[i] == z0_column(n_)) {
            best = i;
            break;
          }
          continue;
        }
        if (difference < 0.0) best = i;
        break;
      }
    }
    return best;
  }

  void pivot(int row, int column) noexcept {
    const int width = 2 * n_ + 2;
    const Number entry = at(row, column);
    for (int c = 0; c < width; ++c) at(row, c) /= entry;
    for (int i = 0; i < n_; ++i) {
      const Number factor = at(i, column);
      if (i == row || !(factor > 0.0 || factor < 0.0)) continue;
      for (int c = 0; c < width; ++c) at(i, c) -= factor * at(row, c);
      at(i, column) = 0.0;
    }
  }

  int n_;
  Number* entries_;
  int* basis_;
};

}  // namespace

/// By pivots in doubles, and where these founder, on contacts that are all but redundant, in twice
/// as many digits.
LcpResult LcpSolver::lemke(int n, int limit) noexcept {
  z_.head(n).setZero();
  LcpResult result{LcpStatus::iteration_limit, 0, residual(n)};
  if (result.residual == 0.0) return {LcpStatus::solved, 0, 0.0};
  bool ray = false;
  const auto pivots = [&](auto tableau) {
    result.iterations += tableau.solve(m_, q_, limit, ray);
    z_.head(n).setZero();
    std::fill_n(active_.begin(), n, char{0});
    bool z0_in_basis = false;
    for (int i = 0; i < n; ++i) {
      const int column = basis_[static_cast<std::size_t>(i)];
      z0_in_basis = z0_in_basis || column == z0_column(n);
      if (column <= n || column == z0_column(n)) continue;
      z_[column - n - 1] = tableau.value(i);
      active_[static_cast<std::size_t>(column - n - 1)] = 1;
    }
    result.residual = residual(n);
    return !z0_in_basis;
  };
  const bool complete = pivots(Tableau<double>(n, tableau_.data(), basis_.data()));
  if (result.residual > 0.0 && complete) {
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
  if (!(result.residual <= settings_.tolerance)) {
    const auto wanted = static_cast<std::size_t>(n * (2 * n + 2));
    if (precise_.size() < wanted) precise_.resize(wanted);
    pivots(Tableau<DoubleDouble>(n, precise_.data(), basis_.data()));
  }
  if (result.residual <= settings_.tolerance) {
    result.status = LcpStatus::solved;
  } else if (ray) {
    result.status = LcpStatus::ray_termination;
  }
  return result;
}

}  // namespace carom
