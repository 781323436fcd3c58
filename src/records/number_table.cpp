#include "number_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/core/error.hpp>

#include "quantities.hpp"

namespace carom {
namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t max_cells = 50'000'000, max_columns = 4096;

/// The titles that a comment line holds: its words between commas, semicolons, tabs or blanks,
/// whichever gives as many as there are columns and names something that can be measured.
std::vector<std::string> titles_of_comment(std::string_view line, std::size_t columns) {
  line = trimmed(line);
  while (!line.empty() && std::string_view("\"#%!/").find(line.front()) != std::string_view::npos)
    line.remove_prefix(1);
  for (const char separator : {',', ';', '\t', ' '}) {
    std::vector<std::string> cells = cells_of(line, {separator});
    std::erase(cells, "");
    const bool names = std::any_of(cells.begin(), cells.end(), [](const std::string& cell) {
      return !title_of(cell).quantity.empty();
    });
    if (cells.size() == columns && names) return cells;
  }
  return {};
}

std::vector<std::string> two_blanks_apart(std::string_view line) {
  std::vector<std::string> titles;
  line = trimmed(line);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find("  "), line.size());
    titles.emplace_back(line.substr(0, end));
    line = trimmed(line.substr(end));
  }
  return titles;
}

bool all_units(const std::vector<std::string>& cells) {
  return std::any_of(cells.begin(), cells.end(), [](const auto& cell) { return !cell.empty(); }) &&
         std::all_of(cells.begin(), cells.end(), [](std::string cell) {
           if (cell.size() > 2 && (cell.front() == '(' || cell.front() == '['))
             cell = cell.substr(1, cell.size() - 2);
           return cell.empty() || is_unit(cell);
         });
}

std::string without_brackets(std::string cell) {
  if (cell.size() > 2 && (cell.front() == '(' || cell.front() == '[')) {
    return cell.substr(1, cell.size() - 2);
  }
  return cell;
}

/// Titles and units from the lines of text above the first row.
void name_columns(NumberTable& table, std::vector<std::vector<std::string>> texts,
                  std::string_view last_line, const std::string& comment) {
  const std::size_t columns = table.columns.size();
  if (texts.size() > 1 && all_units(texts.back())) {
    for (const std::string& cell : texts.back()) table.units.push_back(without_brackets(cell));
    texts.pop_back();
  }
  if (!texts.empty()) {
    const std::vector<std::string>& last = texts.back();
    // One word over several columns is the name of the run, not of a column.
    if (last.size() > 1 || columns == 1) table.titles = last;
    for (const std::vector<std::string>& text : texts) {
      const bool alone = std::count(text.begin(), text.end(), "") + 1 == long(text.size());
      if (alone && columns > 1 && !text.front().empty()) table.label = text.front();
    }
  } else if (!comment.empty()) {
    table.titles = titles_of_comment(comment, columns);
  }
  if (table.titles.empty()) return;
  while (table.titles.size() > columns && table.titles.back().empty()) table.titles.pop_back();
  // "t / s   F / N" over columns of blanks: titles with blanks in them stand two apart.
  if (table.titles.size() > columns) {
    const std::vector<std::string> apart = two_blanks_apart(last_line);
    if (apart.size() == columns) table.titles = apart;
  }
}

}  // namespace

void NumberTable::add(const std::vector<std::string>& cells, const CellFormat& format,
                      std::size_t line) {
  const std::size_t before = rows();
  std::size_t count = cells.size();
  while (count > 0 && cells[count - 1].empty()) --count;  // separators at the end of a line
  while (columns.size() < count) {
    if (columns.size() == max_columns)
      throw InvalidInput(fmt::format("more than {} columns", max_columns));
    columns.emplace_back(before, blank);
    broken.emplace_back();
    widest_line = line;
  }
  if ((before + 1) * columns.size() > max_cells)
    throw InvalidInput(fmt::format("more than {} cells", max_cells));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    double value = blank;
    if (i < cells.size() && !cells[i].empty()) {
      const std::optional<double> number = number_of(cells[i], format);
      if (!number && broken[i].empty())
        broken[i] = fmt::format("line {}: '{}'", line, cells[i].substr(0, 40));
      value = number.value_or(blank);
    }
    columns[i].push_back(value);
  }
}

std::vector<NumberTable> number_tables(const std::vector<std::string>& lines,
                                       const CellFormat& format) {
  std::vector<NumberTable> tables;
  std::vector<std::vector<std::string>> texts;  // since the last row of numbers
  std::string comment, last_line;
  bool in_table = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (is_blank(lines[i])) continue;
    if (is_comment(lines[i])) {
      comment = lines[i];
      continue;
    }
    std::vector<std::string> cells = cells_of(lines[i], format);
    const auto first =
        std::find_if(cells.begin(), cells.end(), [](const auto& cell) { return !cell.empty(); });
    if (first == cells.end()) continue;
    if (!number_of(*first, format)) {
      texts.push_back(std::move(cells));
      last_line = lines[i];
      in_table = false;
      continue;
    }
    if (!in_table) {
      NumberTable next;
      next.add(cells, format, i + 1);
      name_columns(next, texts, last_line, comment);
      if (next.titles.empty() && !tables.empty()) {
        next.titles = tables.back().titles;
        next.units = tables.back().units;
      }
      tables.push_back(std::move(next));
      texts.clear();
      in_table = true;
      continue;
    }
    tables.back().add(cells, format, i + 1);
  }
  for (const NumberTable& table : tables) {
    if (table.titles.empty() || table.columns.size() <= table.titles.size()) continue;
    throw InvalidInput(fmt::format("line {} has {} cells under {} titles", table.widest_line,
                                   table.columns.size(), table.titles.size()));
  }
  return tables;
}

}  // namespace carom
