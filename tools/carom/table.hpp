#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <carom/scenario/json.hpp>

namespace carom::cli {

/// A row of the short tables that people see: name, value, unit.
struct Row {
  std::string name, value, unit = {};
};

/// Six significant digits: enough to read; --json has all of them. "-" for NaN and infinities.
std::string short_number(double value);

/// For programs, on standard output.
void print_json(const Json& json);

void print_rows(const std::vector<Row>& rows);

/// A table with a header line; columns are aligned, numbers to the right.
void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows);

/// Lines of cells in columns as wide as their widest entry, all but the first to the right. The
/// texts lie one behind another, so that a million lines cost little more than their formatting.
class TextTable {
 public:
  TextTable& add(std::string_view cell);
  TextTable& add_all(const std::vector<std::string>& cells);
  void end_line();
  void print() const;

 private:
  std::string text_;
  std::vector<std::size_t> ends_, lines_, widths_;
  std::size_t column_ = 0;
};

}  // namespace carom::cli
