#pragma once

#include <filesystem>
#include <span>
#include <string>

#include <carom/laws/catalogue.hpp>

namespace carom {

/// All columns of numbers of a CSV file, for laws that are a measured curve. Throws InvalidInput
/// where the file cannot be read or a cell is not a finite number.
Columns read_columns(const std::filesystem::path& file);

/// From "name=number" each. Throws InvalidInput where that is not what a text says.
NamedNumbers named_numbers(std::span<const std::string> entries);

/// Radii of curvature [m] and names of materials in place of a stiffness: adds what Hertz makes of
/// them (stiffness, exponent 3/2, the radius of jkr) to the values of a law. `prefix` as the user
/// spells the fields. Throws InvalidInput where the law is not Hertz's, or the stiffness is given.
void add_hertz(const LawInfo& law, std::span<const double> radii,
               std::span<const std::string> materials, std::string_view prefix,
               FieldValues& values);

}  // namespace carom
