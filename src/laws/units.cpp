#include <algorithm>
#include <cassert>
#include <muParser.h>

#include <carom/core/error.hpp>
#include <carom/laws/units.hpp>

namespace carom {
namespace {

/// "N s/m^(n+1)" as a number, with those of the law for its exponents.
double unit_value(std::string_view unit, const LawInfo& law, const FieldValues& values,
                  const UnitScale& units) {
  if (unit.empty()) return 1;
  std::string expression(unit);
  std::replace(expression.begin(), expression.end(), ' ', '*');
  mu::Parser parser;
  parser.SetExpr(expression);
  for (const FieldInfo* field : law.fields) {
    if (const auto* number = std::get_if<double>(&values.find(field->name)->second))
      parser.DefineConst(std::string(field->symbol), *number);
  }
  parser.DefineConst("m", units.length);
  parser.DefineConst("s", units.time);
  parser.DefineConst("N", units.force);
  parser.DefineConst("J", units.force * units.length);
  return parser.Eval();
}

}  // namespace

AnyLaw in_si_units(const AnyLaw& law, const UnitScale& units) {
  const LawInfo& info = law_info(law);
  assert(is_of_numbers(info));
  const FieldValues values = values_of(law);
  AnyLaw out = law;
  for (const FieldInfo* field : info.fields) {
    if (field->type != FieldType::number) continue;
    const double value = std::get<double>(values.find(field->name)->second);
    set_number(out, field->name, value * unit_value(field->unit, info, values, units));
  }
  return out;
}

bool is_of_numbers(const LawInfo& law) {
  return law.compliant &&
         std::all_of(law.fields.begin(), law.fields.end(), [](const FieldInfo* field) {
           return field->type == FieldType::number || field->type == FieldType::fixed ||
                  field->type == FieldType::choice;
         });
}

}  // namespace carom
