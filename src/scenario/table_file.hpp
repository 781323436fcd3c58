#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// Numbers from a CSV file whose first line names the columns. Columns that hold other text may be
/// there; they are an error only when asked for.
class TableFile {
 public:
  /// Throws InvalidInput when the file cannot be read, is empty or ragged.
  explicit TableFile(const std::filesystem::path& path);

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

}  // namespace carom
