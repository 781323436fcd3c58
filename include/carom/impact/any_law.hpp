#pragma once

#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/history.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/impact/power_law.hpp>
#include <carom/laws/catalog.hpp>

namespace carom {

// The border's view of one impact: the law was chosen by name at run time.

inline Impact impact(const AnyLaw& law, const Collision& collision) {
  return std::visit([&](const auto& chosen) { return impact(chosen, collision); }, law);
}

inline ImpactHistory impact_history(const AnyLaw& law, const Collision& collision) {
  return std::visit([&](const auto& chosen) { return ImpactHistory(chosen, collision); }, law);
}

}  // namespace carom
