#pragma once

#include <algorithm>
#include <cmath>

#include <carom/laws/fields.hpp>
#include <carom/laws/law.hpp>

namespace carom {

/// Loading along k1 x, unloading along the steeper k2 (x - x0) from the deepest point, where the
/// two meet: x0 = deepest (1 - k1/k2) is left. Loaded again before release, the contact follows
/// its unloading line up to the deepest point and yields from there.  [WaltonBraun1986]
///
/// The restitution is sqrt(k1/k2) at every speed. While it yields the contact stores what
/// unloading will return, V = k1^2 x^2/(2 k2); the rest of the work is lost.
struct WaltonBraun {
  double stiffness;            ///< k1 [N/m], > 0
  double unloading_stiffness;  ///< k2 [N/m], >= k1

  static constexpr LawText text{
      "walton-braun", "WaltonBraun", "plastic: unloading is steeper than loading and leaves a dent",
      "f = k1 x loading, k2 (x - x0) unloading", "Walton and Braun, J. Rheol. 30 (1986) 949"};
  static constexpr std::tuple fields{
      NumberField("stiffness", &WaltonBraun::stiffness, "k1", "N/m", "stiffness of loading")
          .positive()
          .starts_with(1e6),
      FixedField("exponent", "n", 1),
      NumberField("unloading_stiffness", &WaltonBraun::unloading_stiffness, "k2", "N/m",
                  "stiffness of unloading")
          .at_least("stiffness", &WaltonBraun::stiffness)
          .or_restitution()};

  bool operator==(const WaltonBraun&) const = default;

  /// The compression that unloading leaves.
  double left(const ContactMemory& m) const noexcept {
    return m.unloading ? m.deepest * (1 - stiffness / unloading_stiffness) : 0.0;
  }

  // While bodies touch.
  Force force(double x, double /*v*/, const ContactMemory& m) const noexcept {
    if (m.unloading) return {unloading_stiffness * (x - left(m)), 0.0};
    const double total = stiffness * x, stored = total * (stiffness / unloading_stiffness);
    return {stored, total - stored};
  }
  double potential(double x, const ContactMemory& m) const noexcept {
    const double f = m.unloading ? unloading_stiffness * (x - left(m)) : stiffness * x;
    return f * f / (2 * unloading_stiffness);
  }
  int grade() const noexcept { return 2; }
  /// Of all the work, stored and lost: the depth of an impact.
  double length_of_energy(double energy) const noexcept {
    return std::sqrt(2 * energy / stiffness);
  }
  double edge(const ContactMemory& m) const noexcept { return left(m); }

  // Yielding ends where the body turns round, unloading where it comes back to the deepest point.
  double switching(double x, double v, const ContactMemory& m) const noexcept {
    if (!m.unloading) return v;
    return v > 0 ? m.deepest - x : m.deepest;
  }
  ContactMemory flip(double x, const ContactMemory& m) const noexcept {
    return m.unloading ? ContactMemory{} : ContactMemory{.deepest = x, .unloading = true};
  }
};
static_assert(BranchingLaw<WaltonBraun>);

}  // namespace carom
