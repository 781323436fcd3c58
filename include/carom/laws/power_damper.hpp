#pragma once

#include <algorithm>
#include <cmath>

#include <carom/laws/fields.hpp>
#include <carom/laws/law.hpp>

namespace carom {

/// f = k x^n + c x^p v: a spring with a parallel damper that grows with a power of the compression.
/// Hertz-damper for p = 0, Hunt-Crossley for p = n, tsuji for p = (n - 1)/2, kuwabara-kono for
/// p = n - 1.
///
/// Where p < n the damper outweighs the spring near x = 0, and the contact lets go as soon as the
/// force would pull. Where p >= n the force vanishes where v = -(k/c) x^(n-p), which no rebound
/// reaches: the bound does not fall on the way out, and there the body is not accelerated. It is
/// clamped at zero for numerical methods that overshoot.
struct PowerDamper {
  double stiffness;         ///< k [N/m^n], > 0
  double exponent = 1.5;    ///< n, 1..20
  double damping = 0.0;     ///< c [N s/m^(p+1)], >= 0
  double damping_exponent;  ///< p, 0..20

  static constexpr LawText text{
      "power-damper", "PowerDamper", "spring with a parallel damper, each with its own power",
      "f = k x^n + c x^p v",
      "Hunt and Crossley, J. Appl. Mech. 42 (1975) 440, with general powers"};
  static constexpr std::tuple fields{
      stiffness_field(&PowerDamper::stiffness), exponent_field(&PowerDamper::exponent),
      damping_field(&PowerDamper::damping, "N s/m^(p+1)", "c in c x^p v"),
      NumberField("damping_exponent", &PowerDamper::damping_exponent, "p", "", "p in c x^p v")
          .within(0, largest_exponent)
          .starts_with(1)};

  bool operator==(const PowerDamper&) const = default;

  double elastic_force(double x) const noexcept { return stiffness * positive_power(x, exponent); }

  // While bodies touch.
  Force force(double x, double v, const ContactMemory&) const noexcept {
    const double elastic = elastic_force(x);
    const double power = damping_exponent == 0.5 ? std::sqrt(std::max(x, 0.0))
                                                 : std::pow(std::max(x, 0.0), damping_exponent);
    const double lost = damping * power * v;
    return {elastic, damping_exponent < exponent ? lost : std::max(-elastic, lost)};
  }
  double potential(double x, const ContactMemory&) const noexcept {
    return x > 0 ? elastic_force(x) * x / (exponent + 1) : 0.0;
  }
  int grade() const noexcept {
    return std::max(grade_of_power(exponent), damping > 0 ? grade_of_power(damping_exponent) : 2);
  }
  double length_of_energy(double energy) const noexcept {
    return std::pow((exponent + 1) * energy / stiffness, 1 / (exponent + 1));
  }
  bool releases_by_force() const noexcept { return damping > 0 && damping_exponent < exponent; }
};
static_assert(ContactLaw<PowerDamper>);

}  // namespace carom
