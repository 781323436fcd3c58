#pragma once

#include <carom/impact/impact.hpp>

#include "hunt_crossley_path.hpp"
#include "taylor_path.hpp"

namespace carom::detail {

/// The units in which an impact depends on epsilon (or the dimensionless damping) and n alone:
/// ramaswamy eqs. (3)-(6).
struct Scales {
  double mass;
  double speed;
  double exponent;
  double omega;   ///< omega_i = (k v^(n-1)/m)^(1/(n+1)) [rad/s]
  double length;  ///< v/omega [m]
  double force;   ///< m v omega [N]
  double push;    ///< external force in units of `force`
  double rest;    ///< equilibrium compression [m]

  /// Validates the collision; throws InvalidInput when a scale does not fit into a double.
  Scales(double stiffness, double exponent, const Collision& collision);

  double energy_in() const noexcept { return 0.5 * mass * speed * speed; }
  double damping(double c) const noexcept { return c / (mass * omega); }  ///< of c [N s/m]
};

/// Throws InvalidInput unless every number of the impact is one a double holds to full accuracy.
void require_representable(const Impact& impact);

Impact to_impact(const Scales& scales, const DimensionlessImpact& shape);
inline Impact to_impact(const Scales& scales, const HuntCrossleyPath& path) {
  return to_impact(scales, path.summary());
}
Impact to_impact(const Scales& scales, const TaylorPath& path);

/// epsilon = mu v, checked.
double epsilon_of(double mu, double speed);

/// Throws InvalidInput if there is an external force, for the quantities defined without one.
void require_no_force(const char* what, const Collision& collision);

}  // namespace carom::detail
