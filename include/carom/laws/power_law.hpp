#pragma once

#include <algorithm>
#include <cmath>

#include <carom/laws/fields.hpp>
#include <carom/laws/law.hpp>

namespace carom {

/// Lossless contact, f = k x^n; the Hertz spring for n = 3/2.  [Hertz1882]
struct PowerLaw {
  double stiffness;       ///< k [N/m^n], > 0
  double exponent = 1.5;  ///< n, >= 1

  static constexpr LawText text{"power-law", "PowerLaw", "lossless spring of any exponent",
                                "f = k x^n",
                                "Hertz, J. reine angew. Math. 92 (1882) 156, for n = 3/2"};
  static constexpr std::tuple fields{stiffness_field(&PowerLaw::stiffness),
                                     exponent_field(&PowerLaw::exponent)};

  bool operator==(const PowerLaw&) const = default;

  double elastic_force(double x) const noexcept { return stiffness * positive_power(x, exponent); }
  double force(double x, double /*v*/) const noexcept { return elastic_force(x); }
  double potential(double x) const noexcept {
    return x > 0 ? elastic_force(x) * x / (exponent + 1) : 0.0;
  }

  // While bodies touch.
  Force force(double x, double /*v*/, const ContactMemory&) const noexcept {
    return {elastic_force(x), 0.0};
  }
  double potential(double x, const ContactMemory&) const noexcept { return potential(x); }
  /// f = dV/dx (1 + mu v) with this mu [s/m].
  double proportional_damping() const noexcept { return 0.0; }
  int grade() const noexcept { return grade_of_power(exponent); }
  double length_of_energy(double energy) const noexcept {
    return std::pow((exponent + 1) * energy / stiffness, 1 / (exponent + 1));
  }
};
static_assert(ContactLaw<PowerLaw>);

}  // namespace carom
