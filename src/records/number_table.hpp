#pragma once

#include <string>
#include <vector>

#include "cells.hpp"
#include "text_file.hpp"

namespace carom {

/// Rows of numbers under one set of titles, before anything is known about what they mean.
struct NumberTable {
  std::string label;                         ///< of the run; may be empty
  std::vector<std::string> titles, units;    ///< of the columns; empty where the file has none
  std::vector<std::vector<double>> columns;  ///< all of one length; NaN: blank
  std::vector<std::string> broken;           ///< of each column, the first cell that is no number
  std::size_t widest_line = 0;               ///< the first with a cell in the last column

  /// Adds a row; `line` is its number in the file.
  void add(const std::vector<std::string>& cells, const CellFormat& format, std::size_t line);
  std::size_t rows() const { return columns.empty() ? 0 : columns.front().size(); }
};

/// The tables of a text: a new one begins with every line of titles between rows of numbers.
std::vector<NumberTable> number_tables(const std::vector<std::string>& lines,
                                       const CellFormat& format);

/// The segments of a LabVIEW measurement file, which says itself how it is written.
bool is_lvm(const std::vector<std::string>& lines);
std::vector<NumberTable> lvm_tables(const std::vector<std::string>& lines, CellFormat& format);

}  // namespace carom
