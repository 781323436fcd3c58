#pragma once

#include <carom/impact/impact.hpp>
#include <carom/laws/kelvin_voigt.hpp>

namespace carom {

/// One impact under f = k x^n + c v, poursina2020 eq. (8). There is no closed form: the motion is
/// summed as Taylor series of order 24 at rounding accuracy, in ln x near x = 0. Everything depends
/// on n and the dimensionless damping c/(k v^(n-1) m^n)^(1/(n+1)) alone. Relative accuracy 1e-12 or
/// better for exponents 1..5. With the zero-compression rule a strong damper creeps back for ever:
/// then `releases` is false.
Impact impact(const HertzDamper& law, const Collision& collision);
inline Impact impact(const KelvinVoigt& law, const Collision& collision) {
  return impact(law.as_hertz_damper(), collision);
}

/// Restitution and contact time only, in dimensionless form: damping c/(k v^(n-1) m^n)^(1/(n+1)).
struct DimensionlessRebound {
  double restitution;   ///< e; NaN when it never releases
  double loss;          ///< 1 - e^2, accurate also where it is tiny
  double contact_time;  ///< omega_i t
  bool releases;
};
/// At rounding accuracy, or to about the `tolerance` given: 1e-7 takes half the time.
DimensionlessRebound hertz_damper_rebound(double damping, double exponent,
                                          Release release = Release::zero_force,
                                          double tolerance = 0);

/// Kelvin-Voigt (n = 1) in closed form with the damping ratio xi = c/(2 sqrt(k m)) and times in
/// units of sqrt(m/k). Zero force: e = exp(-2 xi acos(xi)/sqrt(1-xi^2)), with acosh above xi = 1
/// (poursina2020 eq. (55), corrected), t = 2 acos(xi)/sqrt(1-xi^2).
/// Zero compression: e = exp(-pi xi/sqrt(1-xi^2)), t = pi/sqrt(1-xi^2); it never releases for xi
/// >= 1.
DimensionlessRebound kelvin_voigt_rebound(double damping_ratio,
                                          Release release = Release::zero_force);

}  // namespace carom
