#include <cmath>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/laws/conversions.hpp>
#include <carom/output/json.hpp>

namespace carom {

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

namespace {

double number_or_nan(const FieldValues& values, std::string_view name) {
  const auto found = values.find(name);
  const auto* number = found == values.end() ? nullptr : std::get_if<double>(&found->second);
  return number != nullptr ? *number : std::nan("");
}

Json to_json(const FieldValue& value) {
  return std::visit([](const auto& content) { return Json(content); }, value);
}

FieldValue value_from(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_object() && !json.empty() && json.begin()->is_array()) return json.get<Columns>();
  if (json.is_object()) return json.get<NamedNumbers>();
  throw InvalidInput("a law in JSON holds numbers, texts and tables of them");
}

/// What the numbers of a law mean for a collision, where it has them; not parameters themselves.
std::vector<std::pair<const char*, double>> derived(const FieldValues& values,
                                                    const Collision& collision) {
  std::vector<std::pair<const char*, double>> numbers;
  const double mu = number_or_nan(values, "mu"), k = number_or_nan(values, "stiffness"),
               n = number_or_nan(values, "exponent");
  if (std::isfinite(mu)) numbers.emplace_back("epsilon", mu * collision.speed);
  if (std::isfinite(k) && std::isfinite(n)) {
    numbers.emplace_back("omega_i", impact_frequency(k, n, collision.mass, collision.speed));
  }
  return numbers;
}

/// "N/m^n" with the exponent that the law has.
std::string unit_text(std::string_view unit, double exponent) {
  std::string text(unit);
  for (const auto& [symbol, value] : {std::pair{"(n+1)", exponent + 1}, {"^n", exponent}}) {
    const std::size_t at = text.find(symbol);
    if (at == std::string::npos || !std::isfinite(exponent)) continue;
    const bool caret = symbol[0] == '^';
    text.replace(at, std::string_view(symbol).size(),
                 fmt::format("{}{:.6g}", caret ? "^" : "", value));
  }
  return text;
}

}  // namespace

Json to_json(const AnyLaw& law) {
  const FieldValues values = values_of(law);
  Json json{{"name", law_name(law)}};
  for (const FieldInfo* field : law_info(law).fields) {
    json[std::string(field->name)] = to_json(values.find(field->name)->second);
    if (!field->other_name.empty()) {
      json[std::string(field->other_name)] =
          number_or_nan(values, field->name) * number_or_nan(values, field->other_over);
    }
  }
  return json;
}

Json to_json(const AnyLaw& law, const Collision& collision) {
  Json json = to_json(law);
  for (const auto& [name, value] : derived(values_of(law), collision)) json[name] = value;
  return json;
}

AnyLaw law_from_json(const Json& json) {
  if (!json.is_object() || !json.contains("name") || !json["name"].is_string())
    throw InvalidInput("a law in JSON is an object with a name");
  const std::string name = json["name"].get<std::string>();
  FieldValues values;
  for (const auto& [key, value] : json.items()) {
    if (key != "name" && key != "epsilon" && key != "omega_i") values[key] = value_from(value);
  }
  // to_json() writes both names of a number: the field's own is the exact one.
  for (const FieldInfo* field : law_info(name).fields) {
    if (!field->other_name.empty() && values.contains(field->name))
      values.erase(std::string(field->other_name));
  }
  return make_law(name, values);
}

std::string describe(const AnyLaw& law, const Collision& collision) {
  const FieldValues values = values_of(law);
  const double exponent = number_or_nan(values, "exponent");
  std::string text;
  const auto add = [&](std::string_view symbol, double value, std::string_view unit) {
    text += fmt::format("{}{} = {:.6g}{}{}", text.empty() ? "" : ", ", symbol, value,
                        unit.empty() ? "" : " ", unit_text(unit, exponent));
  };
  for (const FieldInfo* field : law_info(law).fields) {
    if (field->type == FieldType::text) {
      const auto& content = std::get<std::string>(values.find(field->name)->second);
      if (!content.empty()) {
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", field->name, content);
      }
    } else if (field->type == FieldType::columns) {
      const auto& columns = std::get<Columns>(values.find(field->name)->second);
      for (const auto& [name, rows] : columns)
        text += fmt::format("{}{} to {:.6g}", text.empty() ? "" : ", ", name, rows.back());
    } else if (field->type == FieldType::named_numbers) {
      for (const auto& [name, value] : std::get<NamedNumbers>(values.find(field->name)->second))
        add(name, value, "");
    }
    if (field->type != FieldType::number && field->type != FieldType::fixed) continue;
    const double value = number_or_nan(values, field->name);
    add(field->symbol, value, field->unit);
    if (!field->other_name.empty()) {
      add(field->other_name, value * number_or_nan(values, field->other_over), field->other_unit);
    }
  }
  for (const auto& [name, value] : derived(values, collision)) {
    if (std::string_view(name) == "epsilon") add(name, value, "");
  }
  return text;
}

Json to_json(const Impact& impact) {
  Json json{{"rebound_speed", json_number(impact.rebound_speed)},
            {"restitution", json_number(impact.restitution)},
            {"max_compression", json_number(impact.max_compression)},
            {"max_compression_time", json_number(impact.max_compression_time)},
            {"max_force", json_number(impact.max_force)},
            {"max_force_time", json_number(impact.max_force_time)},
            {"contact_time", json_number(impact.contact_time)},
            {"energy_in", json_number(impact.energy_in)},
            {"energy_lost", json_number(impact.energy_lost)},
            {"separation_compression", json_number(impact.separation_compression)},
            {"releases", impact.releases}};
  if (!impact.releases)
    json["equilibrium_compression"] = json_number(impact.equilibrium_compression);
  return json;
}

}  // namespace carom
