#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// One column of a record, in SI units.
struct RecordColumn {
  std::string title;           ///< as the file has it; "column 2" where it has none
  std::string quantity;        ///< "time", "force", ...; empty where the title names nothing known
  std::string unit;            ///< as the file or the user has it, or the SI unit that is assumed
  bool unit_assumed = false;   ///< nothing in the file names the unit
  std::vector<double> values;  ///< NaN where a cell is blank
  std::string broken = {};     ///< the first cell that is no number: "line 7: 'abc'"
};

/// What was measured in one go; all columns have the same length.
struct RecordRun {
  std::string label;  ///< "Run 1"; empty where a file has only one
  std::vector<RecordColumn> columns;
  std::vector<RecordColumn> blank = {};  ///< columns of something known without a number in them

  /// The column that measures this; null when there is none. Throws InvalidInput when there are
  /// several, naming them, when its unit is none of this quantity, and when it has other cells than
  /// numbers.
  const RecordColumn* find(std::string_view quantity) const;
};

/// A file of measurements as it was understood.
struct Record {
  std::string format;  ///< "text, separated by ';', decimal comma"
  std::vector<RecordRun> runs;
};

/// How the user corrects what a file says about itself.
struct ReadOptions {
  /// Of a file without titles: what its columns are, in order, "-" for one that is not wanted. Of
  /// one with titles: the columns to keep, each as its quantity, or as QUANTITY=TITLE, where the
  /// number of a column can stand for its title.
  std::vector<std::string> columns = {};
  /// In the order of `columns` (without those: of the columns of the file), or QUANTITY=UNIT.
  std::vector<std::string> units = {};
  std::optional<long> run = {};  ///< the only one to keep: "Run N", by the file's own count
};

/// A table of numbers as instruments and people write them: separated by commas, semicolons, tabs
/// or blanks; decimal comma; quotes; comment lines; titles with units or none; several runs side by
/// side or below each other; UTF-8, UTF-16 or Latin-1; LabVIEW's LVM. Throws InvalidInput, naming
/// the file, when it is not a regular file, too large, not text, or has no numbers.
Record read_record(const std::filesystem::path& file, const ReadOptions& options = {});
/// The same from its bytes; `file` is used in messages.
Record record_of(const std::filesystem::path& file, const std::string& bytes,
                 const ReadOptions& options = {});

}  // namespace carom
