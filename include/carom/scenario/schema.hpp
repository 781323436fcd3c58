#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <carom/scenario/json.hpp>

namespace carom {

/// What a key of a scenario file can hold.
enum class ValueType {
  number,         ///< a finite double; whole numbers are accepted
  whole_number,   ///< an integer, without point or exponent
  truth,          ///< true or false
  text,           ///< a string; one of `choices` when there are any
  file,           ///< a path, relative to the scenario file
  number_list,    ///< [1.0, 2.0]
  place,          ///< 1.0 on a line, [1.0, 2.0] in the plane
  text_list,      ///< ["a", "b"]
  named_numbers,  ///< { a = 1.0, b = 2.0 }, with any names
  table_list,     ///< [{ frequency = 1.0, ... }, ...]; the keys are `columns`
};

/// One key of a scenario file, declared once. Validation, defaults, `carom new`, the reference page
/// and completion are all derived from this declaration.
struct Field {
  std::string name = {};
  ValueType type = ValueType::number;
  std::string unit = {};  ///< "m", "kg", "Hz"; empty for plain numbers
  std::string help = {};  ///< one phrase, no full stop
  bool must_be_given = false;
  Json fallback = {};  ///< the default; null when the key may be absent
  Json example = {};   ///< what `carom new` writes; null: the default, or the key is only mentioned
  double lowest = -std::numeric_limits<double>::infinity();
  double highest = std::numeric_limits<double>::infinity();
  bool lowest_excluded = false;
  /// The ends of a slider: what people usually choose between. NaN: not said.
  double usual_low = std::numeric_limits<double>::quiet_NaN();
  double usual_high = std::numeric_limits<double>::quiet_NaN();
  bool is_logarithmic = false;  ///< ratios matter, not differences
  std::vector<std::string> choices = {};
  std::size_t min_count = 0;  ///< list length
  std::size_t max_count = std::numeric_limits<std::size_t>::max();
  std::vector<Field> columns = {};  ///< of a table_list

  // Out of line: the kinds declare two hundred of these, and each would bring its own copy.
  Field();
  Field(const Field&);
  Field(Field&&) noexcept;
  Field& operator=(const Field&);
  Field& operator=(Field&&) noexcept;
  ~Field();

  // The declaration reads as a sentence:
  //   number("mass", "kg", "mass of the body").positive().required().starts_with(0.01)
  Field&& required() &&;  ///< the file must give it
  /// What it is when the file does not say. Values: Json, double, int, bool, text (schema.cpp).
  template <class Value>
  Field&& defaults_to(Value value) &&;
  Field&& defaults_to(std::initializer_list<double> values) &&;
  /// What `carom new` writes.
  template <class Value>
  Field&& starts_with(Value value) &&;
  Field&& starts_with(std::initializer_list<double> values) &&;
  Field&& positive() &&;                              ///< > 0
  Field&& not_negative() &&;                          ///< >= 0
  Field&& at_least(double bound) &&;                  ///< >= bound
  Field&& within(double low, double high) &&;         ///< low..high, ends included
  Field&& usual(double low, double high) &&;          ///< the ends of a slider
  Field&& logarithmic() &&;                           ///< the slider goes by ratios
  Field&& one_of(std::vector<std::string> names) &&;  ///< of a text or whole number: those allowed
  Field&& one_of(std::initializer_list<const char*> names) &&;
  Field&& count(std::size_t low, std::size_t high) &&;  ///< of a list: how many entries

  std::string allowed() const;  ///< "a number > 0", "one of rk4, verlet": for errors and docs
};

Field number(std::string_view name, std::string_view unit, std::string_view help);
Field whole_number(std::string_view name, std::string_view help);
Field truth(std::string_view name, std::string_view help);
Field text(std::string_view name, std::string_view help);
Field file(std::string_view name, std::string_view help);
Field number_list(std::string_view name, std::string_view unit, std::string_view help);
/// A number on a line, [x, y] in the plane.
Field place(std::string_view name, std::string_view unit, std::string_view help);
Field named_numbers(std::string_view name, std::string_view help);
Field text_list(std::string_view name, std::string_view help);
Field table_list(std::string_view name, std::string_view help, std::vector<Field> columns);

/// A table of a scenario file: `[name]`, or `[[name]]` when repeated. The keys before the first
/// table belong to the table whose name is empty.
struct Table {
  std::string name = {};
  std::string help = {};  ///< one sentence
  std::vector<Field> fields = {};
  bool optional = false;  ///< its defaults exist only when the file has the table
  bool repeated = false;  ///< an array of tables; always optional
};

const Field* find_field(const Table& table, std::string_view name);

}  // namespace carom
