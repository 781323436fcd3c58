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

}  // namespace carom
