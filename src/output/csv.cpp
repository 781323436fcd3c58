#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <carom/core/error.hpp>
#include <carom/output/csv.hpp>

namespace carom {
namespace {

constexpr std::size_t piece = 1u << 18;  ///< bytes written at once

}  // namespace

CsvFile::CsvFile(const std::filesystem::path& file, const std::vector<std::string>& names)
    : name_(file.filename().string()), file_(std::fopen(file.c_str(), "wb")) {
  if (file_ == nullptr) fail();
  for (const std::string& name : names) text_ += (text_.empty() ? "" : ",") + name;
  text_ += '\n';
}

CsvFile::~CsvFile() {
  if (file_ != nullptr) std::fclose(file_);
}

void CsvFile::fail() const {
  throw InvalidInput("cannot write '" + name_ + "': " + std::strerror(errno));
}

void CsvFile::row(std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    char buffer[40];
    char* end = std::to_chars(buffer, buffer + 32, values[i]).ptr;
    *end++ = i + 1 == values.size() ? '\n' : ',';
    text_.append(buffer, end);
  }
  if (text_.size() >= piece) flush();
}

void CsvFile::flush() {
  if (std::fwrite(text_.data(), 1, text_.size(), file_) != text_.size()) fail();
  text_.clear();
}

void CsvFile::close() {
  flush();
  std::FILE* closing = std::exchange(file_, nullptr);
  if (std::fclose(closing) != 0) fail();
}

void CsvSignals::begin(const std::vector<Signal>& signals) {
  std::vector<std::string> names{"time"};
  for (const Signal& signal : signals) names.push_back(signal.name);
  file_ = std::make_unique<CsvFile>(path_, names);
}

void CsvSignals::write(std::span<const double> values, std::size_t rows) {
  const std::size_t width = values.size() / rows;
  for (std::size_t row = 0; row < rows; ++row) file_->row(values.subspan(row * width, width));
}

void CsvSignals::close() {
  if (file_ != nullptr) file_->close();
}

}  // namespace carom
