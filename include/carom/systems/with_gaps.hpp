#pragma once

#include <concepts>

#include <Eigen/Core>

namespace carom {

/// A mechanical system that says where it can touch: coordinates q with velocities v,
///   M(q) v' = f(q, v) + G(q)^T p,    0 <= g(q)  _|_  p >= 0,
/// with the mass matrix M, all forces but those of contact f (gravity, springs, dampers and the
/// Coriolis terms that go with M(q)), the gaps g >= 0 and their gradients G = dg/dq.
/// paoli2007 eqs (5), (7), (8).  docs/own_system.md writes one from scratch.
///
/// Two optional members make a system faster; the steppers find them by themselves:
///   void stiffness(q, K)  an approximation of -df/dq, for the implicit steppers;
///   using Dynamics = ...  its own way to M^-1, in place of DenseDynamics (dense_dynamics.hpp).
template <class S>
concept SystemWithGaps = requires(const S& system, const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v, Eigen::VectorXd& vector,
                                  Eigen::MatrixXd& matrix) {
  { system.coordinates() } -> std::convertible_to<int>;
  { system.contacts() } -> std::convertible_to<int>;
  system.mass_matrix(q, matrix);                                  // symmetric positive definite
  system.force(q, v, vector);                                     // f(q, v)
  { system.potential_energy(q) } -> std::convertible_to<double>;  // [J]
  system.gaps(q, vector);                                         // g(q) [m], >= 0 apart
  system.gap_gradients(q, matrix);                                // contacts x coordinates
};

/// Where a system is and how it moves.
struct MotionState {
  Eigen::VectorXd q;  ///< coordinates
  Eigen::VectorXd v;  ///< velocities
};

}  // namespace carom
