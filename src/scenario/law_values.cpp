#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/scenario/law_values.hpp>

#include "table_file.hpp"

namespace carom {

Columns read_columns(const std::filesystem::path& file) {
  const TableFile table(file);
  Columns columns;
  for (const std::string& name : table.names()) columns[name] = table.column(name);
  return columns;
}

NamedNumbers named_numbers(std::span<const std::string> entries) {
  NamedNumbers numbers;
  for (const std::string& entry : entries) {
    const std::size_t equals = entry.find('=');
    double value = 0;
    const char* end = entry.data() + entry.size();
    const auto parsed = equals == std::string::npos
                            ? std::from_chars_result{end, std::errc::invalid_argument}
                            : std::from_chars(entry.data() + equals + 1, end, value);
    if (equals == 0 || parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value))
      throw InvalidInput(fmt::format("'{}': must be NAME=NUMBER, such as k=1e9", entry));
    if (!numbers.emplace(entry.substr(0, equals), value).second)
      throw InvalidInput(fmt::format("'{}': {} is given twice", entry, entry.substr(0, equals)));
  }
  return numbers;
}

}  // namespace carom
