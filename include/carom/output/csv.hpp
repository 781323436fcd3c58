#pragma once

#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <carom/scenario/run_context.hpp>

namespace carom {

/// Rows of numbers as text that any tool opens: a header of names, then the shortest numbers that
/// read back the same. Every failure to write throws InvalidInput.
class CsvFile {
 public:
  CsvFile(const std::filesystem::path& file, const std::vector<std::string>& names);
  ~CsvFile();
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  void row(std::span<const double> values);
  void close();  ///< writes the rest; without it the end of the file is lost

 private:
  void flush();
  [[noreturn]] void fail() const;

  std::string name_, text_;
  std::FILE* file_;
};

/// signals.csv: the column `time`, then the signals.
class CsvSignals final : public SignalSink {
 public:
  explicit CsvSignals(std::filesystem::path file) : path_(std::move(file)) {}
  void begin(const std::vector<Signal>& signals) override;
  void write(std::span<const double> values, std::size_t rows) override;
  void close();

 private:
  std::filesystem::path path_;
  std::unique_ptr<CsvFile> file_;
};

}  // namespace carom
