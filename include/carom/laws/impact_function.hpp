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
/// force again where the damper has faded. The force is smooth on each of three branches:
/// fading (x < d), full (memory.deepest = d) and zero (memory.unloading).
struct ImpactFunction {
  double stiffness;       ///< k [N/m^n], > 0
  double exponent = 1.5;  ///< n, 1..20
  double damping = 0.0;   ///< c [N s/m], >= 0
  double depth;           ///< d [m], > 0

  static constexpr LawText text{"impact-function", "ImpactFunction",
                                "spring with a linear damper that fades in over a depth",
                                "f = k x^n + c step(x/d) v", "MSC Adams, function IMPACT"};
  static constexpr std::tuple fields{
      stiffness_field(&ImpactFunction::stiffness), exponent_field(&ImpactFunction::exponent),
      damping_field(&ImpactFunction::damping, "N s/m", "c of the damper at full depth"),
      NumberField("depth", &ImpactFunction::depth, "d", "m", "over which the damper fades in")
          .positive()
          .starts_with(1e-5)};

  bool operator==(const ImpactFunction&) const = default;

  double elastic_force(double x) const noexcept { return stiffness * positive_power(x, exponent); }
  double damping_at(double x) const noexcept {
    const double s = std::clamp(x / depth, 0.0, 1.0);
    return damping * s * s * (3 - 2 * s);
  }

  // While bodies touch.
  Force force(double x, double v, const ContactMemory& m) const noexcept {
    const double elastic = elastic_force(x), s = x / depth;
    if (m.unloading) return {elastic, -elastic};
    const double faded = m.deepest > 0 ? damping : damping * s * s * std::max(0.0, 3 - 2 * s);
    return {elastic, std::max(-elastic, faded * v)};
  }
  double potential(double x, const ContactMemory&) const noexcept {
    return x > 0 ? elastic_force(x) * x / (exponent + 1) : 0.0;
  }
  int grade() const noexcept { return grade_of_power(exponent); }
  double length_of_energy(double energy) const noexcept {
    return std::pow((exponent + 1) * energy / stiffness, 1 / (exponent + 1));
  }

  double switching(double x, double v, const ContactMemory& m) const noexcept {
    // The force over that of the spring: it does not vanish with x.
    const double outer = std::max(x, 1e-9 * depth),
                 push = 1 + damping_at(outer) * v / elastic_force(outer);
    if (m.unloading) return -push;
    // Towards the depth at which the damper is full, and towards zero force.
    const double side = m.deepest > 0 ? 1 : -1,
                 to_depth = side * v < 0 ? side * (x / depth - 1) : 1;
    return v < 0 ? std::min(push, to_depth) : to_depth;
  }
  ContactMemory flip(double x, const ContactMemory& m) const noexcept {
    constexpr double landed = 1e-9;  // steps end on an event much closer than that
    if (m.unloading) return {.deepest = x > depth ? depth : 0.0};
    if (std::abs(x - depth) < landed * depth) return {.deepest = m.deepest > 0 ? 0.0 : depth};
    return {.deepest = m.deepest, .unloading = true};
  }
};
static_assert(BranchingLaw<ImpactFunction>);

}  // namespace carom
