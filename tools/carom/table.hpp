#pragma once

#include <string>
#include <vector>

namespace carom::cli {

/// A row of the short tables that people see: name, value, unit.
struct Row {
  std::string name, value, unit = {};
};

/// Six significant digits: enough to read; --json has all of them. "-" for NaN and infinities.
std::string short_number(double value);

void print_rows(const std::vector<Row>& rows);

/// A table with a header line; columns are aligned, numbers to the right.
void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows);

}  // namespace carom::cli
