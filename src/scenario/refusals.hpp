#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include <carom/contacts/system_march.hpp>

namespace carom {

/// The classical methods of any system by name; nothing for all others.
inline std::optional<SystemScheme> classical_scheme(std::string_view method) noexcept {
  for (const auto& [name, scheme] : {std::pair{"rk4", SystemScheme::rk4},
                                     {"heun-textbook", SystemScheme::heun},
                                     {"verlet-textbook", SystemScheme::verlet},
                                     {"trapezoid", SystemScheme::trapezoid}}) {
    if (method == name) return scheme;
  }
  return {};
}

}  // namespace carom

/// Why laws and methods do not serve where they do not: reasons that several kinds share, each a
/// clause that follows a colon (Kind::refusal).
namespace carom::refusals {

inline constexpr std::string_view carried_force =
    "the carried-force form of papetti2011 is defined for one mass on a wall";
inline constexpr std::string_view hamiltonian =
    "its Hamiltonian variables are those of one mass on a wall";
inline constexpr std::string_view impacts_only =
    "it steps over impacts that take no time, and this law has a force and a contact time";
inline constexpr std::string_view resolves_modes =
    "the modes move exactly, and a classical step would have to resolve the highest of them";

/// The classical methods, which evaluate a force a few times in a step of fixed length.
inline bool is_classical(std::string_view method) noexcept {
  return classical_scheme(method).has_value();
}
inline bool carries_force(std::string_view method) noexcept {
  return method == "heun" || method == "verlet";
}
/// The methods whose contacts are impulses.
inline bool is_nonsmooth(std::string_view method) noexcept {
  return method == "moreau-jean" || method == "paoli-schatzman";
}

}  // namespace carom::refusals
