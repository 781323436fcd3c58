#include <cmath>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/core/number.hpp>
#include <carom/scenario/law_values.hpp>

#include "table_file.hpp"

namespace carom {

Columns read_columns(const std::filesystem::path& file) { return columns_of(TableFile(file)); }

NamedNumbers named_numbers(std::span<const std::string> entries) {
  NamedNumbers numbers;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    const auto value = equals == std::string::npos
                           ? std::nullopt
                           : parse_number(std::string_view(entry).substr(equals + 1));
    if (equals == 0 || !value || !std::isfinite(*value))
      throw InvalidInput(fmt::format("'{}': must be NAME=NUMBER, such as k=1e9", entry));
    if (!numbers.emplace(entry.substr(0, equals), *value).second)
      throw InvalidInput(fmt::format("'{}': {} is given twice", entry, entry.substr(0, equals)));
  }
  return numbers;
}

}  // namespace carom
