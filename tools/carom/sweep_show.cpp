#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/files.hpp>
#include <carom/output/progress.hpp>
#include <carom/sweep/show.hpp>
#include <carom/sweep/store.hpp>

#include "sweep_command.hpp"

namespace carom::cli {
namespace {

constexpr long usual_rows = 10;

std::string text_of(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{:.6g}", *number);
  if (const auto* text = std::get_if<std::string>(&cell)) return text->substr(0, 40);
  return "-";
}

Json json_of(const Cell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) return *whole;
  if (const auto* number = std::get_if<double>(&cell)) return *number;
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  return nullptr;
}

Json json_of(const Statistics& s) {
  return {{"count", s.count},
          {"mean", s.mean},
          {"deviation", s.deviation()},
          {"low", s.low},
          {"high", s.high}};
}

/// Columns as wide as their widest entry, numbers to the right.
void print_table(const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths;
  for (const auto& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
      text += i == 0 ? fmt::format("{:<{}}", line[i], widths[i])
                     : fmt::format("  {:>{}}", line[i], widths[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    fmt::print("{}\n", text);
  }
}

std::vector<std::string> statistics_cells(const Statistics& s) {
  return {std::to_string(s.count), fmt::format("{:.6g}", s.mean),
          fmt::format("{:.3g}", s.deviation()), fmt::format("{:.6g}", s.low),
          fmt::format("{:.6g}", s.high)};
}

void print_overview(const StoreOverview& o) {
  if (!o.title.empty()) fmt::print("{}\n", o.title);
  fmt::print("{} over {}, carom {}{}\n", o.sweep_file, o.scenario_file, o.version,
             o.part == "1/1" ? "" : ", part " + o.part);
  fmt::print("{} runs: {} done, {} failed, {} missing; {} of CPU time\n\n", o.runs, o.done,
             o.failed, std::max<std::int64_t>(0, o.runs - o.done - o.failed),
             duration_text(o.seconds));
  std::vector<std::vector<std::string>> lines{
      {"column", "values", "count", "mean", "deviation", "low", "high"}};
  for (const ColumnOverview& column : o.columns) {
    std::vector<std::string> line{
        column.unit.empty() ? column.name : column.name + " [" + column.unit + "]",
        column.distinct ? std::to_string(*column.distinct) : "many"};
    if (column.numbers.count > 0) {
      const auto cells = statistics_cells(column.numbers);
      line.insert(line.end(), cells.begin(), cells.end());
    }
    lines.push_back(std::move(line));
  }
  print_table(lines);
  if (!o.failures.empty()) fmt::print("\nfailures\n");
  for (const auto& [reason, times] : o.failures) fmt::print("{:>8}  {}\n", times, reason);
}

Json overview_json(const StoreOverview& o) {
  Json columns = Json::array(), failures = Json::array();
  for (const ColumnOverview& column : o.columns) {
    Json entry{{"name", column.name}, {"role", column.role}, {"unit", column.unit}};
    entry["distinct"] = column.distinct ? Json(*column.distinct) : Json();
    entry.update(json_of(column.numbers));
    columns.push_back(std::move(entry));
  }
  for (const auto& [reason, times] : o.failures)
    failures.push_back({{"error", reason}, {"runs", times}});
  return {{"title", o.title},    {"sweep", o.sweep_file}, {"scenario", o.scenario_file},
          {"carom", o.version},  {"runs", o.runs},        {"done", o.done},
          {"failed", o.failed},  {"seconds", o.seconds},  {"columns", columns},
          {"failures", failures}};
}

void print_marginal(const Marginal& m, bool json) {
  if (json) {
    Json rows = Json::array();
    for (const Marginal::Row& row : m.rows) {
      Json entry = json_of(row.of);
      for (std::size_t i = 0; i < m.by.size(); ++i) entry[m.by[i]] = json_of(row.at[i]);
      rows.push_back(std::move(entry));
    }
    fmt::print("{}\n", Json{{"of", m.of}, {"by", m.by}, {"rows", rows}}.dump(2));
    return;
  }
  std::vector<std::vector<std::string>> lines{m.by};
  for (const char* name : {"count", "mean", "deviation", "low", "high"})
    lines[0].emplace_back(name);
  for (const Marginal::Row& row : m.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const Cell& cell : row.at) line.push_back(text_of(cell));
    const auto cells = statistics_cells(row.of);
    line.insert(line.end(), cells.begin(), cells.end());
  }
  fmt::print("{}\n", m.of);
  print_table(lines);
}

}  // namespace

int show_sweep(const SweepOptions& options) {
  if (options.store.empty()) throw InvalidInput("`carom sweep show` needs the folder of a sweep");
  const std::filesystem::path store = store_file(options.store);
  if (options.csv) {
    write_csv(store, stdout);
    return 0;
  }
  if (!options.by.empty()) {
    if (options.by.size() > 2) throw InvalidInput("--by can be given once or twice");
    std::string of = options.of;
    if (of.empty()) {
      for (const ColumnOverview& column : overview(store).columns) {
        if (column.role == "result" && of.empty()) of = column.name;
      }
    }
    const Marginal m = marginal(store, options.by, of, options.where);
    if (options.plot == "text" && !options.json) {
      fmt::print("{}", text_plot(m));
      return 0;
    }
    if (!options.plot.empty()) write_file(options.plot, draw_svg(figure_of(m)));
    print_marginal(m, options.json);
    return 0;
  }
  if (!options.plot.empty())
    throw InvalidInput("--plot needs --by, once for a line, twice for a heat map");
  const long count = options.rows.value_or(usual_rows);
  const StoreOverview o = overview(store);
  const SweepRows first = first_rows(store, count, options.where);
  if (options.json) {
    Json document = overview_json(o), rows = Json::array();
    for (const auto& row : first.rows) {
      Json entry;
      for (std::size_t i = 0; i < row.size(); ++i) entry[first.names[i]] = json_of(row[i]);
      rows.push_back(std::move(entry));
    }
    document["rows"] = std::move(rows);
    fmt::print("{}\n", document.dump(2));
    return 0;
  }
  print_overview(o);
  if (first.rows.empty()) return 0;
  fmt::print("\n");
  std::vector<std::vector<std::string>> lines{first.names};
  for (const auto& row : first.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const Cell& cell : row) line.push_back(text_of(cell));
  }
  print_table(lines);
  return 0;
}

}  // namespace carom::cli
