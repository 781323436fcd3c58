#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <carom/core/error.hpp>

#include "number_table.hpp"

namespace carom {
namespace {

constexpr std::string_view end_of_header = "***End_of_Header***";

/// The lines "Key<separator>value<separator>value..." up to the end of a header.
using LvmHeader = std::map<std::string, std::vector<std::string>, std::less<>>;

LvmHeader lvm_header(const std::vector<std::string>& lines, std::size_t& next,
                     const CellFormat& format) {
  LvmHeader header;
  for (; next < lines.size(); ++next) {
    std::vector<std::string> cells = cells_of(lines[next], format);
    const std::string key = cells.front();
    if (key == end_of_header) {
      ++next;
      return header;
    }
    cells.erase(cells.begin());
    header[key] = std::move(cells);
  }
  throw InvalidInput("a header of this LabVIEW measurement file does not end");
}

std::string value_of(const LvmHeader& header, std::string_view key, std::size_t i = 0) {
  const auto found = header.find(key);
  return found == header.end() || found->second.size() <= i ? "" : found->second[i];
}

/// X0 + i Delta_X, where the file has no column of times.
void add_times(NumberTable& table, const LvmHeader& header, const CellFormat& format) {
  const double start = number_of(value_of(header, "X0"), format).value_or(0),
               step = number_of(value_of(header, "Delta_X"), format).value_or(0);
  if (!(step > 0))
    throw InvalidInput("this LabVIEW measurement file has neither times nor Delta_X");
  for (std::size_t i = 0; i < table.rows(); ++i)
    table.columns.front()[i] = start + step * static_cast<double>(i);
}

}  // namespace

bool is_lvm(const std::vector<std::string>& lines) {
  return !lines.empty() && lines.front().starts_with("LabVIEW Measurement");
}

std::vector<NumberTable> lvm_tables(const std::vector<std::string>& lines, CellFormat& format) {
  format = {.separator = '\t'};
  for (std::size_t i = 0; i < lines.size() && !lines[i].starts_with(end_of_header); ++i) {
    if (lines[i].starts_with("Separator") && lines[i].ends_with("Comma")) format.separator = ',';
    if (lines[i].starts_with("Decimal_Separator") && lines[i].ends_with(",") &&
        format.separator != ',')
      format.decimal_comma = true;
  }
  std::size_t next = 0;
  const bool has_times = value_of(lvm_header(lines, next, format), "X_Columns") != "No";
  std::vector<NumberTable> tables;
  LvmHeader header;
  while (next < lines.size()) {
    if (is_blank(lines[next]) || cells_of(lines[next], format).front().empty()) {
      ++next;
      continue;
    }
    header = lvm_header(lines, next, format);
    NumberTable table;
    if (next < lines.size()) table.titles = cells_of(lines[next++], format);
    if (!table.titles.empty() && table.titles.back() == "Comment") table.titles.pop_back();
    for (; next < lines.size() && !is_blank(lines[next]); ++next) {
      std::vector<std::string> cells = cells_of(lines[next], format);
      if (!cells.front().empty() && !number_of(cells.front(), format)) break;
      cells.resize(table.titles.size());  // beyond: the comments
      table.add(cells, format, next + 1);
    }
    if (table.rows() == 0) continue;
    if (!has_times) add_times(table, header, format);
    table.units.resize(table.titles.size());
    std::size_t channel = 0;
    for (std::size_t i = 0; i < table.titles.size(); ++i) {
      if (table.titles[i] == "X_Value") {
        if (value_of(header, "X_Dimension").starts_with("Time") || !has_times) table.units[i] = "s";
        continue;
      }
      table.units[i] = value_of(header, "Y_Unit_Label", channel++);
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace carom
