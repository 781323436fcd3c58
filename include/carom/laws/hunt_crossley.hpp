#pragma once

#include <algorithm>
#include <cmath>

#include <carom/laws/fields.hpp>
#include <carom/laws/law.hpp>

namespace carom {

/// f = k x^n (1 + mu v).  [HuntCrossley1975], papetti2011 eq. (1), ramaswamy eq. (1) with
/// lambda = mu k, poursina2020 eq. (9) (where lambda is called mu). Trajectories that start above
/// v = -1/mu never reach it, so the factor stays positive; it is clamped at zero for numerical
/// methods that overshoot.
struct HuntCrossley {
  double stiffness;       ///< k [N/m^n], > 0
  double exponent = 1.5;  ///< n, >= 1
  double mu = 0.0;        ///< lambda/k [s/m], >= 0

  static constexpr LawText text{
      "hunt-crossley", "HuntCrossley", "spring whose damper grows with the compression",
      "f = k x^n (1 + mu v)",
      "Hunt and Crossley, J. Appl. Mech. 42 (1975) 440; papetti2011 eq. (1)"};
  static constexpr std::tuple fields{
      stiffness_field(&HuntCrossley::stiffness), exponent_field(&HuntCrossley::exponent),
      NumberField("mu", &HuntCrossley::mu, "mu", "s/m", "damping over stiffness, lambda/k")
          .not_negative()
          .or_else(0)
          .starts_with(0.5)
          .or_restitution()
          .or_as("lambda", "N s/m^(n+1)", "the same damping as mu k", "stiffness",
                 &HuntCrossley::stiffness)};

  bool operator==(const HuntCrossley&) const = default;

  double lambda() const noexcept { return mu * stiffness; }  ///< [N s/m^(n+1)]

  double elastic_force(double x) const noexcept { return stiffness * positive_power(x, exponent); }
  double force(double x, double v) const noexcept {
    return elastic_force(x) * std::max(0.0, 1 + mu * v);
  }
  double potential(double x) const noexcept {
    return x > 0 ? elastic_force(x) * x / (exponent + 1) : 0.0;
  }

  // While bodies touch.
  Force force(double x, double v, const ContactMemory&) const noexcept {
    const double elastic = elastic_force(x);
    return {elastic, elastic * std::max(-1.0, mu * v)};
  }
  double potential(double x, const ContactMemory&) const noexcept { return potential(x); }
  /// f = dV/dx (1 + mu v) with this mu [s/m].
  double proportional_damping() const noexcept { return mu; }
  int grade() const noexcept { return grade_of_power(exponent); }
  double length_of_energy(double energy) const noexcept {
    return std::pow((exponent + 1) * energy / stiffness, 1 / (exponent + 1));
  }
};
static_assert(ContactLaw<HuntCrossley>);

}  // namespace carom
