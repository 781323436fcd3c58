#include "table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom::cli {

std::string short_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-";
}

void print_rows(const std::vector<Row>& rows) {
  std::size_t name_width = 0, value_width = 0;
  for (const Row& row : rows) {
    name_width = std::max(name_width, row.name.size());
    value_width = std::max(value_width, row.value.size());
  }
  for (const Row& row : rows) {
    fmt::print("  {:<{}}  {:>{}} {}\n", row.name, name_width, row.value, value_width, row.unit);
  }
}

void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& cell : header) widths.push_back(cell.size());
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto print_line = [&widths](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i == 0)
        fmt::print("{:<{}}", cells[i], widths[i]);
      else
        fmt::print("  {:>{}}", cells[i], widths[i]);
    }
    fmt::print("\n");
  };
  print_line(header);
  for (const auto& row : rows) print_line(row);
}

}  // namespace carom::cli
