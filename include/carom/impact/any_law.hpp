#pragma once

#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/history.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/impact/power_law.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {

/// One impact under any law, by collocation in contact space (contacts/contact_march.hpp): relative
/// accuracy 1e-12. The laws with a closed form have overloads of their own.
Impact collocated_impact(const AnyLaw& law, const Collision& collision);

template <ContactLaw Law>
Impact impact(const Law& law, const Collision& collision) {
  return collocated_impact(law, collision);
}

/// The law was chosen by name at run time.
inline Impact impact(const AnyLaw& law, const Collision& collision) {
  return std::visit([&](const auto& chosen) { return impact(chosen, collision); }, law);
}

inline ImpactHistory impact_history(const AnyLaw& law, const Collision& collision) {
  return std::visit([&](const auto& chosen) { return ImpactHistory(chosen, collision); }, law);
}

}  // namespace carom
