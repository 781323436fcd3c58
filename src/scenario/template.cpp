#include <algorithm>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/scenario/template.hpp>

namespace carom {
namespace {

constexpr std::size_t comment_column = 28;

std::string comment(const Field& field) {
  std::string text = field.unit.empty() ? "" : field.unit + ": ";
  text += field.help;
  if (!field.choices.empty()) {
    text += fmt::format(" ({})", fmt::join(field.choices, ", "));
  } else if (!field.fallback.is_null() && !field.example.is_null() &&
             field.fallback != field.example) {
    text += " (default " + toml_text(field.fallback) + ")";
  }
  return text;
}

std::string blank_value(const Field& field) {
  switch (field.type) {
    case ValueType::text:
    case ValueType::file:
      return "\"...\"";
    case ValueType::number_list:
    case ValueType::place:
    case ValueType::text_list:
    case ValueType::table_list:
      return "[...]";
    case ValueType::named_numbers:
      return "{ ... }";
    case ValueType::truth:
      return "false";
    default:
      return "...";
  }
}

std::string line(const Field& field) {
  const bool has_example = !field.example.is_null();
  const Json& value = has_example ? field.example : field.fallback;
  // A key without a starting value, and one that only repeats its default, is shown but not set.
  const bool set = has_example || field.must_be_given;
  std::string text = (set ? "" : "# ") + field.name + " = " +
                     (value.is_null() ? blank_value(field) : toml_text(value));
  if (text.find('\n') != std::string::npos) return "# " + comment(field) + "\n" + text + "\n";
  if (text.size() < comment_column) text.resize(comment_column, ' ');
  return text + " # " + comment(field) + "\n";
}

std::string range_text(const Field& field) {
  std::string text = field.allowed();
  std::replace(text.begin(), text.end(), '|', '/');
  return text;
}

std::string reference_rows(const std::vector<Field>& fields) {
  std::string text = "| key | unit | default | allowed | meaning |\n|---|---|---|---|---|\n";
  for (const Field& field : fields) {
    const std::string fallback = field.must_be_given        ? "**required**"
                                 : field.fallback.is_null() ? ""
                                                            : "`" + toml_text(field.fallback) + "`";
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", field.name, field.unit, fallback,
                        range_text(field), field.help);
  }
  text += "\n";
  for (const Field& field : fields) {
    if (field.columns.empty()) continue;
    text += fmt::format("Each entry of `{}`:\n\n{}", field.name, reference_rows(field.columns));
  }
  return text;
}

std::string reference_of(const Table& table) {
  std::string text;
  if (!table.name.empty()) {
    text += table.repeated ? fmt::format("### `[[{}]]`\n\n", table.name)
                           : fmt::format("### `[{}]`\n\n", table.name);
  }
  text += table.help + (table.optional ? " The table may be left out." : "") +
          (table.repeated ? " One table for each; may be left out." : "") + "\n\n";
  return text + reference_rows(table.fields);
}

}  // namespace

std::string toml_text(const Json& value) {
  if (value.is_string()) return json_text(value);
  if (value.is_number_float()) {
    std::string text = number_text(value.get<double>());
    if (text.find_first_of(".en") == std::string::npos) text += ".0";
    return text;
  }
  if (value.is_array()) {
    const bool tables = !value.empty() && value.front().is_object();
    std::string text = "[";
    for (const Json& item : value) {
      if (tables) {
        text += "\n  " + toml_text(item) + ",";
      } else {
        text += (text.size() > 1 ? ", " : "") + toml_text(item);
      }
    }
    return text + (tables ? "\n]" : "]");
  }
  if (value.is_object()) {
    std::string text = "{ ";
    for (const auto& [key, item] : value.items()) {
      text += (text.size() > 2 ? ", " : "") + key + " = " + toml_text(item);
    }
    return text + " }";
  }
  return json_text(value);
}

std::string scenario_template(const Kind& kind, std::string_view example) {
  if (!example.empty() || !kind.examples.empty()) {
    std::vector<std::string_view> names;
    for (const ScenarioExample& one : kind.examples) {
      if (example.empty() || one.name == example) return std::string(one.text);
      names.push_back(one.name);
    }
    if (names.empty())
      throw InvalidInput(
          fmt::format("--example '{}': kind {} has no examples", example, kind.name));
    throw InvalidInput(unknown_name_message("example", example, names));
  }
  std::string text = fmt::format(
      "# {}\n# Run it:    carom run FILE\n# Check it:  carom check FILE\n", kind.summary);
  text += fmt::format("kind = \"{}\"\n", kind.name);
  for (const Field& field : top_table().fields) {
    if (field.name != "kind") text += line(field);
  }
  for (const Table& table : kind.tables) {
    // An optional table is written when something in it is worth starting with.
    const bool shown = !(table.optional || table.repeated) ||
                       std::any_of(table.fields.begin(), table.fields.end(),
                                   [](const Field& field) { return !field.example.is_null(); });
    const std::string mark = shown ? "" : "# ";
    text += fmt::format("\n# {}\n{}{}\n", table.help, mark,
                        table.repeated ? "[[" + table.name + "]]" : "[" + table.name + "]");
    for (const Field& field : table.fields) {
      const std::string one = line(field);
      text += (shown || one.starts_with('#') ? "" : "# ") + one;
    }
  }
  return text;
}

std::string kind_page(const Kind& kind) {
  std::string text =
      fmt::format("# Kind `{}`\n\n{} {}\n\n", kind.name, kind.summary, kind.description);
  text += fmt::format(
      "## A file to start from\n\n`carom new {0}` writes it; it runs as it is with `carom run "
      "{0}.toml`.\n\n```toml\n{1}```\n\n## Keys\n\n",
      kind.name, scenario_template(kind));
  if (!kind.examples.empty()) {
    std::string list;
    for (const ScenarioExample& example : kind.examples)
      list += fmt::format("| `{}` | {} |\n", example.name, example.summary);
    text.insert(
        text.find("## Keys"),
        fmt::format("`carom new {} --example NAME` writes another:\n\n| name | what it shows "
                    "|\n|---|---|\n{}\n",
                    kind.name, list));
  }
  for (const Table& table : kind.tables) text += reference_of(table);
  return text;
}

std::string schema_reference() {
  std::string text =
      "# Scenario reference\n\nEvery kind, table and key of a scenario file. This page is "
      "generated "
      "from the same declarations that check the files: `carom new KIND` writes one to start from, "
      "`carom check FILE` says what is wrong with one.\n\n## Every kind\n\n";
  text += reference_of(top_table());
  for (const Kind& kind : kinds()) {
    text += fmt::format("## Kind `{}`\n\n{}\n\n", kind.name, kind.summary);
    for (const Table& table : kind.tables) text += reference_of(table);
  }
  return text;
}

}  // namespace carom
