#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>

#include "command.hpp"

namespace carom::cli {

/// The flags that name a contact law, shared by `impact` and `identify`: one for every field that
/// any of the laws declares, and --restitution.
struct LawFlags {
  std::string law = "hunt-crossley";
  std::map<std::string, std::optional<double>, std::less<>> numbers;
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, std::vector<std::string>, std::less<>> lists;
  std::string radii, materials;  ///< with commas; they stand for the stiffness (Hertz)

  /// Nothing where the flag was not given or does not exist.
  std::optional<double> number(std::string_view name) const;
  /// Everything that was given.
  FieldValues values() const;
};

/// --law with these names and the flags of their fields, but for those that `without` names.
std::vector<Flag> law_flags(LawFlags& flags, std::span<const std::string_view> laws,
                            std::span<const std::string_view> without = {});

/// Throws InvalidInput naming every flag of the list, and every flag the law needs, that was not
/// given.
void require_flags(
    std::initializer_list<std::pair<const char*, const std::optional<double>*>> flags,
    const LawFlags* law = nullptr);

/// The law the flags describe. A restitution is turned into the damping that gives exactly it at
/// this collision. Contradictory and foreign flags are refused.
AnyLaw law_from(const LawFlags& flags, const Collision& collision);

/// Throws InvalidInput when a flag was given that the law has no use for.
void refuse_foreign_flags(const LawFlags& flags);

/// Exponent of the law: as given, else what the law has by itself.
double exponent_of(const LawFlags& flags);

Release release_of(const LawFlags& flags);
std::string_view release_name(Release release) noexcept;

}  // namespace carom::cli
