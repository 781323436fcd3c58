#include <cmath>
#include <utility>

#include <carom/core/error.hpp>
#include <carom/scenario/schema.hpp>

namespace carom {
namespace {

Field make(std::string_view name, ValueType type, std::string_view unit, std::string_view help) {
  Field field;
  field.name = name;
  field.type = type;
  field.unit = unit;
  field.help = help;
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
    case ValueType::place:
      return "a number on a line, [x, y] in the plane";
    case ValueType::text_list:
      return "a list of texts";
    case ValueType::named_numbers:
      return "a table of numbers";
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

Field::Field() = default;
Field::Field(const Field&) = default;
Field::Field(Field&&) noexcept = default;
Field& Field::operator=(const Field&) = default;
Field& Field::operator=(Field&&) noexcept = default;
Field::~Field() = default;

Field&& Field::required() && {
  must_be_given = true;
  return std::move(*this);
}

template <class Value>
Field&& Field::defaults_to(Value value) && {
  fallback = std::move(value);
  return std::move(*this);
}

Field&& Field::defaults_to(std::initializer_list<double> values) && {
  return std::move(*this).defaults_to(Json(values));
}

template <class Value>
Field&& Field::starts_with(Value value) && {
  example = std::move(value);
  return std::move(*this);
}

Field&& Field::starts_with(std::initializer_list<double> values) && {
  return std::move(*this).starts_with(Json(values));
}

template Field&& Field::defaults_to(Json) &&;
template Field&& Field::defaults_to(double) &&;
template Field&& Field::defaults_to(int) &&;
template Field&& Field::defaults_to(bool) &&;
template Field&& Field::defaults_to(const char*) &&;
template Field&& Field::starts_with(Json) &&;
template Field&& Field::starts_with(double) &&;
template Field&& Field::starts_with(int) &&;
template Field&& Field::starts_with(bool) &&;
template Field&& Field::starts_with(const char*) &&;
template Field&& Field::starts_with(std::string) &&;

Field&& Field::positive() && {
  lowest = 0;
  lowest_excluded = true;
  return std::move(*this);
}

Field&& Field::not_negative() && {
  lowest = 0;
  return std::move(*this);
}

Field&& Field::at_least(double bound) && {
  lowest = bound;
  return std::move(*this);
}

Field&& Field::within(double low, double high) && {
  lowest = low;
  highest = high;
  return std::move(*this);
}

Field&& Field::usual(double low, double high) && {
  usual_low = low;
  usual_high = high;
  return std::move(*this);
}
Field&& Field::logarithmic() && {
  is_logarithmic = true;
  return std::move(*this);
}
Field&& Field::one_of(std::vector<std::string> names) && {
  choices = std::move(names);
  return std::move(*this);
}

Field&& Field::one_of(std::initializer_list<const char*> names) && {
  choices.assign(names.begin(), names.end());
  return std::move(*this);
}

Field&& Field::count(std::size_t low, std::size_t high) && {
  min_count = low;
  max_count = high;
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
  if (min_count == max_count) {
    text += ", exactly " + std::to_string(min_count);
  } else if (min_count > 0) {
    text += ", at least " + std::to_string(min_count);
  }
  return text;
}

Field number(std::string_view name, std::string_view unit, std::string_view help) {
  return make(name, ValueType::number, unit, help);
}
Field whole_number(std::string_view name, std::string_view help) {
  return make(name, ValueType::whole_number, "", help);
}
Field truth(std::string_view name, std::string_view help) {
  return make(name, ValueType::truth, "", help);
}
Field text(std::string_view name, std::string_view help) {
  return make(name, ValueType::text, "", help);
}
Field file(std::string_view name, std::string_view help) {
  return make(name, ValueType::file, "", help);
}
Field number_list(std::string_view name, std::string_view unit, std::string_view help) {
  return make(name, ValueType::number_list, unit, help);
}
Field place(std::string_view name, std::string_view unit, std::string_view help) {
  return make(name, ValueType::place, unit, help);
}
Field named_numbers(std::string_view name, std::string_view help) {
  return make(name, ValueType::named_numbers, "", help);
}
Field text_list(std::string_view name, std::string_view help) {
  return make(name, ValueType::text_list, "", help);
}
Field table_list(std::string_view name, std::string_view help, std::vector<Field> columns) {
  Field field = make(name, ValueType::table_list, "", help);
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
