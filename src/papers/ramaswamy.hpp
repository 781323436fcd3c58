#pragma once

#include <carom/papers/reproduction.hpp>

/// The parts of ramaswamy, one source file each, and its formulas.
namespace carom::ramaswamy {

void reproduce_form(Reproduction& paper);         ///< Section 2: eqs. (6)-(10)
void reproduce_damping(Reproduction& paper);      ///< Section 3: Figs. 1, 2, eqs. (13)-(17)
void reproduce_impact_time(Reproduction& paper);  ///< Section 4: Figs. 3-5, eqs. (19)-(25)

/// Eq. (16): epsilon for a restitution and a curvature exponent p; p = 0 is Hu and Guo's.
inline double damping_ratio(double restitution, double p) {
  const double c = restitution;
  return (3 + 2 * p) * (1 - c * c) / (2 * c) / ((3 + 2 * p) / (3 - 2 * p) + c);
}

}  // namespace carom::ramaswamy
