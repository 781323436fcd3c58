#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace carom::cli {

std::string short_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-";
}

void print_json(const Json& json) { fmt::print("{}\n", json_text(json, 2)); }

void print_rows(const std::vector<Row>& rows) {
  std::size_t name_width = 0, value_width = 0;
  for (const Row& row : rows) {
    name_width = std::max(name_width, row.name.size());
    value_width = std::max(value_width, row.value.size());
  }
  for (const Row& row : rows) {
    fmt::print("  {:<{}}  {:>{}}{}{}\n", row.name, name_width, row.value, value_width,
               row.unit.empty() ? "" : " ", row.unit);
  }
}

TextTable& TextTable::add(std::string_view cell) {
  if (widths_.size() == column_) widths_.push_back(0);
  widths_[column_] = std::max(widths_[column_], cell.size());
  ++column_;
  text_ += cell;
  ends_.push_back(text_.size());
  return *this;
}

TextTable& TextTable::add_all(const std::vector<std::string>& cells) {
  for (const std::string& cell : cells) add(cell);
  return *this;
}

void TextTable::end_line() {
  lines_.push_back(column_);
  column_ = 0;
}

void TextTable::print() const {
  std::string page;
  std::size_t cell = 0, begin = 0;
  for (const std::size_t count : lines_) {
    std::size_t spaces = 0;  // none at the end of a line
    for (std::size_t i = 0; i < count; ++i, begin = ends_[cell++]) {
      const std::size_t size = ends_[cell] - begin, rest = widths_[i] - size;
      if (i > 0) spaces += 2 + rest;
      if (size > 0) page.append(std::exchange(spaces, 0), ' ');
      page.append(text_, begin, size);
      if (i == 0) spaces += rest;
    }
    page += '\n';
    if (page.size() < 1u << 16) continue;
    std::fwrite(page.data(), 1, page.size(), stdout);
    page.clear();
  }
  std::fwrite(page.data(), 1, page.size(), stdout);
}

void print_table(const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows) {
  TextTable table;
  table.add_all(header).end_line();
  for (const auto& row : rows) table.add_all(row).end_line();
  table.print();
}

}  // namespace carom::cli
