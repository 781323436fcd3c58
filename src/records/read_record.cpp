#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>
#include <carom/records/record.hpp>

#include "choose_columns.hpp"
#include "number_table.hpp"
#include "quantities.hpp"

namespace carom {
namespace {

/// What a unit alone says about a column whose title names nothing known.
std::string quantity_of_unit(std::string_view unit) {
  for (const char* quantity : {"time", "force", "acceleration"}) {
    if (unit_factor(quantity, unit)) return quantity;
  }
  return "";
}

/// A column as its title describes it; values as they stand in the file.
RecordColumn column_of(NumberTable& table, std::size_t i, std::string& run) {
  RecordColumn column;
  column.values = std::move(table.columns[i]);
  column.broken = std::move(table.broken[i]);
  column.title = fmt::format("column {}", i + 1);
  if (i < table.units.size()) column.unit = table.units[i];
  if (i < table.titles.size() && !table.titles[i].empty()) {
    constexpr std::size_t max_title = 80;  // of what messages and reports show
    column.title = table.titles[i].substr(0, max_title);
    Title title = title_of(column.title);
    run = title.run;
    column.quantity = title.quantity;
    if (!title.unit.empty()) column.unit = title.unit;
  }
  if (column.quantity.empty() && !column.unit.empty())
    column.quantity = quantity_of_unit(column.unit);
  return column;
}

/// One row of times, as phone stopwatches export them: "Start (s)", "Stop 1 (s)", ...
bool events_in_a_row(RecordRun& run) {
  std::vector<const RecordColumn*> events;
  for (const RecordColumn& column : run.columns) {
    if (column.values.size() > 1) return false;
    if (column.quantity == "event") events.push_back(&column);
  }
  if (events.size() < 2) return false;
  RecordColumn times{.title = fmt::format("{} to {}", events.front()->title, events.back()->title),
                     .quantity = "time",
                     .unit = events.front()->unit,
                     .values = {}};
  // A stop that has not happened is exported as zero.
  for (const RecordColumn* one : events) {
    if (one == events.front() || one->values.front() > 0)
      times.values.push_back(one->values.front());
  }
  run.columns = {std::move(times)};
  return true;
}

/// The runs that stand side by side in a table: by the names in the titles, else a new one with
/// every column of times.
std::vector<RecordRun> runs_beside(NumberTable& table) {
  std::vector<RecordRun> runs;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::string label;
    RecordColumn column = column_of(table, i, label);
    const bool empty = std::all_of(column.values.begin(), column.values.end(),
                                   [](double value) { return std::isnan(value); });
    const bool blank = empty && column.broken.empty();
    if (blank && (column.quantity.empty() || runs.empty())) continue;
    const auto has_time = [](const RecordRun& run) {
      return std::any_of(run.columns.begin(), run.columns.end(),
                         [](const RecordColumn& one) { return one.quantity == "time"; });
    };
    if (runs.empty() || (!label.empty() && label != runs.back().label) ||
        (label.empty() && column.quantity == "time" && has_time(runs.back()))) {
      if (blank) continue;
      runs.push_back({label.empty() ? table.label : label, {}});
    }
    (blank ? runs.back().blank : runs.back().columns).push_back(std::move(column));
  }
  return runs;
}

/// A run whose times begin anew is several, one below the other.
void split_where_time_restarts(RecordRun run, std::vector<RecordRun>& out) {
  const auto time = std::find_if(run.columns.begin(), run.columns.end(),
                                 [](const auto& one) { return one.quantity == "time"; });
  std::vector<std::size_t> starts{0};
  const std::size_t rows = run.columns.front().values.size();
  if (time != run.columns.end() && run.columns.size() > 1) {
    double last = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < rows; ++i) {
      const double now = time->values[i];
      if (std::isnan(now)) continue;
      if (now < last) starts.push_back(i);
      last = now;
    }
  }
  if (starts.size() == 1) {
    out.push_back(std::move(run));
    return;
  }
  starts.push_back(rows);
  for (std::size_t k = 0; k + 1 < starts.size(); ++k) {
    RecordRun part{run.label, run.columns, run.blank};
    for (RecordColumn& column : part.columns) {
      column.values.assign(column.values.begin() + long(starts[k]),
                           column.values.begin() + long(starts[k + 1]));
    }
    out.push_back(std::move(part));
  }
}

/// Rows in which no column has a number are of a longer neighbour.
void drop_blank_rows(RecordRun& run) {
  std::size_t rows = run.columns.front().values.size();
  const auto blank = [&](std::size_t row) {
    return std::all_of(run.columns.begin(), run.columns.end(),
                       [&](const auto& column) { return std::isnan(column.values[row]); });
  };
  while (rows > 0 && blank(rows - 1)) --rows;
  for (RecordColumn& column : run.columns) column.values.resize(rows);
}

/// Where a file has several runs and does not name all of them, they are counted.
void label_runs(std::vector<RecordRun>& runs) {
  if (runs.size() < 2) return;
  const bool named = std::none_of(runs.begin(), runs.end(),
                                  [](const RecordRun& run) { return run.label.empty(); });
  std::vector<std::string> labels;
  for (const RecordRun& run : runs) labels.push_back(run.label);
  std::sort(labels.begin(), labels.end());
  if (named && std::adjacent_find(labels.begin(), labels.end()) == labels.end()) return;
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].label = fmt::format("Run {}", i + 1);
}

void keep_run(std::vector<RecordRun>& runs, long wanted) {
  if (runs.size() == 1 && wanted == 1) return;
  std::vector<std::string> labels;
  for (RecordRun& run : runs) {
    if (run.label == fmt::format("Run {}", wanted)) {
      runs = {RecordRun(std::move(run))};
      return;
    }
    labels.push_back(run.label.empty() ? "Run 1" : run.label);
  }
  throw InvalidInput(fmt::format("--run {}: there is no such run; the file has {}", wanted,
                                 fmt::join(labels, ", ")));
}

}  // namespace

const RecordColumn* RecordRun::find(std::string_view quantity) const {
  const RecordColumn* found = nullptr;
  for (const RecordColumn& column : columns) {
    if (column.quantity != quantity) continue;
    if (found != nullptr) {
      throw InvalidInput(fmt::format("'{}' and '{}' both measure {}; choose with --columns {}={}",
                                     found->title, column.title, quantity, quantity, column.title));
    }
    found = &column;
  }
  if (found == nullptr) return nullptr;
  if (!unit_factor(quantity, found->unit)) {
    throw InvalidInput(fmt::format("column '{}': '{}' is not a unit of {}; known: {} (--units)",
                                   found->title, found->unit, quantity, unit_list(quantity)));
  }
  if (!found->broken.empty()) {
    throw InvalidInput(
        fmt::format("column '{}', {} is not a finite number", found->title, found->broken));
  }
  return found;
}

static Record understood(const std::filesystem::path& file, const TextFile& text,
                         const ReadOptions& options) {
  Record record;
  try {
    CellFormat format;
    std::vector<NumberTable> tables;
    if (is_lvm(text.lines)) {
      tables = lvm_tables(text.lines, format);
      record.format = "LabVIEW measurement file, ";
    } else {
      format = cell_format_of(text.lines);
      tables = number_tables(text.lines, format);
      record.format = "text, ";
    }
    record.format += format.words();
    if (text.encoding != "UTF-8") record.format += ", " + text.encoding;
    if (tables.empty()) throw InvalidInput("has no rows of numbers");
    for (NumberTable& table : tables) {
      const bool titled = !table.titles.empty();
      for (RecordRun& run : runs_beside(table)) {
        if (run.columns.empty()) continue;
        drop_blank_rows(run);
        if (!titled && options.columns.empty()) {
          const std::size_t count = run.columns.size();
          throw InvalidInput(fmt::format(
              "has no titles: say what its {} {}, for example --columns {}", count,
              count == 1 ? "column is" : "columns are", count == 1 ? "time" : "time,force"));
        }
        events_in_a_row(run);
        choose_columns(run, options.columns, titled);
        apply_units(run, options.units);
        split_where_time_restarts(std::move(run), record.runs);
      }
    }
    label_runs(record.runs);
    if (options.run) keep_run(record.runs, *options.run);
  } catch (const InvalidInput& error) {
    refuse_file(file, error.what());
  }
  return record;
}

Record read_record(const std::filesystem::path& file, const ReadOptions& options) {
  return understood(file, read_text(file), options);
}

Record record_of(const std::filesystem::path& file, const std::string& bytes,
                 const ReadOptions& options) {
  return understood(file, text_of(file, bytes), options);
}

}  // namespace carom
