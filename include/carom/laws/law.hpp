#pragma once

#include <concepts>

namespace carom {

/// What a contact does: a force that depends on compression and its rate, and the elastic energy
/// that is stored. Signs (docs/conventions.md): x > 0 in contact, v = dx/dt > 0 approaching,
/// force >= 0 pushes apart. The elastic part is k x^n for every compliant law here.
template <class L>
concept ContactLaw = std::equality_comparable<L> && requires(const L& law, double x, double v) {
  { law.force(x, v) }
  noexcept->std::same_as<double>;  // [N], 0 for x <= 0
  { law.elastic_force(x) }
  noexcept->std::same_as<double>;  // [N], d potential / dx
  { law.potential(x) }
  noexcept->std::same_as<double>;                    // [J], 0 for x <= 0
  { law.stiffness } -> std::convertible_to<double>;  // k [N/m^n]
  { law.exponent } -> std::convertible_to<double>;   // n
};

}  // namespace carom
