#pragma once

#include <carom/impact/impact.hpp>
#include <carom/laws/hunt_crossley.hpp>

namespace carom {

// One impact under f = k x^n (1 + mu v), exactly. With phi(z) = z - ln(1 + z) the motion keeps
//     phi(mu v_in) - phi(mu v) = (k mu^2/m) x^(n+1)/(n+1)                    (papetti2011 eq. (3)),
// from which everything below follows without approximation. Relative accuracy 1e-12 or better (in
// most of the range 1e-14) for mass 1e-6..1e4, stiffness 1..1e13, exponent 1..5, speed 1e-4..1e3
// and epsilon = mu v_in from 0 to 1e3; beyond that gracefully. What does not fit into a double
// throws InvalidInput.

/// Restitution e from epsilon = mu v_in >= 0; the solution of papetti2011 eq. (6),
/// e = (1 + W0(-(1+eps) exp(-(1+eps))))/eps. About 80 ns.
double restitution_of_epsilon(double epsilon);

/// The exact inverse: epsilon from a restitution 0 < e <= 1, for any exponent. poursina2020
/// eqs. (18), (19). About 90 ns.
double epsilon_of_restitution(double restitution);

/// |v_out| [m/s] for mu [s/m] and v_in [m/s]: depends on nothing else.
double rebound_speed(double mu, double speed);

/// papetti2011 eqs. (7), (8): the published approximation of |v_out| at any order (4 in the paper),
/// its coefficients by the recursion (38). Order 1..40.
double published_rebound_speed(double mu, double speed, int order = 4);

/// x_max [m], papetti2011 eq. (4). No external force.
double max_compression(const HuntCrossley& law, const Collision& collision);

/// Contact time [s], papetti2011 eq. (9). No external force.
double contact_time(const HuntCrossley& law, const Collision& collision);

/// x(v) [m] and H(v) [J] on the path, papetti2011 eqs. (3) and (20), for -|v_out| <= rate <= speed.
/// No external force.
double compression_at_rate(const HuntCrossley& law, const Collision& collision, double rate);
double energy_at_rate(const HuntCrossley& law, const Collision& collision, double rate);

/// Dimensionless contact time omega_i t and largest compression, force in units of v/omega_i and
/// m v omega_i: functions of epsilon and the exponent alone (ramaswamy eq. (9)).
struct DimensionlessImpact {
  double contact_time;
  double max_compression;
  double max_compression_time;
  double max_force;
  double max_force_time;
  double restitution;
  double loss;  ///< 1 - restitution^2, without cancellation
};
DimensionlessImpact dimensionless_impact(double epsilon, double exponent);

/// The whole impact, also under a constant external force (papetti2011 Sect. II-B with the signs of
/// the conventions: m a = -f + f_e).
Impact impact(const HuntCrossley& law, const Collision& collision);

}  // namespace carom
