#include <cctype>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/scenario/template.hpp>

namespace carom {
namespace {

std::string range_of(const FieldInfo& field) {
  if (!field.choices.empty()) return fmt::format("{}", fmt::join(field.choices, ", "));
  switch (field.type) {
    case FieldType::text:
      return "an expression";
    case FieldType::columns:
      return "a file";
    case FieldType::named_numbers:
      return "numbers with any names";
    default:
      break;
  }
  if (!field.lowest_is.empty()) return fmt::format(">= {}", field.lowest_is);
  if (field.lowest == field.highest) return number_text(field.lowest);
  if (field.highest < FieldInfo::infinity)
    return fmt::format("{} to {}", number_text(field.lowest), number_text(field.highest));
  return fmt::format("{} {}", field.lowest_excluded ? ">" : ">=", number_text(field.lowest));
}

std::string default_of(const FieldInfo& field) {
  if (field.is_required) return "**required**";
  if (!field.choices.empty()) return fmt::format("`{}`", field.choices.front());
  const bool number = field.type == FieldType::number || field.type == FieldType::fixed;
  return number ? fmt::format("`{}`", number_text(field.fallback)) : "";
}

std::string section(const LawInfo& law) {
  std::string summary(law.text.summary);
  summary[0] = static_cast<char>(std::toupper(summary[0]));
  std::string text = fmt::format("## {}\n\n{}. `{}`\n\n", law.text.name, summary, law.text.formula);
  text += "| key | symbol | unit | default | allowed | meaning |\n|---|---|---|---|---|---|\n";
  for (const FieldInfo* field : law.fields) {
    text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", field->name, field->symbol,
                        field->unit, default_of(*field), range_of(*field), field->help);
    if (!field->other_name.empty()) {
      text += fmt::format("| `{}` |  | {} |  | >= 0 | {} |\n", field->other_name, field->other_unit,
                          field->other_help);
    }
  }
  if (const FieldInfo* loss = law.by_restitution()) {
    text += fmt::format(
        "\n`restitution` may be given in the place of `{}`: it is then what an impact of the given "
        "mass and speed has, exactly.\n",
        loss->name);
  }
  return text + fmt::format("\nPython: `carom.{}`. Reference: {}.\n\n", law.text.class_name,
                            law.text.citation);
}

}  // namespace

std::string law_page() {
  std::string text =
      "# Contact laws\n\n"
      "Compression `x` [m] is positive while bodies touch, its rate `v` [m/s] while they approach; "
      "a force `f` [N] pushes them apart ([conventions](conventions.md)). Every law has the same "
      "keys in `[contact]` of a scenario, as flags of `carom impact` (`damping_exponent` is "
      "`--damping-exponent` there) and in Python, and its exact impact:\n\n"
      "```sh\n"
      "carom laws\n"
      "carom impact --law tsuji --stiffness 1e9 --restitution 0.7 --mass 0.01 --speed 1\n"
      "carom impact --law jkr --stiffness 1e9 --radius 0.01 --adhesion 0.05 --mass 1e-6 --speed "
      "0.1\n"
      "carom impact --law formula --expression \"k*x^1.5*(1 + mu*v)\" --parameter k=1e9 "
      "--parameter mu=0.5 --mass 0.01 --speed 1\n"
      "```\n\n"
      "How the restitution of each depends on the speed (`carom laws --plot laws.svg`); `table` is "
      "a pad that stiffens and `formula` is `k*x^1.5*(1 + a*tanh(v))`, a damper that saturates:\n\n"
      "![restitution against speed for every law](images/restitution_laws.svg)\n\n"
      "Laws that let go when the force would pull leave some compression behind, which recovers "
      "without force. To add a law: its header in `include/carom/laws`, its line in "
      "`catalogue.hpp`, its test; this page and everything above follow from what it declares.\n\n";
  for (const LawInfo& law : law_catalogue()) text += section(law);
  return text;
}

}  // namespace carom
