#pragma once

#include <algorithm>
#include <cmath>

#include <carom/laws/hertz_damper.hpp>
#include <carom/laws/hunt_crossley.hpp>
#include <carom/laws/law.hpp>
#include <carom/laws/power_law.hpp>
#include <carom/steppers/wall_problem.hpp>

namespace carom {

/// The damping of a law written as f = k x^n (1 + mu v) + c v, which covers every compliant law.
struct Damping {
  double mu = 0.0;      ///< [s/m]
  double linear = 0.0;  ///< c [N s/m]
};
constexpr Damping damping(const PowerLaw&) noexcept { return {}; }
constexpr Damping damping(const HuntCrossley& law) noexcept { return {law.mu, 0.0}; }
constexpr Damping damping(const HertzDamper& law) noexcept { return {0.0, law.damping}; }

/// True when the contact ends where the force vanishes, with compression left.
constexpr bool releases_at_zero_force(const PowerLaw&) noexcept { return false; }
constexpr bool releases_at_zero_force(const HuntCrossley&) noexcept { return false; }
constexpr bool releases_at_zero_force(const HertzDamper& law) noexcept {
  return law.release == Release::zero_force && law.damping > 0;
}

/// True when the contact holds on to x = 0 and pulls before.
constexpr bool may_pull(const PowerLaw&) noexcept { return false; }
constexpr bool may_pull(const HuntCrossley&) noexcept { return false; }
constexpr bool may_pull(const HertzDamper& law) noexcept {
  return law.release == Release::zero_compression;
}

/// One contact of one effective mass: dx/dt = v, m dv/dt = -f(x, v) + f_e.
template <ContactLaw Law>
struct ContactProblem {
  Law law;
  double mass;                 ///< m [kg], > 0
  double force = 0.0;          ///< f_e [N], constant during contact; > 0 pushes into it
  bool events_located = true;  ///< false: the method is blind to x = 0 between samples

  /// With located events the body is known to be in contact: the damper of a Hertz-damper acts
  /// from first touch on and nothing is cut off; otherwise the law's own case distinction.
  double contact_force(double x, double v) const noexcept {
    if (!events_located) return law.force(x, v);
    const Damping d = damping(law);
    const double factor = 1 + d.mu * v;
    return law.elastic_force(x) * (factor > 0 ? factor : 0.0) + d.linear * v;
  }
  double acceleration(double x, double v) const noexcept {
    return (force - contact_force(x, v)) / mass;
  }
  /// > 0 while in contact; the contact ends where it crosses zero.
  double release_function(double x, double v) const noexcept {
    return releases_at_zero_force(law) ? law.elastic_force(x) + damping(law).linear * v : x;
  }
  double energy(double x, double v) const noexcept { return 0.5 * mass * v * v + law.potential(x); }
  /// What the damper takes [W], >= 0.
  double dissipated_power(double x, double v) const noexcept {
    const Damping d = damping(law);
    return (d.mu * law.elastic_force(x) + d.linear) * v * v;
  }
};

/// What one call of a method's `advance` did.
struct Advance {
  double used;            ///< time advanced [s]; less than asked only at release
  double dissipated;      ///< [J], >= 0
  double injected;        ///< work of the external force [J]
  bool released;          ///< the contact has ended at the new state
  bool converged = true;  ///< false: an iteration reached its bound
};

/// The scales of one impact, for tolerances and step sizes: length and speed are of the order of
/// the greatest compression and speed, `time` of the contact time without damping.
struct ContactScales {
  double length, speed, time;
};
template <ContactLaw Law>
ContactScales contact_scales(const ContactProblem<Law>& problem, double x, double v) noexcept {
  const double speed = std::sqrt(2 * problem.energy(x, v) / problem.mass);
  const double k = problem.law.stiffness, n = problem.law.exponent, m = problem.mass;
  const double free_length =
      speed > 0 ? std::pow(0.5 * (n + 1) * m * speed * speed / k, 1 / (n + 1)) : 0.0;
  const double forced_length = std::pow((n + 1) * std::abs(problem.force) / k, 1 / n);
  const double length = std::max(free_length, forced_length);
  const double fastest = std::max(speed, std::sqrt(2 * std::abs(problem.force) * length / m));
  return {length, fastest, length / fastest};
}

}  // namespace carom
