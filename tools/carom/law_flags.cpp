#include "law_flags.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>
#include <carom/core/number.hpp>
#include <carom/identify/law_of_restitution.hpp>
#include <carom/scenario/law_values.hpp>

#include "scenario_command.hpp"

namespace carom::cli {
namespace {

constexpr std::string_view dashes = "--";

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// "hunt-crossley, hertz-damper": the laws among these that have the field.
std::string laws_with(std::span<const std::string_view> laws, std::string_view field) {
  std::vector<std::string_view> names;
  for (const std::string_view law : laws) {
    for (const FieldInfo* each : law_info(law).fields) {
      if (each->type != FieldType::fixed && (each->name == field || each->other_name == field))
        names.push_back(law);
    }
  }
  return names.size() == laws.size() ? "" : fmt::format(" ({})", fmt::join(names, ", "));
}

}  // namespace

std::optional<double> LawFlags::number(std::string_view name) const {
  const auto found = numbers.find(name);
  return found == numbers.end() ? std::nullopt : found->second;
}

FieldValues LawFlags::values() const {
  FieldValues values;
  for (const auto& [name, value] : numbers) {
    if (value) values[name] = *value;
  }
  for (const auto& [name, text] : texts) {
    if (text.empty()) continue;
    const FieldInfo* field = law_info(law).find(name);
    const bool columns = field != nullptr && field->type == FieldType::columns;
    values[name] = columns ? FieldValue(read_columns(text)) : FieldValue(text);
  }
  for (const auto& [name, entries] : lists) {
    if (!entries.empty()) values[name] = named_numbers(entries);
  }
  if (radii.empty() && materials.empty()) return values;
  if (radii.empty() || materials.empty()) {
    throw InvalidInput(fmt::format("{} needs {}: together they give the stiffness by Hertz",
                                   radii.empty() ? "--materials" : "--radii",
                                   radii.empty() ? "--radii" : "--materials"));
  }
  std::vector<double> metres;
  for (const std::string& part : parts_of(radii)) {
    const auto number = carom::parse_number(part);
    if (!number) throw InvalidInput(fmt::format("--radii: '{}' is not a number", part));
    metres.push_back(*number);
  }
  add_hertz(law_info(law), metres, parts_of(materials), dashes, values);
  return values;
}

std::vector<Flag> law_flags(LawFlags& flags, std::span<const std::string_view> laws,
                            std::span<const std::string_view> without) {
  std::vector<Flag> out{{"--law", "NAME", "contact law", &flags.law, {laws.begin(), laws.end()}}};
  std::vector<std::string_view> seen(without.begin(), without.end());
  const auto once = [&](std::string_view name) {
    if (contains(seen, name)) return false;
    seen.push_back(name);
    return true;
  };
  for (const std::string_view law : laws) {
    for (const FieldInfo* field : law_info(law).fields) {
      if (field->type == FieldType::fixed || !once(field->name)) continue;
      const std::string name(field->name),
          flag = spelled(dashes, *field),
          help = std::string(field->help) + laws_with(laws, field->name);
      switch (field->type) {
        case FieldType::number:
          out.push_back({flag, std::string(field->unit.empty() ? field->symbol : field->unit), help,
                         &flags.numbers[name]});
          break;
        case FieldType::named_numbers:
          out.push_back({flag, "NAME=NUMBER", help, &flags.lists[name]});
          break;
        default:
          out.push_back({flag,
                         field->type == FieldType::columns ? "FILE" : "TEXT",
                         help,
                         &flags.texts[name],
                         {field->choices.begin(), field->choices.end()}});
      }
      if (!field->other_name.empty() && once(field->other_name)) {
        out.push_back({spelled(dashes, field->other_name), std::string(field->other_unit),
                       std::string(field->other_help) + laws_with(laws, field->other_name),
                       &flags.numbers[std::string(field->other_name)]});
      }
    }
  }
  if (!contains(without, "stiffness")) {
    out.push_back({"--radii", "m,m",
                   "radii of curvature, with --materials in place of --stiffness; one: the second "
                   "body is flat",
                   &flags.radii});
    out.push_back({"--materials", "NAME,NAME",
                   "materials of the two bodies (see carom materials); one: both bodies",
                   &flags.materials});
  }
  out.push_back({"--restitution", "e",
                 "rebound speed over impact speed, 0 to 1; stands for the damping of the law",
                 &flags.numbers["restitution"]});
  return out;
}

void require_flags(
    std::initializer_list<std::pair<const char*, const std::optional<double>*>> flags,
    const LawFlags* law) {
  std::vector<std::string> missing;
  for (const auto& [name, value] : flags) {
    if (!value->has_value()) missing.emplace_back(name);
  }
  if (law != nullptr) {
    const FieldValues given = law->values();
    for (const FieldInfo* field : law_info(law->law).fields) {
      if (field->is_required && !field->by_restitution && !given.contains(field->name))
        missing.push_back(spelled(dashes, *field));
    }
  }
  if (!missing.empty()) throw InvalidInput(fmt::format("missing: {}", fmt::join(missing, ", ")));
}

void refuse_foreign_flags(const LawFlags& flags) {
  // Each by itself: whether several agree is for the measurement to say.
  for (const auto& [name, value] : flags.values()) {
    for (const FieldProblem& problem :
         field_problems(law_info(flags.law), {{name, value}}, dashes)) {
      if (!problem.name.empty()) throw InvalidInput(problem.message);
    }
  }
}

double exponent_of(const LawFlags& flags) {
  const FieldInfo* field = law_info(flags.law).find("exponent");
  return flags.number("exponent").value_or(field->fallback);
}

Release release_of(const LawFlags& flags) {
  const auto found = flags.texts.find("release");
  return found != flags.texts.end() && found->second == release_names[1] ? Release::zero_compression
                                                                         : Release::zero_force;
}

std::string_view release_name(Release release) noexcept {
  return release_names[static_cast<std::size_t>(release)];
}

AnyLaw law_from(const LawFlags& flags, const Collision& collision) {
  return std::get<AnyLaw>(law_of_values(flags.law, flags.values(), collision, dashes));
}

}  // namespace carom::cli
