#pragma once

#include <carom/core/error.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/history.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/impact/power_law.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {

/// One impact under any law, by collocation in contact space (contacts/contact_march.hpp): relative
/// accuracy 1e-12. The laws with a closed form have overloads of their own.
Impact collocated_impact(AnyLaw law, const Collision& collision);

template <ContactLaw Law>
Impact impact(const Law& law, const Collision& collision) {
  const Impact hit = collocated_impact(law, collision);
  if constexpr (requires { law.reach(); }) {
    if (hit.max_compression > law.reach())
      throw InvalidInput("the impact is " + number_text(hit.max_compression) +
                         " m deep, beyond the last compression of law '" +
                         std::string(Law::text.name) + "', " + number_text(law.reach()) + " m");
  }
  return hit;
}

/// The law was chosen by name at run time.
inline Impact impact(const AnyLaw& law, const Collision& collision) {
  return std::visit([&](const auto& chosen) { return impact(chosen, collision); }, law);
}

inline ImpactHistory impact_history(const AnyLaw& law, const Collision& collision) {
  return std::visit([&](const auto& chosen) { return ImpactHistory(chosen, collision); }, law);
}

}  // namespace carom
