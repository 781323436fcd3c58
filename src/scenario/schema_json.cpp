#include <cmath>

#include <carom/scenario/kind.hpp>
#include <carom/scenario/scenario.hpp>
#include <carom/scenario/schema_json.hpp>
#include <carom/scenario/template.hpp>

#include "document.hpp"

namespace carom {
namespace {

const char* type_word(ValueType type) {
  switch (type) {
    case ValueType::number:
      return "number";
    case ValueType::whole_number:
      return "whole_number";
    case ValueType::truth:
      return "truth";
    case ValueType::text:
      return "text";
    case ValueType::file:
      return "file";
    case ValueType::number_list:
      return "number_list";
    case ValueType::place:
      return "place";
    case ValueType::text_list:
      return "text_list";
    case ValueType::named_numbers:
      return "named_numbers";
    case ValueType::table_list:
      return "table_list";
  }
  return "";
}

/// The ends of a slider: as declared, else the bounds, else a decade and a half about the value
/// that a new file has. Without any of these there is none.
Json slider_of(const Field& field) {
  if (std::isfinite(field.usual_low)) {
    return {{"low", field.usual_low},
            {"high", field.usual_high},
            {"logarithmic", field.is_logarithmic}};
  }
  if (std::isfinite(field.lowest) && std::isfinite(field.highest)) {
    const bool ratio = field.lowest > 0 && field.highest > 1e3 * field.lowest;
    return {{"low", field.lowest},
            {"high", field.highest},
            {"logarithmic", ratio || field.is_logarithmic}};
  }
  const Json& start = field.example.is_number() ? field.example : field.fallback;
  if (!start.is_number() || !(start.get<double>() > 0)) return nullptr;
  const double middle = start.get<double>(), decade_and_half = 30;
  return {{"low", std::max(field.lowest, middle / decade_and_half)},
          {"high", std::min(field.highest, middle * decade_and_half)},
          {"logarithmic", true}};
}

Json field_json(const Field& field) {
  Json json{{"name", field.name}, {"type", type_word(field.type)}, {"help", field.help}};
  if (!field.unit.empty()) json["unit"] = field.unit;
  if (field.must_be_given) json["required"] = true;
  if (!field.fallback.is_null()) json["default"] = field.fallback;
  if (!field.example.is_null()) json["example"] = field.example;
  if (std::isfinite(field.lowest)) json["lowest"] = field.lowest;
  if (std::isfinite(field.highest)) json["highest"] = field.highest;
  if (!field.choices.empty()) json["choices"] = field.choices;
  if (field.type == ValueType::number || field.type == ValueType::whole_number) {
    if (Json slider = slider_of(field); !slider.is_null()) json["slider"] = std::move(slider);
  }
  for (const Field& column : field.columns) json["columns"].push_back(field_json(column));
  return json;
}

std::string toml_key(const std::string& key) {
  const bool bare = !key.empty() && key.find_first_not_of(
                                        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklm"
                                        "nopqrstuvwxyz0123456789_-") == key.npos;
  return bare ? key : toml_text(key);
}

bool is_table_list(const Json& value) {
  return value.is_array() && !value.empty() && value.front().is_object();
}

}  // namespace

Json schema_json() {
  Json all = Json::array();
  for (const Kind& kind : kinds()) {
    Json tables = Json::array();
    for (const Table& table : all_tables(kind)) {
      Json fields = Json::array();
      for (const Field& field : table.fields) fields.push_back(field_json(field));
      tables.push_back({{"name", table.name},
                        {"help", table.help},
                        {"optional", table.optional},
                        {"repeated", table.repeated},
                        {"fields", std::move(fields)}});
    }
    Json examples = Json::array();
    for (const ScenarioExample& example : kind.examples) {
      examples.push_back({{"name", std::string(example.name)},
                          {"summary", std::string(example.summary)},
                          {"text", std::string(example.text)}});
    }
    all.push_back({{"name", kind.name},
                   {"summary", kind.summary},
                   {"playable", kind.played != nullptr},
                   {"template", scenario_template(kind)},
                   {"examples", std::move(examples)},
                   {"tables", std::move(tables)}});
  }
  return {{"kinds", std::move(all)}};
}

std::string scenario_toml(const Scenario& scenario) {
  const Json given = scenario.given_values();
  std::string text, tables;
  const auto lines = [](const Json& table) {
    std::string all;
    for (const auto& [key, value] : table.items())
      all += toml_key(key) + " = " + toml_text(value) + "\n";
    return all;
  };
  // A list of tables that the schema knows as a table of its own is [[name]]; any other is a value.
  const std::vector<Table>& known = all_tables(find_kind(scenario.kind()));
  const auto is_repeated = [&](const std::string& name) {
    for (const Table& table : known) {
      if (table.name == name) return table.repeated;
    }
    return false;
  };
  for (const auto& [key, value] : given.items()) {
    if (value.is_object()) {
      tables += "\n[" + toml_key(key) + "]\n" + lines(value);
    } else if (is_table_list(value) && is_repeated(key)) {
      for (const Json& entry : value) tables += "\n[[" + toml_key(key) + "]]\n" + lines(entry);
    } else {
      text += toml_key(key) + " = " + toml_text(value) + "\n";
    }
  }
  return text + tables;
}

}  // namespace carom
