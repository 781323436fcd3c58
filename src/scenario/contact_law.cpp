#include "contact_law.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/identify/law_of_restitution.hpp>
#include <carom/scenario/law_values.hpp>
#include <carom/scenario/methods.hpp>

#include "table_file.hpp"

namespace carom {
namespace {

Field key_of(const FieldInfo& field, bool is_example) {
  const auto declared = [&] {
    switch (field.type) {
      case FieldType::choice: {
        std::vector<std::string> names(field.choices.begin(), field.choices.end());
        return text(field.name, field.help).one_of(names).defaults_to(Json(names.front()));
      }
      case FieldType::text:
        return text(field.name, field.help);
      case FieldType::columns:
        return file(field.name, field.help);
      case FieldType::named_numbers:
        return named_numbers(field.name, field.help);
      default:
        return number(field.name, field.unit, field.help);
    }
  };
  Field key = declared();
  if (field.type == FieldType::number) {
    key.lowest = field.lowest;
    key.highest = field.highest;
    key.lowest_excluded = field.lowest_excluded;
    if (!field.is_required && !field.by_restitution) key.fallback = field.fallback;
    if (is_example && std::isfinite(field.example)) key.example = field.example;
  }
  return key;
}

/// A key that several laws share has the range of the widest; what each allows is checked with it.
void merge(std::vector<Field>& keys, Field key) {
  for (Field& known : keys) {
    if (known.name != key.name) continue;
    known.lowest = std::min(known.lowest, key.lowest);
    known.highest = std::max(known.highest, key.highest);
    known.lowest_excluded = known.lowest_excluded && key.lowest_excluded;
    if (known.unit != key.unit)
      known.unit = known.unit.size() > key.unit.size() ? known.unit : key.unit;
    if (known.fallback != key.fallback) known.fallback = nullptr;
    return;
  }
  keys.push_back(std::move(key));
}

/// "tsuji, table": those of these laws that have the field.
std::string laws_with(const std::vector<std::string>& laws, std::string_view name) {
  std::vector<std::string> found;
  for (const std::string& law : laws) {
    for (const FieldInfo* field : law_info(law).fields) {
      if (field->type != FieldType::fixed && (field->name == name || field->other_name == name))
        found.push_back(law);
    }
  }
  return found.size() == laws.size() ? "" : fmt::format(" ({})", fmt::join(found, ", "));
}

/// The keys that belong to laws, in place of others a table may have.
const std::vector<std::string>& contact_keys() {
  static const auto keys = [] {
    std::vector<std::string> names;
    for (const Field& field : contact_table(all_laws("hunt-crossley")).fields) {
      if (field.name != "law" && field.name != "formula") names.push_back(field.name);
    }
    return names;
  }();
  return keys;
}

}  // namespace

std::vector<std::string> compliant_laws(std::string_view first) {
  std::vector<std::string> names{std::string(first)};
  for (const std::string_view name : law_names()) {
    if (name != first) names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> all_laws(std::string_view first) {
  std::vector<std::string> names = compliant_laws(first);
  if (first != NewtonRestitution::text.name) names.emplace_back(NewtonRestitution::text.name);
  return names;
}

Table contact_table(std::vector<std::string> laws) {
  std::vector<Field> keys;
  bool restitution_stands = false;
  for (const std::string& law : laws) {
    const bool first = law == laws.front();
    for (const FieldInfo* field : law_info(law).fields) {
      if (field->type == FieldType::fixed) continue;
      merge(keys, key_of(*field, first));
      restitution_stands = restitution_stands || field->by_restitution;
      if (field->other_name.empty()) continue;
      merge(keys, number(field->other_name, field->other_unit, field->other_help).not_negative());
    }
  }
  for (Field& key : keys) key.help += laws_with(laws, key.name);
  if (restitution_stands) {
    const FieldInfo* loss = law_info(laws.front()).by_restitution();
    Field key =
        number("restitution", "", "rebound speed over impact speed; gives the damping of the law")
            .within(0, 1);
    if (loss != nullptr && !std::isfinite(loss->example)) key.example = 0.5;
    std::erase_if(keys, [](const Field& each) { return each.name == "restitution"; });
    keys.push_back(std::move(key));
    keys.push_back(
        text("formula", "how restitution becomes damping; exact, or a published approximation")
            .one_of({formula_names().begin(), formula_names().end()})
            .defaults_to("exact"));
  }
  keys.push_back(number_list("radii", "m",
                             "radii of curvature where the bodies touch: with materials the "
                             "stiffness by Hertz; one: the second is flat; negative: a hollow")
                     .count(1, 2));
  keys.push_back(
      text_list("materials",
                "materials of the two bodies, used with radii; one: both bodies (carom materials)")
          .count(1, 2));
  const std::string first = laws.front();
  keys.insert(
      keys.begin(),
      text("law", "what the contact does").one_of(std::move(laws)).required().starts_with(first));
  return {.name = "contact",
          .help =
              "What happens where the bodies touch. `fit = \"FIT.json\"` takes the law that "
              "`carom identify --output FIT.json` found.",
          .fields = std::move(keys)};
}

bool is_hertz_key(std::string_view name) {
  return std::find(std::begin(hertz_keys), std::end(hertz_keys), name) != std::end(hertz_keys);
}

void add_hertz(const Scenario& scenario, const std::string& table, const LawInfo& law,
               FieldValues& values) {
  const std::string radii = table + ".radii", names = table + ".materials";
  if (!scenario.has(radii) && !scenario.has(names)) return;
  if (!scenario.has(radii) || !scenario.has(names)) {
    throw InvalidInput(fmt::format("{} needs {}: together they give the stiffness by Hertz",
                                   scenario.has(radii) ? radii : names,
                                   scenario.has(radii) ? names : radii));
  }
  add_hertz(law, scenario.numbers(radii), scenario.texts(names), table + ".", values);
}

FieldValues contact_values(const Scenario& scenario, const std::string& table) {
  FieldValues values;
  const LawInfo& law = law_info(scenario.text(table + ".law"));
  for (const auto& [name, value] : scenario.table(table).items()) {
    const std::string key = table + "." + name;
    const auto& keys = contact_keys();
    const bool of_a_law = std::find(keys.begin(), keys.end(), name) != keys.end();
    if (!of_a_law || !scenario.given(key) || is_hertz_key(name)) continue;
    const FieldInfo* field = law.find(name);
    if (field != nullptr && field->type == FieldType::columns) {
      values[name] = columns_of(TableFile(scenario, key));
    } else if (value.is_string()) {
      values[name] = value.get<std::string>();
    } else if (value.is_object()) {
      values[name] = value.get<NamedNumbers>();
    } else {
      values[name] = value.get<double>();
    }
  }
  add_hertz(scenario, table, law, values);
  return values;
}

void check_contact(const Scenario& scenario, Problems& problems, StiffnessFrom from,
                   const std::string& table) {
  const std::string prefix = table + ".";
  const LawInfo& law = law_info(scenario.text(prefix + "law"));
  FieldValues values;
  const std::size_t before = problems.all().size();
  problems.attempt(prefix + (scenario.given(prefix + "radii") ? "radii" : "law"),
                   [&] { values = contact_values(scenario, table); });
  if (problems.all().size() > before) return;
  if (from == StiffnessFrom::elsewhere && law.find("stiffness") != nullptr)
    values.emplace("stiffness", 1.0);
  for (const FieldProblem& problem : field_problems(law, values, prefix, true)) {
    problems.add(prefix + (problem.name.empty() ? "law" : problem.name), problem.message);
  }
  // What only the law itself can tell of its expressions and columns.
  for (const char* key : {"file", "force"}) {
    if (problems.all().size() == before && values.contains(key))
      problems.attempt(prefix + key, [&] { law_of_values(law.text.name, values, {1.0, 1.0}); });
  }
  if (scenario.given(prefix + "formula") && !scenario.has(prefix + "restitution")) {
    problems.add(prefix + "formula",
                 fmt::format("{0}formula has no meaning without {0}restitution", prefix));
  }
}

LawChoice contact_law(const Scenario& scenario, double mass, double speed,
                      const std::optional<PowerLaw>& elastic, const std::string& table) {
  FieldValues values = contact_values(scenario, table);
  if (elastic) {
    values["stiffness"] = elastic->stiffness;
    values["exponent"] = elastic->exponent;
  }
  const std::string formula_key = table + ".formula";
  const Formula formula =
      scenario.has(formula_key) ? formula_of(scenario.text(formula_key)) : Formula::exact;
  return law_of_values(scenario.text(table + ".law"), std::move(values), {mass, speed}, table + ".",
                       formula);
}

AnyLaw compliant_law(const LawChoice& law) {
  if (const auto* compliant = std::get_if<AnyLaw>(&law)) return *compliant;
  throw std::logic_error("a compliant law is needed");
}

Json law_json(const LawChoice& law) {
  const auto* compliant = std::get_if<AnyLaw>(&law);
  if (compliant == nullptr) {
    return {{"name", std::string(NewtonRestitution::text.name)},
            {"restitution", std::get<NewtonRestitution>(law).restitution}};
  }
  Json json{{"name", std::string(law_name(*compliant))}};
  for (const auto& [name, value] : values_of(*compliant))
    std::visit([&to = json[name]](const auto& one) { to = one; }, value);
  return json;
}

void check_method(const Scenario& scenario,
                  const std::function<std::string(std::string_view, std::string_view)>& refusal,
                  Problems& problems) {
  const std::string &law = scenario.text("contact.law"), &method = scenario.text("run.method");
  const std::string reason = refusal(law, method);
  if (!reason.empty()) problems.add("run.method", refusal_message(law, method, reason));
}

}  // namespace carom
