#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

namespace carom {

/// How a block-pivoting solve ended.
enum class PivotStatus {
  solved,
  iteration_limit,        ///< the best partition found was used; see the residual
  not_positive_definite,  ///< a pivot was not positive; nothing was solved
};

struct PivotResult {
  PivotStatus status = PivotStatus::solved;
  int factorisations = 0;
  double residual = 0.0;  ///< max |min(z_i, w_i)| with z scaled by the diagonal; unit of q
};

/// The linear complementarity problem 0 <= w = M z + q _|_ z >= 0 for symmetric positive definite
/// M, by principal block pivoting: guess which z are positive, solve for them with Cholesky,
/// exchange every index with the wrong sign; fall back to one exchange at a time when that does not
/// help (Judice and Pires 1994), which terminates for every positive definite M. From a good guess
/// it takes one or two factorisations. It does not allocate after construction.
class BlockPivoting {
 public:
  explicit BlockPivoting(int largest_size);

  /// Solves for the indices `rows` of a larger matrix: M = matrix(rows, rows). Starts from the
  /// partition z_i > 0 where q_i < 0.
  [[nodiscard]] PivotResult solve(const Eigen::MatrixXd& matrix, std::span<const int> rows,
                                  std::span<const double> q, std::span<double> z) noexcept;

 private:
  bool solve_basic(const Eigen::MatrixXd& matrix, std::span<const int> rows,
                   std::span<const double> q, std::span<double> z) noexcept;

  int capacity_;
  std::vector<char> basic_;     // z_i is free, w_i = 0
  std::vector<int> free_;       // the basic indices, ascending
  std::vector<double> factor_;  // Cholesky factor of M(basic, basic), rows packed
  std::vector<double> slack_;   // w
};

}  // namespace carom
