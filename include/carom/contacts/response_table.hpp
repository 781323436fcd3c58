#pragma once

#include <array>

#include <carom/contacts/collocation.hpp>

namespace carom {

/// What contact forces do through a response R(t) that is known at the points of a step only, the
/// Chebyshev-Lobatto points t_q = h fraction_q, 0 and h among them. R is taken for the polynomial
/// of degree 16 through its values there: of a mode with omega h <= 5 it differs by 1e-13. With f
/// known at the nodes of a clock (collocation.hpp), int_0^t R(t - tau) f(tau) dtau is
///   h sum_q R(t_q) sum_j kernel[q][j][k] f_j   at node k,
///   h sum_q R(t_q) sum_j end[q][j] f_j         at the end,
/// both exact for these polynomials. The tables depend on the clock alone.
struct ResponseTable {
  static constexpr int points = 17;
  static constexpr double longest = 5.0;  ///< omega h, at most
  using Points = std::array<double, points>;
  using Nodes = Collocation::Nodes;

  std::array<std::array<Nodes, Collocation::nodes>, points> kernel;  ///< [point][node of f][node]
  std::array<Nodes, points> end;                                     ///< [point][node of f]
  std::array<Nodes, points> at_node;  ///< [point][node]: values at the points to values at nodes

  /// The tables, made once.
  static const ResponseTable& of(const Collocation& clock);
  static const Points& fractions();
  /// The weights of the points in the value at h * fraction.
  static Points weights_at(double fraction) noexcept;
};

}  // namespace carom
