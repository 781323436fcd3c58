#include <algorithm>
#include <cmath>
#include <optional>

#include <carom/core/error.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {
namespace {

template <class Law>
LawInfo describe_law() {
  LawInfo info{Law::text, ContactLaw<Law>, {}};
  for_each_field<Law>([&](const FieldInfo& field) { info.fields.push_back(&field); });
  return info;
}

template <class Use>
void for_each_law(Use&& use) {
  [&]<class... Law>(std::type_identity<std::variant<Law...>>) {
    (use(std::type_identity<Law>()), ...);
  }(std::type_identity<AnyLaw>());
  use(std::type_identity<NewtonRestitution>());
}

template <class Value>
const Value* given(const FieldValues& values, std::string_view name) {
  const auto found = values.find(name);
  return found == values.end() ? nullptr : std::get_if<Value>(&found->second);
}

/// The choice of these values; problems have been looked for.
template <class Law, class Choice>
void assign(Law& law, const ChoiceField<Law, Choice>& field, const FieldValues& values) {
  const auto* text = given<std::string>(values, field.name);
  const auto names = field.choices;
  const auto index =
      text == nullptr ? 0 : std::find(names.begin(), names.end(), *text) - names.begin();
  law.*field.member = static_cast<Choice>(index);
}

template <class Law>
void assign(Law& law, const NumberField<Law>& field, const FieldValues& values) {
  if (const auto* number = given<double>(values, field.name)) {
    law.*field.member = *number;
  } else if (const auto* other = given<double>(values, field.other_name)) {
    law.*field.member = *other / law.*field.other_factor;
  } else {
    // A loss that a restitution will give begins where nothing is lost.
    law.*field.member = field.lowest_member ? law.*field.lowest_member : field.fallback;
  }
}

template <class Law>
void assign(Law&, const FixedField&, const FieldValues&) {}

template <class Law, class Value>
void assign(Law& law, const ValueField<Law, Value>& field, const FieldValues& values) {
  if constexpr (std::is_constructible_v<Value, Columns> && !std::is_same_v<Value, NamedNumbers>) {
    if (const auto* columns = given<Columns>(values, field.name))
      law.*field.member = Value(*columns);
  } else {
    if (const auto* value = given<Value>(values, field.name)) law.*field.member = *value;
  }
}

template <class Law>
Law make(const FieldValues& values) {
  Law law{};
  for_each_field<Law>([&](const auto& field) { assign(law, field, values); });
  if constexpr (requires { law.prepare(); }) law.prepare();
  validate(law);
  return law;
}

LawChoice built(std::string_view name, const FieldValues& values) {
  std::optional<LawChoice> law;
  for_each_law([&]<class Law>(std::type_identity<Law>) {
    if (Law::text.name != name) return;
    if constexpr (ContactLaw<Law>) {
      law = AnyLaw(make<Law>(values));
    } else {
      law = make<Law>(values);
    }
  });
  return *law;
}

AnyLaw compliant(const LawChoice& law) {
  if (const auto* found = std::get_if<AnyLaw>(&law)) return *found;
  throw InvalidInput("law '" + std::string(NewtonRestitution::text.name) +
                     "' has no contact force; a compliant law is needed");
}

/// "--a, --b and so on": every name that a law takes.
std::string taken_names(const LawInfo& law, std::string_view prefix) {
  std::string text;
  const auto add = [&](const std::string& name) { text += (text.empty() ? "" : ", ") + name; };
  for (const FieldInfo* field : law.fields) {
    if (field->type == FieldType::fixed) continue;
    add(spelled(prefix, *field));
    if (!field->other_name.empty()) add(spelled(prefix, field->other_name));
  }
  if (law.by_restitution() != nullptr) add(spelled(prefix, "restitution"));
  return text;
}

/// What one value is, in words, when it is not what its field takes.
std::optional<std::string> mismatch(const FieldInfo& field, const FieldValue& value,
                                    const std::string& name) {
  const auto expect = [&](bool fits, const char* what) -> std::optional<std::string> {
    if (fits) return {};
    return name + " must be " + what;
  };
  switch (field.type) {
    case FieldType::number:
    case FieldType::fixed:
      return expect(std::holds_alternative<double>(value), "a number");
    case FieldType::choice: {
      const auto* text = std::get_if<std::string>(&value);
      if (text == nullptr) return expect(false, "a name");
      if (std::find(field.choices.begin(), field.choices.end(), *text) != field.choices.end())
        return {};
      return unknown_name_message(name, *text, field.choices);
    }
    case FieldType::text:
      return expect(std::holds_alternative<std::string>(value), "a text");
    case FieldType::columns:
      return expect(std::holds_alternative<Columns>(value), "columns of numbers");
    case FieldType::named_numbers:
      return expect(std::holds_alternative<NamedNumbers>(value), "named numbers");
  }
  return {};
}

/// The field whose name or other name this is.
const FieldInfo* field_called(const LawInfo& law, std::string_view name) {
  for (const FieldInfo* field : law.fields) {
    if (field->name == name || (!field->other_name.empty() && field->other_name == name))
      return field;
  }
  return name == "restitution" ? law.by_restitution() : nullptr;
}

/// The names under which a field was given.
std::vector<std::string> spellings_given(const FieldInfo& field, const FieldValues& values) {
  std::vector<std::string> names;
  for (const std::string_view name :
       {field.name, field.other_name,
        field.by_restitution ? std::string_view("restitution") : std::string_view()}) {
    if (!name.empty() && values.contains(name)) names.emplace_back(name);
  }
  return names;
}

}  // namespace

void require_allowed(const FieldInfo& field, double value, double lowest,
                     std::string_view spelled_name) {
  if (field.type == FieldType::fixed) {
    if (value != field.fallback)
      throw InvalidInput(std::string(spelled_name) + " = " + number_text(value) + ": must be " +
                         number_text(field.fallback) + " for this law");
  } else if (std::isfinite(field.highest)) {
    require_within(spelled_name, value, lowest, field.highest);
  } else if (!field.lowest_is.empty()) {
    if (!(value >= lowest && std::isfinite(value)))
      throw InvalidInput(std::string(spelled_name) + " = " + number_text(value) +
                         ": must be finite and at least " + std::string(field.lowest_is) + " = " +
                         number_text(lowest));
  } else if (field.lowest_excluded) {
    require_positive(spelled_name, value);
  } else if (std::isfinite(field.lowest)) {
    require_not_negative(spelled_name, value);
  } else {
    require_finite(spelled_name, value);
  }
}

const FieldInfo* LawInfo::find(std::string_view name) const noexcept {
  for (const FieldInfo* field : fields) {
    if (field->name == name) return field;
  }
  return nullptr;
}

const FieldInfo* LawInfo::by_restitution() const noexcept {
  for (const FieldInfo* field : fields) {
    if (field->by_restitution) return field;
  }
  return nullptr;
}

const std::vector<LawInfo>& law_catalogue() {
  static const std::vector<LawInfo> all = [] {
    std::vector<LawInfo> laws;
    for_each_law([&]<class Law>(std::type_identity<Law>) { laws.push_back(describe_law<Law>()); });
    return laws;
  }();
  return all;
}

std::vector<std::string_view> law_names() {
  std::vector<std::string_view> names;
  for (const LawInfo& law : law_catalogue()) {
    if (law.compliant) names.push_back(law.text.name);
  }
  return names;
}

const LawInfo& law_info(std::string_view name) {
  std::vector<std::string_view> names;
  for (const LawInfo& law : law_catalogue()) {
    if (law.text.name == name) return law;
    names.push_back(law.text.name);
  }
  throw InvalidInput(unknown_name_message("law", name, names));
}

const LawInfo& law_info(const AnyLaw& law) { return law_catalogue()[law.index()]; }

std::string_view law_name(const AnyLaw& law) noexcept {
  return std::visit([](const auto& chosen) { return chosen.text.name; }, law);
}

std::string spelled(std::string_view prefix, std::string_view name) {
  std::string text(name);
  if (prefix == "--") std::replace(text.begin(), text.end(), '_', '-');
  return std::string(prefix) + text;
}

std::string spelled(std::string_view prefix, const FieldInfo& field) {
  return prefix == "--" && !field.flag.empty() ? std::string(field.flag)
                                               : spelled(prefix, field.name);
}

std::vector<FieldProblem> field_problems(const LawInfo& law, const FieldValues& values,
                                         std::string_view prefix, bool losses_required) {
  std::vector<FieldProblem> problems;
  for (const FieldInfo* field : law.fields) {
    const std::vector<std::string> names = spellings_given(*field, values);
    if (names.size() > 1) {
      problems.push_back({names.back(), spelled(prefix, names.front()) + " and " +
                                            spelled(prefix, names.back()) + ": each fixes " +
                                            std::string(field->name) + "; give only one of them"});
    }
    if (!names.empty()) continue;
    if (field->by_restitution && (field->is_required || losses_required)) {
      std::string any = spelled(prefix, *field);
      if (!field->other_name.empty()) any += ", " + spelled(prefix, field->other_name);
      problems.push_back({"", "law '" + std::string(law.text.name) + "' needs one of " + any +
                                  ", " + spelled(prefix, "restitution")});
    } else if (field->is_required) {
      problems.push_back(
          {"", "law '" + std::string(law.text.name) + "' needs " + spelled(prefix, *field)});
    }
  }
  for (const auto& [name, value] : values) {
    const FieldInfo* field = field_called(law, name);
    if (field == nullptr) {
      problems.push_back({name, spelled(prefix, name) + " has no meaning for law '" +
                                    std::string(law.text.name) + "'; it takes " +
                                    taken_names(law, prefix)});
      continue;
    }
    const bool own = field->name == name;
    const std::string shown = own ? spelled(prefix, *field) : spelled(prefix, name);
    if (const auto wrong = mismatch(*field, value, shown)) {
      problems.push_back({name, *wrong});
      continue;
    }
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr) continue;
    try {
      if (own) {
        const auto* bound = given<double>(values, field->lowest_is);
        if (field->lowest_is.empty() || bound != nullptr)
          require_allowed(*field, *number, bound != nullptr ? *bound : field->lowest, shown);
      } else if (name == field->other_name) {
        require_not_negative(shown, *number);
      } else if (!(*number > 0)) {
        require_positive(shown, *number);  // no finite loss gives a restitution of 0
      } else {
        require_within(shown, *number, 0, 1);
      }
    } catch (const InvalidInput& error) {
      problems.push_back({name, error.what()});
    }
  }
  return problems;
}

LawChoice make_law_choice(std::string_view name, const FieldValues& values,
                          std::string_view prefix) {
  const LawInfo& info = law_info(name);
  for (const FieldProblem& problem : field_problems(info, values, prefix))
    throw InvalidInput(problem.message);
  if (info.by_restitution() != nullptr && values.contains("restitution"))
    throw InvalidInput(spelled(prefix, "restitution") +
                       ": needs the mass and the speed of an impact");
  return built(name, values);
}

AnyLaw make_law(std::string_view name, const FieldValues& values, std::string_view prefix) {
  return compliant(make_law_choice(name, values, prefix));
}

AnyLaw lossless_law(std::string_view name, const FieldValues& values) {
  return compliant(built(name, values));
}

FieldValues values_of(const AnyLaw& law) {
  return std::visit(
      []<class Law>(const Law& chosen) {
        FieldValues values;
        for_each_field<Law>([&]<class Field>(const Field& field) {
          FieldValue& value = values[std::string(field.name)];
          if constexpr (std::is_same_v<Field, FixedField>) {
            value = field.fallback;
          } else if constexpr (requires { FieldValue(chosen.*field.member); }) {
            value = chosen.*field.member;
          } else if constexpr (requires { Columns((chosen.*field.member).columns()); }) {
            value = (chosen.*field.member).columns();
          } else {
            value = std::string(field.choices[static_cast<std::size_t>(chosen.*field.member)]);
          }
        });
        return values;
      },
      law);
}

void set_number(AnyLaw& law, std::string_view name, double value) {
  std::visit(
      [&]<class Law>(Law& chosen) {
        bool found = false;
        for_each_field<Law>([&]<class Field>(const Field& field) {
          if constexpr (std::is_same_v<Field, NumberField<Law>>) {
            if (field.name != name) return;
            chosen.*field.member = value;
            found = true;
          }
        });
        if (!found)
          throw InvalidInput("law '" + std::string(Law::text.name) + "' has no number '" +
                             std::string(name) + "'");
      },
      law);
}

void validate(const AnyLaw& law) {
  std::visit([](const auto& chosen) { validate(chosen); }, law);
}

}  // namespace carom
