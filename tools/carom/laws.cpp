#include <memory>

#include <fmt/format.h>

#include <carom/output/files.hpp>
#include <carom/output/json.hpp>
#include <carom/output/law_figure.hpp>

#include "commands.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct LawsOptions {
  std::string law, plot;
  bool json = false;
};

const char* type_text(FieldType type) {
  switch (type) {
    case FieldType::number:
      return "number";
    case FieldType::fixed:
      return "fixed";
    case FieldType::choice:
      return "choice";
    case FieldType::text:
      return "text";
    case FieldType::columns:
      return "columns";
    case FieldType::named_numbers:
      return "named numbers";
  }
  return "";
}

Json field_json(const FieldInfo& field) {
  Json json{{"name", field.name},          {"type", type_text(field.type)},
            {"symbol", field.symbol},      {"unit", field.unit},
            {"help", field.help},          {"required", field.is_required},
            {"flag", spelled("--", field)}};
  if (field.type == FieldType::number) {
    json["lowest"] = field.lowest_is.empty() ? json_number(field.lowest) : Json(field.lowest_is);
    json["lowest_excluded"] = field.lowest_excluded;
    json["highest"] = json_number(field.highest);
    json["restitution_stands_for_it"] = field.by_restitution;
  }
  if (field.type == FieldType::number || field.type == FieldType::fixed) {
    if (!field.is_required) json["default"] = field.fallback;
  }
  if (!field.choices.empty()) {
    json["choices"] = std::vector<std::string>(field.choices.begin(), field.choices.end());
    json["default"] = field.choices.front();
  }
  if (!field.other_name.empty()) {
    json["other_name"] = field.other_name;
    json["other_unit"] = field.other_unit;
  }
  return json;
}

Json law_json(const LawInfo& law) {
  Json fields = Json::array();
  for (const FieldInfo* field : law.fields) fields.push_back(field_json(*field));
  return {{"name", law.text.name},       {"summary", law.text.summary},
          {"formula", law.text.formula}, {"citation", law.text.citation},
          {"compliant", law.compliant},  {"fields", std::move(fields)}};
}

void print_law(const LawInfo& law) {
  fmt::print("{}: {}\n  {}\n  {}\n", law.text.name, law.text.summary, law.text.formula,
             law.text.citation);
  std::vector<Row> rows;
  for (const FieldInfo* field : law.fields) {
    rows.push_back({spelled("--", *field), std::string(field->unit), std::string(field->help)});
  }
  print_rows(rows);
}

int run_laws(const LawsOptions& options) {
  if (!options.plot.empty()) {
    write_file(options.plot, draw_svg(restitution_figure()));
    if (!options.json) fmt::print(stderr, "picture: {}\n", options.plot);
  }
  if (options.json) {
    Json laws = Json::array();
    for (const LawInfo& law : law_catalogue()) {
      if (options.law.empty() || options.law == law.text.name) laws.push_back(law_json(law));
    }
    print_json({{"laws", std::move(laws)}});
    return 0;
  }
  if (!options.law.empty()) {
    print_law(law_info(options.law));
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const LawInfo& law : law_catalogue()) {
    rows.push_back({std::string(law.text.name), std::string(law.text.formula)});
  }
  print_table({"law", "force"}, rows);
  return 0;
}

}  // namespace

Command laws_command() {
  const auto options = std::make_shared<LawsOptions>();
  std::vector<std::string_view> names;
  for (const LawInfo& law : law_catalogue()) names.push_back(law.text.name);
  return {.name = "laws",
          .summary = "list the contact laws and their parameters",
          .flags = {{"law", "NAME", "one of them, with its parameters", &options->law, names},
                    {"--plot", "FILE.svg", "draw restitution against speed for all laws",
                     &options->plot},
                    {"--json", "", "one JSON document on stdout", &options->json}},
          .run = [options] { return run_laws(*options); },
          .examples = "  carom laws\n  carom laws jkr\n  carom laws --plot laws.svg\n"};
}

}  // namespace carom::cli
