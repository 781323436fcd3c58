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
  double residual = 0.0;  ///< max of -w_i and of -z_i M_ii; unit of q
};

/// The linear complementarity problem 0 <= w = M z + q _|_ z >= 0 for symmetric positive definite
/// M, by principal block pivoting: guess which z are positive, solve for them with Cholesky,
/// exchange every index with the wrong sign; fall back to one exchange at a time when that does not
/// help (Judice and Pires 1994), which terminates for every positive definite M. Exchanging all at
/// once is Newton's method on min(z, w) = 0. From a good guess it takes one or two factorisations.
/// It does not allocate after construction. LcpSolver puts scaling and the semi-definite case on
/// top of it; contacts of strings, many small problems on one matrix, use it as it is.
class BlockPivoting {
 public:
  explicit BlockPivoting(int largest_size);

  /// Solves for the indices `rows` of a larger matrix: M = matrix(rows, rows). Starts from the
  /// partition z_i > 0 where q_i < 0.
  [[nodiscard]] PivotResult solve(const Eigen::MatrixXd& matrix, std::span<const int> rows,
                                  std::span<const double> q, std::span<double> z) noexcept;

  /// The same from the partition z_i > 0 where basic[i], with the wrong signs that are accepted
  /// (unit of q) and the factorisations that are allowed. limit = 1 solves for that partition.
  [[nodiscard]] PivotResult solve_from(const Eigen::MatrixXd& matrix, std::span<const int> rows,
                                       std::span<const double> q, std::span<const char> basic,
                                       double tolerance, int limit, std::span<double> z) noexcept;

 private:
  bool solve_basic(const Eigen::MatrixXd& matrix, std::span<const int> rows,
                   std::span<const double> q, std::span<double> z) noexcept;
  PivotResult exchange(const Eigen::MatrixXd& matrix, std::span<const int> rows,
                       std::span<const double> q, double tolerance, int limit,
                       std::span<double> z) noexcept;

  int capacity_;
  std::vector<char> basic_;     // z_i is free, w_i = 0
  std::vector<int> free_;       // the basic indices, ascending
  std::vector<double> factor_;  // Cholesky factor of M(basic, basic), rows packed
  std::vector<double> slack_;   // w
};

}  // namespace carom
