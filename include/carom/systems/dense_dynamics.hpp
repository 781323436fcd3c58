#pragma once

#include <carom/core/cholesky.hpp>
#include <carom/systems/with_gaps.hpp>

namespace carom {

/// The equation of motion M(q) a = f(t, q, v) of any system with gaps, by dense Cholesky: O(n^3) a
/// step. The interface is what the steppers need; a system with a structure of its own offers the
/// same members in its type Dynamics (the bars do it in O(n)).
template <SystemWithGaps S>
class DenseDynamics {
 public:
  explicit DenseDynamics(const S& system) : system_(&system) {
    const int n = system.coordinates();
    for (Eigen::MatrixXd* matrix : {&mass_, &stiffness_, &factor_}) matrix->setZero(n, n);
    force_.setZero(n);
  }

  /// The position of everything that follows.
  void set_position(const Eigen::VectorXd& q) {
    q_ = q;
    system_->mass_matrix(q, mass_);
  }

  /// Prepares solve() for M + shift K at the position set, K the stiffness if the system offers it.
  /// False when that matrix is not positive definite.
  [[nodiscard]] bool factor(double shift = 0.0) {
    factor_ = mass_;
    if constexpr (requires { system_->stiffness(q_, stiffness_); }) {
      if (shift != 0.0 && has_stiffness(*system_)) {
        system_->stiffness(q_, stiffness_);
        factor_ += shift * stiffness_;
      }
    }
    return factor_cholesky(factor_);
  }

  /// r = f(t, q, v) - M(q) a: zero when a is the acceleration.
  void residual(double t, const Eigen::VectorXd& v, const Eigen::VectorXd& a, Eigen::VectorXd& r) {
    system_->force(t, q_, v, force_);
    r = force_;
    r.noalias() -= mass_ * a;
  }

  /// x with (M + shift K) x = r, from the last factor().
  void solve(const Eigen::VectorXd& r, Eigen::VectorXd& x) {
    x = r;
    solve_cholesky(factor_, x);
  }

  double kinetic_energy(const Eigen::VectorXd& v) {
    force_.noalias() = mass_ * v;
    return 0.5 * v.dot(force_);
  }

  double potential_energy() const { return system_->potential_energy(q_); }

 private:
  const S* system_;
  Eigen::MatrixXd mass_, stiffness_, factor_;
  Eigen::VectorXd q_, force_;
};

namespace detail {
template <class S>
struct DynamicsChoice {
  using type = DenseDynamics<S>;
};
template <class S>
requires requires { typename S::Dynamics; }
struct DynamicsChoice<S> {
  using type = typename S::Dynamics;
};
}  // namespace detail

/// The fastest dynamics a system has.
template <SystemWithGaps S>
using DynamicsOf = typename detail::DynamicsChoice<S>::type;

}  // namespace carom
