#include <cmath>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/core/number.hpp>
#include <carom/scenario/law_values.hpp>
#include <carom/systems/materials.hpp>

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

void add_hertz(const LawInfo& law, std::span<const double> radii,
               std::span<const std::string> materials, std::string_view prefix,
               FieldValues& values) {
  const std::string name = spelled(prefix, "radii");
  const FieldInfo *stiffness = law.find("stiffness"), *exponent = law.find("exponent");
  // The stiffness of jkr is that of Hertz by definition; it has no exponent.
  const bool hertz =
      stiffness != nullptr &&
      (exponent == nullptr ? law.find("radius") != nullptr
                           : exponent->type == FieldType::number || exponent->fallback == 1.5);
  if (!hertz) {
    throw InvalidInput(fmt::format("{}: law '{}' is not that of Hertz, whose force grows as x^1.5",
                                   name, law.text.name));
  }
  if (values.contains("stiffness")) {
    throw InvalidInput(
        fmt::format("{} and {} are both given; give one: radii and materials "
                    "determine the stiffness",
                    spelled(prefix, "stiffness"), name));
  }
  if (const auto given = values.find("exponent");
      given != values.end() && given->second != FieldValue(1.5)) {
    throw InvalidInput(
        fmt::format("{}: {} means Hertz contact, whose exponent is 1.5; give {} for "
                    "another",
                    spelled(prefix, "exponent"), name, spelled(prefix, "stiffness")));
  }
  try {
    values["stiffness"] = hertz_contact(radii, materials).stiffness;
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("{}: {}", name, error.what()));
  }
  if (exponent != nullptr) values["exponent"] = 1.5;
  if (law.find("radius") != nullptr) values.emplace("radius", contact_radius(radii));
}

}  // namespace carom
