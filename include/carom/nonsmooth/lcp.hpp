#pragma once

#include <vector>

#include <Eigen/Core>

#include <carom/core/double_double.hpp>
#include <carom/nonsmooth/block_pivoting.hpp>

namespace carom {

/// The linear complementarity problem LCP(M, q): find z with
///   z >= 0,   w = M z + q >= 0,   z . w = 0.
/// In a step with contacts M is the Delassus matrix G M^-1 G^T, q the free relative velocities (or
/// gaps) and z the impulses. M is then symmetric positive semi-definite; it is singular when
/// contacts are redundant (three feet on one line), and the impulses are then not unique although
/// the motion is.

/// max_i |min(z_i, w_i)|: zero exactly at a solution. The definition of success of every solver.
double lcp_residual(const Eigen::Ref<const Eigen::MatrixXd>& M,
                    const Eigen::Ref<const Eigen::VectorXd>& q,
                    const Eigen::Ref<const Eigen::VectorXd>& z) noexcept;

enum class LcpMethod {
  automatic,     ///< closed form for one contact; else newton, then lemke, then gauss_seidel
  closed_form,   ///< size 1 only: z = max(0, -q/M)
  lemke,         ///< principal pivoting with lexicographic ratio test; any copositive-plus M
  gauss_seidel,  ///< projected Gauss-Seidel; large problems, symmetric M with positive diagonal
  newton,  ///< BlockPivoting from the guess: Newton on min(z, w) = 0; symmetric pos. definite M
};

enum class LcpStatus {
  solved,           ///< the residual is within the tolerance
  iteration_limit,  ///< not within the allowed iterations
  ray_termination,  ///< Lemke ended on a ray: for semi-definite M the problem has no solution
  not_finite,       ///< M or q holds NaN or infinity; z is zero
};

struct LcpResult {
  LcpStatus status;
  int iterations;   ///< pivots, sweeps or Newton steps, of all the methods tried
  double residual;  ///< of the scaled problem: unit diagonal, max |q| = 1
};

struct LcpSettings {
  LcpMethod method = LcpMethod::automatic;
  double tolerance = 1e-12;  ///< of the scaled residual, > 0
  int max_iterations = 0;    ///< 0: 20 n + 100 pivots, 5000 sweeps, 2 n + 20 Newton steps
};

/// Solves problems up to a size fixed at construction; solve() does not throw, and allocates only
/// where Lemke's pivots need more digits than a double has.
/// The problem is scaled to unit diagonal and unit q first, so that the tolerance means the same
/// for grams and tonnes.
class LcpSolver {
 public:
  explicit LcpSolver(int largest, LcpSettings settings = {});

  /// `z` enters as a first guess (which contacts carry load) and leaves as the solution.
  [[nodiscard]] LcpResult solve(const Eigen::Ref<const Eigen::MatrixXd>& M,
                                const Eigen::Ref<const Eigen::VectorXd>& q,
                                Eigen::Ref<Eigen::VectorXd> z) noexcept;

  const LcpSettings& settings() const noexcept { return settings_; }

 private:
  LcpResult newton(int n, int limit) noexcept;
  LcpResult lemke(int n, int limit) noexcept;
  LcpResult gauss_seidel(int n, int limit) noexcept;
  LcpResult dispatch(int n) noexcept;
  double residual(int n) noexcept;

  LcpSettings settings_;
  BlockPivoting pivoting_;
  Eigen::MatrixXd m_, tableau_;                  // scaled M; Lemke's tableau
  Eigen::VectorXd q_, z_, w_, scratch_, scale_;  // the scaled problem and its scale
  std::vector<int> rows_, basis_;                // rows: 0, 1, ...
  std::vector<char> active_;
  std::vector<DoubleDouble> precise_;  // Lemke's tableau where doubles do not do
};

}  // namespace carom
