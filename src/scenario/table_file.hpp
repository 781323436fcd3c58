#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <carom/laws/fields.hpp>
#include <carom/scenario/scenario.hpp>
#include <carom/systems/modal_body.hpp>

namespace carom {

/// Numbers from a CSV file whose first line names the columns. Columns that hold other text may be
/// there; they are an error only when asked for.
class TableFile {
 public:
  /// Throws InvalidInput when the file cannot be read, is empty or ragged.
  explicit TableFile(const std::filesystem::path& path);
  /// The file that a scenario names under `key`.
  TableFile(const Scenario& scenario, std::string_view key);
  /// From its text; `path` is used in messages.
  TableFile(const std::filesystem::path& path, std::string_view text);

  /// Throws InvalidInput with the nearest name when there is no such column, and with the line when
  /// a cell is not a finite number.
  std::vector<double> column(std::string_view name) const;
  bool has(std::string_view name) const { return columns_.contains(std::string(name)); }
  std::vector<std::string> names() const;  ///< of all columns
  std::size_t rows() const { return rows_; }

 private:
  std::filesystem::path path_;
  std::map<std::string, std::vector<std::string>> columns_;
  std::size_t rows_ = 0;
};

/// All columns of numbers, for laws that are a measured curve.
Columns columns_of(const TableFile& table);

/// A structure from a table of modes, as `carom modes` writes it and every kind reads it: frequency
/// (or frequency_Hz) [Hz]; damping (or sigma_1_per_s) [1/s], or t60 [s]; mass (or mass_kg, 1
/// without it); and the shapes point_1, point_2, ..., where hit stands for the first and heard for
/// the second. With a gain in place of shapes the object is hit at 1 and heard at its gain. The
/// places are numbers of these columns. The first `modes` of it.
ModalBody modes_of_table(const TableFile& file, int modes, const std::vector<double>& places);

}  // namespace carom
