#pragma once

#include <optional>

#include <carom/identify/identified.hpp>

namespace carom {

/// 95 % half widths of the numbers that a law has: `width` gets a function from a law to one of its
/// numbers.
template <class Width>
LawUncertainty law_uncertainty(const Identified& law, Width width) {
  const auto of = [&](std::optional<double> Identified::*member) -> std::optional<double> {
    if (!(law.*member)) return {};
    return width([member](const Identified& one) { return *(one.*member); });
  };
  return {.stiffness = of(&Identified::stiffness),
          .exponent = of(&Identified::exponent),
          .mu = of(&Identified::mu),
          .lambda = of(&Identified::lambda),
          .damping = of(&Identified::damping),
          .epsilon = width([](const Identified& one) { return one.epsilon; }),
          .omega = of(&Identified::omega)};
}

}  // namespace carom
