#pragma once

#include <Eigen/Core>

/// Eigen's Cholesky factorisation behind two plain functions: one file pays for compiling it.
namespace carom {

/// Overwrites the lower triangle of a symmetric matrix, of which only that is read, with L of
/// M = L L^T. False when M is not positive definite. Does not allocate.
[[nodiscard]] bool factor_cholesky(Eigen::Ref<Eigen::MatrixXd> m) noexcept;

/// x becomes M^-1 x, with what factor_cholesky() left.
void solve_cholesky(const Eigen::Ref<const Eigen::MatrixXd>& factor,
                    Eigen::Ref<Eigen::VectorXd> x) noexcept;

}  // namespace carom
