#pragma once

#include <string>
#include <variant>

#include <carom/core/error.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {

/// The laws that the steppers have equations for.
using SteppedLaw = std::variant<PowerLaw, HuntCrossley, HertzDamper>;

/// Throws InvalidInput for any other.
inline SteppedLaw stepped_law(const AnyLaw& law) {
  return std::visit(
      []<class Law>(const Law& chosen) -> SteppedLaw {
        if constexpr (std::is_same_v<Law, KelvinVoigt>) {
          return chosen.as_hertz_damper();
        } else if constexpr (std::is_constructible_v<SteppedLaw, Law>) {
          return chosen;
        } else {
          throw InvalidInput("law '" + std::string(Law::text.name) +
                             "' is answered by method exact only");
        }
      },
      law);
}

}  // namespace carom
