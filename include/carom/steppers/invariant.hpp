#pragma once

#include <cmath>

namespace carom {

/// A Hunt-Crossley contact without external force conserves K(v) + V(x)/m along its trajectory,
/// K(v) = (v - ln(1 + mu v)/mu)/mu (v^2/2 for mu = 0): papetti2011 eq. (3) in other words. Returns
/// K(v1) - K(v0), without cancellation for velocities that are close or small against 1/mu.
inline double level_change(double mu, double v0, double v1) noexcept {
  const double change = v1 - v0, mean = 0.5 * (v0 + v1);
  if (!(mu > 0)) return change * mean;
  const double base = 1 + mu * v0, z = mu * change / base;
  if (!(std::abs(z) < 0.05)) return (change - std::log1p(z) / mu) / mu;
  // change = z base/mu: what is left of the logarithm after its first term is z^2/2 - z^3/3 + ...
  double tail = 0.0, power = 1.0;
  for (int j = 2; j < 15; ++j) {
    tail += (j % 2 == 0 ? power : -power) / j;
    power *= z;
  }
  return change * v0 / base + change * change / (base * base) * tail;
}

/// What the damper takes between two velocities of such a trajectory,
/// m (v0^2 - v1^2)/2 + m (K(v1) - K(v0)).  papetti2011 eq. (20).
inline double hunt_crossley_loss(double mass, double mu, double v0, double v1) noexcept {
  if (!(mu > 0)) return 0.0;
  return mass * (level_change(mu, v0, v1) - 0.5 * (v1 - v0) * (v0 + v1));
}

}  // namespace carom
