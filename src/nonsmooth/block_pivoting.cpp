#include <algorithm>
#include <cassert>
#include <cmath>

#include <carom/nonsmooth/block_pivoting.hpp>

namespace carom {

BlockPivoting::BlockPivoting(int largest_size)
    : capacity_(largest_size),
      basic_(static_cast<std::size_t>(largest_size)),
      free_(static_cast<std::size_t>(largest_size)),
      factor_(static_cast<std::size_t>(largest_size) *
              (static_cast<std::size_t>(largest_size) + 1) / 2),
      slack_(static_cast<std::size_t>(largest_size)) {}

// z_F = -M_FF^-1 q_F, w_G = M_GF z_F + q_G. The factor lies in packed rows: row i starts at
// i(i+1)/2.
bool BlockPivoting::solve_basic(const Eigen::MatrixXd& matrix, std::span<const int> rows,
                                std::span<const double> q, std::span<double> z) noexcept {
  const int n = static_cast<int>(rows.size());
  int m = 0;
  for (int i = 0; i < n; ++i) {
    z[i] = 0;
    if (basic_[i]) free_[m++] = i;
  }
  double* row = factor_.data();
  for (int i = 0; i < m; row += ++i) {
    const double* other = factor_.data();
    for (int k = 0; k <= i; other += ++k) {
      double sum = matrix(rows[free_[i]], rows[free_[k]]);
      for (int l = 0; l < k; ++l) sum -= row[l] * other[l];
      if (k < i) {
        row[k] = sum / other[k];
      } else if (sum > 0) {
        row[k] = std::sqrt(sum);
      } else {
        return false;
      }
    }
    double sum = -q[free_[i]];
    for (int k = 0; k < i; ++k) sum -= row[k] * slack_[k];
    slack_[i] = sum / row[i];
  }
  for (int i = m - 1; i >= 0; --i) {
    const double* pivot_row = factor_.data() + static_cast<std::ptrdiff_t>(i) * (i + 1) / 2;
    const double value = slack_[i] / pivot_row[i];
    for (int k = 0; k < i; ++k) slack_[k] -= pivot_row[k] * value;
    z[free_[i]] = value;
  }
  for (int i = 0; i < n; ++i) {
    if (basic_[i]) continue;
    double sum = q[i];
    for (int k = 0; k < m; ++k) sum += matrix(rows[i], rows[free_[k]]) * z[free_[k]];
    slack_[i] = sum;
  }
  for (int k = 0; k < m; ++k) slack_[free_[k]] = 0;
  return true;
}

PivotResult BlockPivoting::solve(const Eigen::MatrixXd& matrix, std::span<const int> rows,
                                 std::span<const double> q, std::span<double> z) noexcept {
  const int n = static_cast<int>(rows.size());
  assert(n <= capacity_ && q.size() == rows.size() && z.size() == rows.size());
  double scale = 0;
  for (int i = 0; i < n; ++i) {
    basic_[i] = q[i] < 0;
    scale = std::max(scale, std::abs(q[i]));
  }
  // A wrong sign below rounding of the data is no reason to exchange: it could cycle.
  return exchange(matrix, rows, q, 1e-15 * scale * n, 50 + 10 * n, z);
}

PivotResult BlockPivoting::solve_from(const Eigen::MatrixXd& matrix, std::span<const int> rows,
                                      std::span<const double> q, std::span<const char> basic,
                                      double tolerance, int limit, std::span<double> z) noexcept {
  std::copy(basic.begin(), basic.end(), basic_.begin());
  return exchange(matrix, rows, q, tolerance, limit, z);
}

PivotResult BlockPivoting::exchange(const Eigen::MatrixXd& matrix, std::span<const int> rows,
                                    std::span<const double> q, double tolerance, int limit,
                                    std::span<double> z) noexcept {
  const int n = static_cast<int>(rows.size());
  const int block_tries = 5;
  int fewest = n + 1, tries_left = block_tries;
  PivotResult result;
  while (result.factorisations < limit) {
    ++result.factorisations;
    if (!solve_basic(matrix, rows, q, z)) {
      result.status = PivotStatus::not_positive_definite;
      std::fill(z.begin(), z.end(), 0.0);
      return result;
    }
    int wrong = 0, last_wrong = -1;
    result.residual = 0;
    for (int i = 0; i < n; ++i) {
      const double value = basic_[i] ? z[i] * matrix(rows[i], rows[i]) : slack_[i];
      result.residual = std::max(result.residual, -value);
      if (value < -tolerance) {
        ++wrong;
        last_wrong = i;
      }
    }
    if (wrong == 0) {
      for (int i = 0; i < n; ++i) z[i] = std::max(z[i], 0.0);
      return result;
    }
    bool exchange_all = true;
    if (wrong < fewest) {
      fewest = wrong;
      tries_left = block_tries;
    } else if (tries_left > 0) {
      --tries_left;
    } else {
      exchange_all = false;
    }
    for (int i = exchange_all ? 0 : last_wrong; i <= last_wrong; ++i) {
      const double value = basic_[i] ? z[i] * matrix(rows[i], rows[i]) : slack_[i];
      if (value < -tolerance) basic_[i] = !basic_[i];
    }
  }
  result.status = PivotStatus::iteration_limit;
  for (int i = 0; i < n; ++i) z[i] = std::max(z[i], 0.0);
  return result;
}

}  // namespace carom
