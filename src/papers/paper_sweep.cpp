#include "paper_sweep.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <carom/sweep/sweep.hpp>

namespace carom {

double number_of(const SweepValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::numeric_limits<double>::quiet_NaN();
}

PaperSweep::PaperSweep(const Reproduction& paper, Share share, std::string_view sweep,
                       std::string_view scenario, const std::vector<std::string>& where) {
  SweepSettings settings;
  settings.progress = [&](const SweepProgress& progress) {
    const double done = static_cast<double>(progress.ran) / static_cast<double>(progress.total);
    paper.report(share.from + (share.to - share.from) * done);
  };
  static_assert(std::is_same_v<SweepValue, Cell>);
  SweepTable table = sweep_in_memory(read_plan(sweep, scenario, where), settings);
  names_ = std::move(table.names);
  parameters_ = table.parameters;
  rows_ = std::move(table.rows);
  const std::size_t error = column("error");
  for (const std::vector<SweepValue>& row : rows_) {
    if (const auto* reason = std::get_if<std::string>(&row[error])) {
      throw std::runtime_error("a run of the paper's sweep failed: " + *reason);
    }
  }
  paper.report(share.to);
}

std::size_t PaperSweep::column(std::string_view name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) throw std::logic_error("no column " + std::string(name));
  return static_cast<std::size_t>(found - names_.begin());
}

std::vector<double> PaperSweep::numbers(std::string_view name) const {
  const std::size_t index = column(name);
  std::vector<double> values;
  for (const std::vector<SweepValue>& row : rows_) values.push_back(number_of(row[index]));
  return values;
}

std::vector<SweepCurve> PaperSweep::curves(std::string_view x, std::string_view y) const {
  const std::size_t x_column = column(x), y_column = column(y);
  std::vector<SweepCurve> all;
  for (const std::vector<SweepValue>& row : rows_) {
    std::vector<SweepValue> at;
    for (std::size_t i = 1; i <= parameters_; ++i) {  // column 0 is the number of the run
      if (i != x_column) at.push_back(row[i]);
    }
    if (all.empty() || all.back().at != at) all.push_back({.at = std::move(at), .x = {}, .y = {}});
    all.back().x.push_back(number_of(row[x_column]));
    all.back().y.push_back(number_of(row[y_column]));
  }
  return all;
}

}  // namespace carom
