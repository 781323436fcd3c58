#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <carom/laws/force_formula.hpp>
#include <carom/laws/force_table.hpp>
#include <carom/laws/hertz_damper.hpp>
#include <carom/laws/hunt_crossley.hpp>
#include <carom/laws/impact_function.hpp>
#include <carom/laws/jkr.hpp>
#include <carom/laws/kelvin_voigt.hpp>
#include <carom/laws/kuwabara_kono.hpp>
#include <carom/laws/newton_restitution.hpp>
#include <carom/laws/power_damper.hpp>
#include <carom/laws/power_law.hpp>
#include <carom/laws/tsuji.hpp>
#include <carom/laws/walton_braun.hpp>

namespace carom {

/// Every compliant law: the one place that lists them.
using AnyLaw = std::variant<  //
    PowerLaw,                 //
    HuntCrossley,             //
    HertzDamper,              //
    KelvinVoigt,              //
    PowerDamper,              //
    Tsuji,                    //
    KuwabaraKono,             //
    WaltonBraun,              //
    JKR,                      //
    ImpactFunction,           //
    ForceTable,               //
    ForceFormula>;

/// What a contact can be given: a compliant law, or impacts without duration.
using LawChoice = std::variant<AnyLaw, NewtonRestitution>;

// The border (command line, scenarios, JSON, Python) knows laws by what they declare.

struct LawInfo {
  LawText text;
  bool compliant;
  std::vector<const FieldInfo*> fields;

  const FieldInfo* find(std::string_view field) const noexcept;  ///< null when there is none
  const FieldInfo* by_restitution() const noexcept;  ///< the field that a restitution stands for
};

const std::vector<LawInfo>& law_catalogue();  ///< the compliant ones, then Newton's
std::vector<std::string_view> law_names();    ///< of the compliant ones
/// Throws InvalidInput with the nearest name when there is no such law.
const LawInfo& law_info(std::string_view name);
const LawInfo& law_info(const AnyLaw& law);
std::string_view law_name(const AnyLaw& law) noexcept;

using FieldValue = std::variant<double, std::string, Columns, NamedNumbers>;
/// By the names people write: those of fields, their other names, and `restitution`.
using FieldValues = std::map<std::string, FieldValue, std::less<>>;

/// How the user spells a field in messages: "--" for flags, "contact." for keys.
std::string spelled(std::string_view prefix, const FieldInfo& field);
std::string spelled(std::string_view prefix, std::string_view name);

struct FieldProblem {
  std::string name;  ///< of the value it is about; empty: of none that was given
  std::string message;
};

/// Everything wrong with these values for this law: foreign, missing, out of range, given twice.
/// `losses_required`: the field that a restitution can stand for has no default.
std::vector<FieldProblem> field_problems(const LawInfo& law, const FieldValues& values,
                                         std::string_view prefix = "",
                                         bool losses_required = false);

/// The law of these values, validated; throws InvalidInput. A `restitution` that stands for another
/// field needs a collision: identify/law_of_restitution.hpp.
LawChoice make_law_choice(std::string_view name, const FieldValues& values,
                          std::string_view prefix = "");
AnyLaw make_law(std::string_view name, const FieldValues& values, std::string_view prefix = "");

/// The same of a compliant law with nothing lost by the field that a restitution stands for.
AnyLaw lossless_law(std::string_view name, const FieldValues& values);

/// What make_law() takes to give the same law.
FieldValues values_of(const AnyLaw& law);

/// Changes one number of a law; not validated. Throws InvalidInput when it has no such number.
void set_number(AnyLaw& law, std::string_view field, double value);

void validate(const AnyLaw& law);

}  // namespace carom
