#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include <carom/impact/impact.hpp>
#include <carom/laws/catalog.hpp>

#include "command.hpp"

namespace carom::cli {

/// The flags that name a contact law, shared by `impact` and `identify`.
struct LawFlags {
  std::string law = "hunt-crossley";
  std::optional<double> stiffness, exponent, mu, lambda, damping, restitution;
  std::string release = "zero-force";
};

/// All but --damping, which `identify` finds. `exponent_help` says what happens without an
/// exponent.
std::vector<Flag> law_flags(LawFlags& flags, const char* exponent_help);

/// Throws InvalidInput naming every flag of the list that was not given.
void require_flags(
    std::initializer_list<std::pair<const char*, const std::optional<double>*>> flags);

/// The law the flags describe; they have a stiffness. A restitution is turned into the damping that
/// gives exactly it at this collision. Contradictory and foreign flags are refused.
AnyLaw law_from(const LawFlags& flags, const Collision& collision);

/// Throws InvalidInput when a flag was given that the law has no use for.
void refuse_foreign_flags(const LawFlags& flags);

/// Exponent of the law: as given, 1 for kelvin-voigt, 3/2 otherwise.
double exponent_of(const LawFlags& flags);

Release release_of(const LawFlags& flags);
const char* release_name(Release release) noexcept;

}  // namespace carom::cli
