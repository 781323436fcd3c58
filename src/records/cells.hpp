#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// How the lines of a table are cut into cells and cells into numbers.
struct CellFormat {
  char separator = ',';  ///< ' ': any run of blanks and tabs; '\n': one column
  bool decimal_comma = false;

  std::string words() const;  ///< "separated by ';', decimal comma"
};

std::string_view trimmed(std::string_view text);

/// The cells of a line without blanks and quotes around them.
std::vector<std::string> cells_of(std::string_view line, const CellFormat& format);

/// Nothing where the cell is not a number; NaN for "nan".
std::optional<double> number_of(std::string_view cell, const CellFormat& format);

/// A line that begins with '#', '%', '!' or '//', or is blank.
bool is_blank(std::string_view line);
bool is_comment(std::string_view line);

/// The format in which most of the lines are rows of numbers.
CellFormat cell_format_of(const std::vector<std::string>& lines);

}  // namespace carom
