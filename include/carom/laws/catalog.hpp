#pragma once

#include <array>
#include <string_view>
#include <variant>

#include <carom/laws/hertz_damper.hpp>
#include <carom/laws/hunt_crossley.hpp>
#include <carom/laws/power_law.hpp>

namespace carom {

/// Every compliant law. The border (command line, scenarios, Python) chooses one by name, once;
/// the loops inside are compiled for each.
using AnyLaw = std::variant<PowerLaw, HuntCrossley, HertzDamper>;

/// The names people write. kelvin-voigt is hertz-damper with exponent 1.
inline constexpr std::array<std::string_view, 4> law_names{"hunt-crossley", "hertz-damper",
                                                           "power-law", "kelvin-voigt"};

std::string_view law_name(const AnyLaw& law) noexcept;
void validate(const AnyLaw& law);

}  // namespace carom
