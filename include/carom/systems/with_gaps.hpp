#pragma once

#include <concepts>
#include <limits>
#include <span>

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace carom {

/// Gradients by their entries that are not zero: one row for each contact.
using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;

/// The one notion of a system: coordinates q with velocities v, and where it can touch,
///   M(q) v' = f(t, q, v) + G(t, q)^T p,    G = dg/dq,
/// with the mass matrix M, all forces but those of contact f (gravity, springs, dampers, drives and
/// the Coriolis terms that go with M(q)) and the gaps g(t, q), positive while bodies are apart.
/// What p is, an impulse with 0 <= g _|_ p >= 0 (paoli2007 eqs (5), (7), (8)) or the force of a
/// law, is up to the method.  docs/own_system.md writes one from scratch.
///
/// Optional members, found by the functions below:
///   void gap_rates(t, q, r)    dg/dt at fixed q [m/s]; required where gaps depend on t
///   double dissipation(t, q, v)  what its own dampers take [W], >= 0
///   double power(t, q, v)      work of the forces that are neither in the potential nor dampers
///   [W] bool can_touch(i, q)       whether contact i, were its gap closed, would touch (a tip
///   beyond
///                              the end of the rod it faces does not)
///   bool two_sided(i)          gap i is a signed distance that may be touched from either side
///   void gap_gradients(t, q, SparseRows& G)  the same by their nonzero entries: many bodies, each
///                              with few neighbours
///   void tangents(t, q, SparseRows& T), void slip_rates(t, q, r)  the rows of the sliding speeds
///                              T v + r at the contacts, for friction
///   void gap_paces(t, q, v, reach, turn)  how fast each gap can change at most [m/s], and how fast
///                              that changes [1/s]: a gap that turns between two nodes of a step,
///                              past a small body or by a drive, may close there unseen; steps that
///                              could miss it are shortened. bool has_gap_paces() goes with it
///   double next_break(t, touching)  the next instant after t at which forces or, if anything
///                              touches, obstacles cease to move smoothly [s]; steps end there
///   void stiffness(q, K)       an approximation of -df/dq, for the implicit steppers
///   the members of SystemOfParts  what a part of it does, for systems of many bodies
///   using Dynamics = ...       its own way to M^-1, in place of DenseDynamics (dense_dynamics.hpp)
template <class S>
concept SystemWithGaps = requires(const S& system, double t, const Eigen::VectorXd& q,
                                  const Eigen::VectorXd& v, Eigen::VectorXd& vector,
                                  Eigen::MatrixXd& matrix) {
  { system.coordinates() } -> std::convertible_to<int>;
  { system.contacts() } -> std::convertible_to<int>;
  system.mass_matrix(q, matrix);                                  // symmetric positive definite
  system.force(t, q, v, vector);                                  // f(t, q, v)
  { system.potential_energy(q) } -> std::convertible_to<double>;  // [J]
  system.gaps(t, q, vector);                                      // g(t, q) [m], > 0 apart
  system.gap_gradients(t, q, matrix);                             // contacts x coordinates
};

/// Optional as a whole: a system of many bodies of which contacts press a few at a time. M is
/// diagonal, every contact can touch, and its gradient has entries at the coordinates that its gap
/// depends on; what does not change need not be computed again.
template <class S>
concept SystemOfParts = SystemWithGaps<S> &&
    requires(const S& system, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             std::span<const int> some, Eigen::VectorXd& vector) {
  { system.steady(0) } -> std::convertible_to<bool>;             // its own force is constant
  system.force(t, q, v, some, vector);                           // of some coordinates
  system.divide_by_mass(some, vector);                           // likewise
  { system.energy(q, v, some) } -> std::convertible_to<double>;  // kinetic and potential [J]
  system.gaps(t, q, some, vector);                               // of some contacts
};

/// Where a system is and how it moves.
struct MotionState {
  Eigen::VectorXd q;  ///< coordinates
  Eigen::VectorXd v;  ///< velocities
};

// What a system may leave out. A system that knows only at run time what it has (AnySystem, one
// written in Python) says so by members has_gap_rates() and has_stiffness().

template <SystemWithGaps S>
bool has_gap_rates(const S& system) {
  if constexpr (requires { system.has_gap_rates(); }) {
    return system.has_gap_rates();
  } else {
    return requires(const Eigen::VectorXd& q, Eigen::VectorXd& r) { system.gap_rates(0.0, q, r); };
  }
}

template <SystemWithGaps S>
void gap_rates(const S& system, double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) {
  if constexpr (requires { system.gap_rates(t, q, r); }) {
    system.gap_rates(t, q, r);
  } else {
    r.setZero();
  }
}

template <SystemWithGaps S>
double dissipation(const S& system, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  if constexpr (requires { system.dissipation(t, q, v); }) return system.dissipation(t, q, v);
  return 0.0;
}

template <SystemWithGaps S>
double power(const S& system, double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  if constexpr (requires { system.power(t, q, v); }) return system.power(t, q, v);
  return 0.0;
}

template <SystemWithGaps S>
double next_break(const S& system, double t, bool touching) {
  if constexpr (requires { system.next_break(t, touching); }) return system.next_break(t, touching);
  return std::numeric_limits<double>::infinity();
}

template <SystemWithGaps S>
bool can_touch(const S& system, int contact, const Eigen::VectorXd& q) {
  if constexpr (requires { system.can_touch(contact, q); }) return system.can_touch(contact, q);
  return true;
}

template <SystemWithGaps S>
bool two_sided(const S& system, int contact) {
  if constexpr (requires { system.two_sided(contact); }) return system.two_sided(contact);
  return false;
}

template <SystemWithGaps S>
bool has_sparse_gradients(const S& system) {
  if constexpr (requires { system.has_sparse_gradients(); }) {
    return system.has_sparse_gradients();
  } else {
    return requires(const Eigen::VectorXd& q, SparseRows& G) { system.gap_gradients(0.0, q, G); };
  }
}

/// The gradients as sparse rows, of any system.
template <SystemWithGaps S>
void sparse_gap_gradients(const S& system, double t, const Eigen::VectorXd& q, SparseRows& G) {
  if constexpr (requires { system.gap_gradients(t, q, G); }) {
    system.gap_gradients(t, q, G);
  } else {
    Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(system.contacts(), system.coordinates());
    system.gap_gradients(t, q, dense);
    G = dense.sparseView(0.0, 0.0);
  }
}

template <SystemWithGaps S>
bool has_tangents(const S& system) {
  if constexpr (requires { system.has_tangents(); }) {
    return system.has_tangents();
  } else {
    return requires(const Eigen::VectorXd& q, SparseRows& T) { system.tangents(0.0, q, T); };
  }
}

template <SystemWithGaps S>
bool has_stiffness(const S& system) {
  if constexpr (requires { system.has_stiffness(); }) {
    return system.has_stiffness();
  } else {
    return requires(const Eigen::VectorXd& q, Eigen::MatrixXd& K) { system.stiffness(q, K); };
  }
}

}  // namespace carom
