#include "table_file.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/core/number.hpp>

#include "document.hpp"

namespace carom {
namespace {

constexpr std::uintmax_t largest_file = 256u << 20;

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  for (std::size_t start = 0; start <= line.size();) {
    const std::size_t end = std::min(line.find(',', start), line.size());
    std::string_view cell = line.substr(start, end - start);
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '\t')) cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '\t')) cell.remove_suffix(1);
    cells.emplace_back(cell);
    start = end + 1;
  }
  return cells;
}

std::string text_of(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw InvalidInput(fmt::format(
        "file '{}': cannot be read; it must be a CSV file with a header line", path.string()));
  }
  if (std::filesystem::file_size(path, error) > largest_file) {
    throw InvalidInput(fmt::format("file '{}': larger than 256 MB", path.string()));
  }
  return read_text_file(path, largest_file, "a CSV file");
}

}  // namespace

TableFile::TableFile(const std::filesystem::path& path) : TableFile(path, text_of(path)) {}

TableFile::TableFile(const Scenario& scenario, std::string_view key)
    : TableFile(scenario.path(key), scenario.files() ? scenario.files()(scenario.path(key))
                                                     : text_of(scenario.path(key))) {}

TableFile::TableFile(const std::filesystem::path& path, std::string_view text) : path_(path) {
  std::vector<std::vector<std::string>*> order;
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    std::string_view line = text.substr(start, end - start);
    start = end + 1;
    ++number;
    while (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty() || line.front() == '#') continue;
    if (line.find('\0') != std::string_view::npos) {
      throw InvalidInput(fmt::format("file '{}': is not text", path.string()));
    }
    const std::vector<std::string> cells = cells_of(line);
    if (order.empty()) {
      for (const std::string& name : cells) order.push_back(&columns_[name]);
      if (columns_.size() != cells.size()) {
        throw InvalidInput(fmt::format("file '{}': a column name appears twice", path.string()));
      }
      continue;
    }
    if (cells.size() != order.size()) {
      throw InvalidInput(fmt::format("file '{}', line {}: {} cells; must be {}, as in the header",
                                     path.string(), number, cells.size(), order.size()));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) order[i]->push_back(cells[i]);
    ++rows_;
  }
  if (rows_ == 0)
    throw InvalidInput(fmt::format("file '{}': has no rows of numbers", path.string()));
}

std::vector<std::string> TableFile::names() const {
  std::vector<std::string> all;
  for (const auto& [name, cells] : columns_) all.push_back(name);
  return all;
}

std::vector<double> TableFile::column(std::string_view name) const {
  const auto found = columns_.find(std::string(name));
  if (found == columns_.end()) {
    std::vector<std::string_view> known;
    for (const auto& [key, cells] : columns_) known.push_back(key);
    throw InvalidInput(
        fmt::format("file '{}': {}", path_.string(), unknown_name_message("column", name, known)));
  }
  std::vector<double> values;
  for (const std::string& cell : found->second) {
    const auto value = parse_number(std::string_view(cell).substr(cell.starts_with('+') ? 1 : 0));
    if (!value || !std::isfinite(*value)) {
      throw InvalidInput(fmt::format("file '{}', column '{}', row {}: '{}' is not a finite number",
                                     path_.string(), name, values.size() + 1, cell));
    }
    values.push_back(*value);
  }
  return values;
}

namespace {

/// The column under the first of these names that the file has; under the first, to be refused,
/// where it has none.
std::vector<double> any_column(const TableFile& file, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (file.has(name)) return file.column(name);
  }
  return file.column(names.front());
}

std::vector<double> damping_column(const TableFile& file) {
  for (const char* name : {"t60", "T60"}) {
    if (!file.has(name) || file.has("damping") || file.has("sigma_1_per_s")) continue;
    std::vector<double> values = file.column(name);
    for (double& value : values) {
      require_positive(name, value);
      value = std::log(1000.0) / value;
    }
    return values;
  }
  return any_column(file, {"damping", "sigma_1_per_s"});
}

std::vector<double> shape_column(const TableFile& file, double place) {
  std::vector<std::string> names{fmt::format("point_{}", place)};
  if (place == 1) names.push_back("hit");
  if (place == 2) names.push_back("heard");
  const auto there = [&](const std::string& name) { return file.has(name); };
  if (std::none_of(names.begin(), names.end(), there) && file.has("gain") && place <= 2)
    return place == 1 ? std::vector<double>(file.rows(), 1.0) : file.column("gain");
  return any_column(file, names);
}

}  // namespace

Columns columns_of(const TableFile& table) {
  Columns columns;
  for (const std::string& name : table.names()) columns[name] = table.column(name);
  return columns;
}

ModalBody modes_of_table(const TableFile& file, int modes, const std::vector<double>& places) {
  const std::vector<double> frequency = any_column(file, {"frequency", "frequency_Hz"}),
                            sigma = damping_column(file);
  const bool weighed = file.has("mass") || file.has("mass_kg");
  const std::vector<double> mass =
      weighed ? any_column(file, {"mass", "mass_kg"}) : std::vector<double>(frequency.size(), 1.0);
  ModalBody body;
  const std::size_t count = std::min(frequency.size(), static_cast<std::size_t>(modes));
  for (std::size_t j = 0; j < count; ++j) {
    body.modes.push_back({.frequency = frequency[j], .damping = sigma[j], .mass = mass[j]});
  }
  body.shapes.resize(static_cast<Eigen::Index>(places.size()), body.mode_count());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::vector<double> shape = shape_column(file, places[i]);
    for (std::size_t j = 0; j < count; ++j) {
      body.shapes(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = shape[j];
    }
  }
  validate(body);
  return body;
}

}  // namespace carom
