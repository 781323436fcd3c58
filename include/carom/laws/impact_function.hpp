#pragma once

#include <algorithm>
#include <cmath>

#include <carom/laws/fields.hpp>
#include <carom/laws/law.hpp>

namespace carom {

/// f = max(0, k x^n + c s^2 (3 - 2 s) v), s = min(x/d, 1): the IMPACT function of MSC Adams, a
/// spring with a linear damper that fades in over the depth d, so that the force does not jump at
/// touch.  [MSCAdams] IMPACT and STEP
///
/// A damper that outweighs the spring in rebound makes the force zero, not the contact: it has a
/// force again where the damper has faded. The two are branches of the law; memory.unloading is
/// true where the force is zero.
struct ImpactFunction {
  double stiffness;       ///< k [N/m^n], > 0
  double exponent = 1.5;  ///< n, 1..20
  double damping = 0.0;   ///< c [N s/m], >= 0
  double depth;           ///< d [m], > 0

  static constexpr LawText text{"impact-function", "ImpactFunction",
                                "spring with a linear damper that fades in over a depth",
                                "f = k x^n + c step(x/d) v", "[MSCAdams] IMPACT"};
  static constexpr std::tuple fields{
      stiffness_field(&ImpactFunction::stiffness), exponent_field(&ImpactFunction::exponent),
      damping_field(&ImpactFunction::damping, "N s/m", "c of the damper at full depth"),
      NumberField("depth", &ImpactFunction::depth, "d", "m", "over which the damper fades in")
          .positive()
          .starts_with(1e-4)};

  bool operator==(const ImpactFunction&) const = default;

  double elastic_force(double x) const noexcept { return stiffness * positive_power(x, exponent); }
  double damping_at(double x) const noexcept {
    const double s = std::clamp(x / depth, 0.0, 1.0);
    return damping * s * s * (3 - 2 * s);
  }

  // While bodies touch.
  Force force(double x, double v, const ContactMemory& m) const noexcept {
    const double elastic = elastic_force(x);
    return {elastic, m.unloading ? -elastic : std::max(-elastic, damping_at(x) * v)};
  }
  double potential(double x, const ContactMemory&) const noexcept {
    return x > 0 ? elastic_force(x) * x / (exponent + 1) : 0.0;
  }
  int grade() const noexcept { return grade_of_power(exponent); }
  double length_of_energy(double energy) const noexcept {
    return std::pow((exponent + 1) * energy / stiffness, 1 / (exponent + 1));
  }

  double switching(double x, double v, const ContactMemory& m) const noexcept {
    const double elastic = elastic_force(x), total = elastic + damping_at(x) * v;
    if (m.unloading) return -total;
    return v < 0 && x > 0 ? total : elastic + 1;
  }
  ContactMemory flip(double /*x*/, const ContactMemory& m) const noexcept {
    return {.unloading = !m.unloading};
  }
};
static_assert(BranchingLaw<ImpactFunction>);

}  // namespace carom
