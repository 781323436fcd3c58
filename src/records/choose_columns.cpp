#include "choose_columns.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>

#include "cells.hpp"
#include "quantities.hpp"

namespace carom {
namespace {

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::string titles_of(const RecordRun& run) {
  std::vector<std::string> titles;
  for (const RecordColumn& column : run.columns) titles.push_back("'" + column.title + "'");
  if (titles.size() > 12) {
    titles.resize(12);
    titles.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(titles, ", "));
}

RecordColumn* column_called(RecordRun& run, const std::string& name) {
  for (RecordColumn& column : run.columns) {
    const std::string title = lower_case(column.title), wanted = lower_case(name);
    if (title == wanted || title.ends_with(": " + wanted)) return &column;
  }
  const std::optional<double> number = number_of(name, {});
  if (number && *number >= 1 && *number <= double(run.columns.size()))
    return &run.columns[static_cast<std::size_t>(*number) - 1];
  return nullptr;
}

}  // namespace

void choose_columns(RecordRun& run, const std::vector<std::string>& wanted, bool titled) {
  if (wanted.empty()) return;
  std::vector<RecordColumn> kept;
  // Titles that name nothing known leave the names to their order.
  const bool silent = std::all_of(run.columns.begin(), run.columns.end(),
                                  [](const auto& column) { return column.quantity.empty(); });
  const bool in_order = std::none_of(wanted.begin(), wanted.end(), [](const std::string& entry) {
    return entry.find('=') != std::string::npos;
  });
  if (!titled || (silent && in_order)) {
    if (wanted.size() > run.columns.size()) {
      throw InvalidInput(fmt::format("--columns names {} columns, the file has {}", wanted.size(),
                                     run.columns.size()));
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == "-") continue;
      require_quantity(wanted[i]);
      run.columns[i].quantity = wanted[i];
      kept.push_back(std::move(run.columns[i]));
    }
    run.columns = std::move(kept);
    return;
  }
  for (const std::string& entry : wanted) {
    const std::size_t equals = entry.find('=');
    const std::string quantity = entry.substr(0, equals);
    require_quantity(quantity);
    const RecordColumn* found = nullptr;
    if (equals != std::string::npos) {
      found = column_called(run, entry.substr(equals + 1));
    } else {
      const auto same = [&](const auto& one) { return one.quantity == quantity; };
      const auto first = std::find_if(run.columns.begin(), run.columns.end(), same);
      if (first != run.columns.end()) found = &*first;
    }
    if (found == nullptr) {
      throw InvalidInput(fmt::format("no column for '{}'; there are {}", entry, titles_of(run)));
    }
    kept.push_back(*found);
    kept.back().quantity = quantity;
  }
  run.columns = std::move(kept);
}

void apply_units(RecordRun& run, const std::vector<std::string>& units) {
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::size_t equals = units[i].find('=');
    RecordColumn* column = nullptr;
    if (equals == std::string::npos) {
      if (i < run.columns.size()) column = &run.columns[i];
    } else {
      for (RecordColumn& one : run.columns) {
        if (one.quantity == units[i].substr(0, equals)) column = &one;
      }
    }
    const std::string unit = units[i].substr(equals == std::string::npos ? 0 : equals + 1);
    if (column == nullptr) {
      throw InvalidInput(
          fmt::format("--units {}: no column for it; there are {}", units[i], titles_of(run)));
    }
    if (!column->quantity.empty() && !unit_factor(column->quantity, unit)) {
      throw InvalidInput(fmt::format("--units {}: '{}' is not a unit of {}; known: {}", units[i],
                                     unit, column->quantity, unit_list(column->quantity)));
    }
    column->unit = unit;
  }
  for (RecordColumn& column : run.columns) {
    if (column.quantity.empty()) continue;
    if (column.unit.empty()) {
      column.unit = si_unit(column.quantity);
      column.unit_assumed = true;
    }
    const std::optional<double> factor = unit_factor(column.quantity, column.unit);
    if (!factor) continue;  // refused by find() where it is used
    for (double& value : column.values) value *= *factor;
  }
}

}  // namespace carom
