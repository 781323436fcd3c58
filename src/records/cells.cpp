#include "cells.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/core/number.hpp>

namespace carom {
namespace {

constexpr std::size_t lines_looked_at = 400;

/// Rows of numbers among the lines: how many, and how many cells most of them have.
struct Rows {
  std::size_t count = 0, cells = 0;
};

/// `whole`: rows of nothing else; otherwise a number at the beginning is enough.
Rows number_rows(const std::vector<std::string_view>& lines, const CellFormat& format,
                 bool whole = true) {
  std::vector<std::size_t> counts;
  for (const std::string_view line : lines) {
    const std::vector<std::string> cells = cells_of(line, format);
    bool numbers = false, others = false;
    for (const std::string& cell : cells) {
      if (cell.empty()) continue;
      (number_of(cell, format) ? numbers : others) = true;
    }
    if (numbers && (!others || (!whole && number_of(cells.front(), format))))
      counts.push_back(cells.size());
  }
  if (counts.empty()) return {};
  std::nth_element(counts.begin(), counts.begin() + counts.size() / 2, counts.end());
  return {counts.size(), counts[counts.size() / 2]};
}

}  // namespace

std::string CellFormat::words() const {
  const std::string by = separator == '\t'   ? "separated by tabs"
                         : separator == ' '  ? "separated by blanks"
                         : separator == '\n' ? "one column"
                                             : fmt::format("separated by '{}'", separator);
  return by + (decimal_comma ? ", decimal comma" : "");
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  // A no-break space, as some programs leave it at the end of a cell.
  while (text.ends_with("\xc2\xa0")) text = trimmed(text.substr(0, text.size() - 2));
  return text;
}

bool is_blank(std::string_view line) { return trimmed(line).empty(); }

bool is_comment(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with('"')) line.remove_prefix(1);
  return line.starts_with('#') || line.starts_with('%') || line.starts_with('!') ||
         line.starts_with("//");
}

std::vector<std::string> cells_of(std::string_view line, const CellFormat& format) {
  std::vector<std::string> cells;
  const bool blanks = format.separator == ' ';
  if (blanks) line = trimmed(line);
  std::string cell;
  bool quoted = false;
  const auto finish = [&] {
    cells.emplace_back(trimmed(cell));
    cell.clear();
  };
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        cell += line[i++];  // a doubled quote within quotes is one
      } else {
        quoted = !quoted;
      }
    } else if (!quoted && (c == format.separator || (blanks && c == '\t'))) {
      if (!blanks || !cell.empty()) finish();
    } else {
      cell += c;
    }
  }
  finish();
  return cells;
}

std::optional<double> number_of(std::string_view cell, const CellFormat& format) {
  if (cell.starts_with('+')) cell.remove_prefix(1);
  if (cell.empty() || cell.size() > 64) return {};
  std::array<char, 64> text{};
  std::transform(cell.begin(), cell.end(), text.begin(),
                 [&](char c) { return format.decimal_comma && c == ',' ? '.' : c; });
  const std::optional<double> value = parse_number({text.data(), cell.size()});
  return value && !std::isinf(*value) ? value : std::nullopt;
}

CellFormat cell_format_of(const std::vector<std::string>& all) {
  std::vector<std::string_view> lines;
  std::string_view title;
  for (const std::string& line : all) {
    if (lines.size() == lines_looked_at) break;
    if (is_blank(line) || is_comment(line)) continue;
    if (title.empty()) title = line;
    lines.push_back(line);
  }
  CellFormat best{.separator = '\n'};
  Rows most = number_rows(lines, best);
  {
    const CellFormat comma{.separator = '\n', .decimal_comma = true};
    const Rows rows = number_rows(lines, comma);
    // "0,5" under a title of one word is one number, else two.
    if (rows.count > most.count && rows.count >= number_rows(lines, {','}).count &&
        cells_of(title, {','}).size() == 1 && !number_of(title, comma)) {
      return comma;
    }
  }
  for (const bool whole : {true, false}) {
    for (const char separator : {'\t', ';', ',', ' '}) {
      for (const bool decimal_comma : {false, true}) {
        if (separator == ',' && decimal_comma) continue;
        const CellFormat format{separator, decimal_comma};
        const Rows rows = number_rows(lines, format, whole);
        if (rows.cells < 2) continue;
        if (rows.count > most.count || (rows.count == most.count && best.separator == '\n')) {
          best = format;
          most = rows;
        }
      }
    }
    if (most.count > 0) break;
  }
  return best;
}

}  // namespace carom
