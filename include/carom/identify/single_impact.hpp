#pragma once

#include <carom/identify/identified.hpp>
#include <carom/impact/tabulated_impact.hpp>

namespace carom {

// One measured impact to a law, exactly. The impact depends on (epsilon, n) in units of omega_i,
// so: the restitution gives epsilon; the exponent is given, or follows from the ratio of two of
// contact time, largest compression, largest force and stiffness; one of these four gives omega_i
// and k. Well posed are, besides the speed (and the mass wherever a force or stiffness is
// involved):
//   restitution, stiffness                                             -> lambda
//   restitution, exponent, one of contact time, max compression, max force, stiffness -> the law
//   restitution, two of contact time, max compression, max force, stiffness           -> the law,
//   with n
// Instead of the restitution: mu, or lambda with the stiffness. Anything less is refused with what
// is missing; anything more must agree to 1e-9 or is refused as contradictory.

/// `tabulated`: for many impacts of its exponent.
Identified identify_hunt_crossley(const Measurement& measured, Formula formula = Formula::exact,
                                  TabulatedImpact* tabulated = nullptr);

/// The same for f = k x^n + c v. With exponent 1 (Kelvin-Voigt) closed forms are used and the speed
/// is not needed: under the zero-compression rule c = -2 m ln(e)/t, k = m (pi^2 + ln(e)^2)/t^2.
Identified identify_hertz_damper(const Measurement& measured, Formula formula = Formula::exact,
                                 Release release = Release::zero_force);

/// The dimensionless damping c/(k v^(n-1) m^n)^(1/(n+1)) that gives the restitution e, 0 < e <= 1:
/// the exact inverse that poursina2020 eq. (49) approximates.
double damping_of_restitution(double restitution, double exponent,
                              Release release = Release::zero_force);

/// The damping ratio xi = c/(2 sqrt(k m)) of Kelvin-Voigt with the restitution e.
double damping_ratio_of_restitution(double restitution, Release release = Release::zero_force);

}  // namespace carom
