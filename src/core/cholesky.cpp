#include <Eigen/Cholesky>

#include <carom/core/cholesky.hpp>

namespace carom {

bool factor_cholesky(Eigen::Ref<Eigen::MatrixXd> m) noexcept {
  return Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(m).info() == Eigen::Success;
}

void solve_cholesky(const Eigen::Ref<const Eigen::MatrixXd>& factor,
                    // Eigen writes through a const reference.
                    // NOLINTNEXTLINE(performance-unnecessary-value-param)
                    Eigen::Ref<Eigen::VectorXd> x) noexcept {
  const auto lower = factor.triangularView<Eigen::Lower>();
  lower.solveInPlace(x);
  lower.adjoint().solveInPlace(x);
}

}  // namespace carom
