#include <cmath>
#include <utility>

#include <carom/core/error.hpp>
#include <carom/scenario/schema.hpp>

namespace carom {
namespace {

Field make(std::string name, ValueType type, std::string unit, std::string help) {
  Field field;
  field.name = std::move(name);
  field.type = type;
  field.unit = std::move(unit);
  field.help = std::move(help);
  return field;
}

std::string noun(ValueType type) {
  switch (type) {
    case ValueType::number:
      return "a finite number";
    case ValueType::whole_number:
      return "a whole number";
    case ValueType::truth:
      return "true or false";
    case ValueType::text:
      return "a text in quotes";
    case ValueType::file:
      return "a file name in quotes";
    case ValueType::number_list:
      return "a list of numbers";
    case ValueType::text_list:
      return "a list of texts";
    case ValueType::table_list:
      return "a list of tables";
  }
  return {};
}

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

Field Field::required() && {
  must_be_given = true;
  return std::move(*this);
}

Field Field::defaults_to(Json value) && {
  fallback = std::move(value);
  return std::move(*this);
}

Field Field::starts_with(Json value) && {
  example = std::move(value);
  return std::move(*this);
}

Field Field::positive() && {
  lowest = 0;
  lowest_excluded = true;
  return std::move(*this);
}

Field Field::not_negative() && {
  lowest = 0;
  return std::move(*this);
}

Field Field::at_least(double bound) && {
  lowest = bound;
  return std::move(*this);
}

Field Field::within(double low, double high) && {
  lowest = low;
  highest = high;
  return std::move(*this);
}

Field Field::one_of(std::vector<std::string> names) && {
  choices = std::move(names);
  return std::move(*this);
}

Field Field::count(std::size_t low, std::size_t high) && {
  fewest = low;
  most = high;
  return std::move(*this);
}

std::string Field::allowed() const {
  if (!choices.empty()) return "one of " + join(choices);
  std::string text = noun(type);
  const bool low = std::isfinite(lowest), high = std::isfinite(highest);
  if (low && high) {
    text += " from " + number_text(lowest) + " to " + number_text(highest);
  } else if (low) {
    text += (lowest_excluded ? " greater than " : " of at least ") + number_text(lowest);
  } else if (high) {
    text += " of at most " + number_text(highest);
  }
  if (fewest == most) {
    text += ", exactly " + std::to_string(fewest);
  } else if (fewest > 0) {
    text += ", at least " + std::to_string(fewest);
  }
  return text;
}

Field number(std::string name, std::string unit, std::string help) {
  return make(std::move(name), ValueType::number, std::move(unit), std::move(help));
}
Field whole_number(std::string name, std::string help) {
  return make(std::move(name), ValueType::whole_number, "", std::move(help));
}
Field truth(std::string name, std::string help) {
  return make(std::move(name), ValueType::truth, "", std::move(help));
}
Field text(std::string name, std::string help) {
  return make(std::move(name), ValueType::text, "", std::move(help));
}
Field file(std::string name, std::string help) {
  return make(std::move(name), ValueType::file, "", std::move(help));
}
Field number_list(std::string name, std::string unit, std::string help) {
  return make(std::move(name), ValueType::number_list, std::move(unit), std::move(help));
}
Field text_list(std::string name, std::string help) {
  return make(std::move(name), ValueType::text_list, "", std::move(help));
}
Field table_list(std::string name, std::string help, std::vector<Field> columns) {
  Field field = make(std::move(name), ValueType::table_list, "", std::move(help));
  field.columns = std::move(columns);
  return field;
}

const Field* find_field(const Table& table, std::string_view name) {
  for (const Field& field : table.fields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

}  // namespace carom
