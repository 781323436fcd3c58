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
#include "table.hpp"

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

void add_statistics(TextTable& table, const Statistics& s) {
  if (s.count == 1) {  // what is formatted once need not be thrice
    const std::string value = fmt::format("{:.6g}", s.mean);
    table.add("1").add(value).add("0").add(value).add(value);
    return;
  }
  table.add(std::to_string(s.count)).add(fmt::format("{:.6g}", s.mean));
  table.add(fmt::format("{:.3g}", s.deviation()));
  table.add(fmt::format("{:.6g}", s.low)).add(fmt::format("{:.6g}", s.high));
}

void print_overview(const StoreOverview& o) {
  if (!o.title.empty()) fmt::print("{}\n", o.title);
  fmt::print("{} over {}, carom {}{}\n", o.sweep_file, o.scenario_file, o.version,
             o.part == "1/1" ? "" : ", part " + o.part);
  fmt::print("{} runs: {} done, {} failed, {} missing; {} of CPU time\n\n", o.runs, o.done,
             o.failed, std::max<std::int64_t>(0, o.runs - o.done - o.failed),
             duration_text(o.seconds));
  TextTable table;
  table.add_all({"column", "values", "count", "mean", "deviation", "low", "high"}).end_line();
  for (const ColumnOverview& column : o.columns) {
    table.add(column.unit.empty() ? column.name : column.name + " [" + column.unit + "]");
    table.add(column.distinct ? std::to_string(*column.distinct) : "many");
    if (column.numbers.count > 0) add_statistics(table, column.numbers);
    table.end_line();
  }
  table.print();
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

/// A line for each row, written as it goes: there may be a million.
void print_marginal_json(const Marginal& m) {
  std::vector<std::vector<std::string>> keys(m.by.size());
  for (std::size_t i = 0; i < m.by.size(); ++i) {
    const std::string name = json_text(m.by[i]);
    for (const Cell& cell : m.values[i]) {
      keys[i].push_back(", " + name + ": " + json_text(json_of(cell)));
    }
  }
  fmt::print("{{\n  \"of\": {},\n  \"by\": {},\n  \"rows\": [", json_text(m.of), json_text(m.by));
  fmt::memory_buffer page;
  const auto number = [&page](const char* name, double value) {
    fmt::format_to(std::back_inserter(page), ", \"{}\": ", name);
    const std::size_t begin = page.size();
    fmt::format_to(std::back_inserter(page), "{}", value);
    const std::string_view text(page.data() + begin, page.size() - begin);
    if (text.find_first_of(".e") == text.npos) page.append(std::string_view(".0"));
  };
  const char* separator = "\n";
  for (const Marginal::Row& row : m.rows) {
    fmt::format_to(std::back_inserter(page), "{}    {{\"count\": {}", separator, row.of.count);
    separator = ",\n";
    number("mean", row.of.mean);
    number("deviation", row.of.deviation());
    number("low", row.of.low);
    number("high", row.of.high);
    for (std::size_t i = 0; i < m.by.size(); ++i) page.append(keys[i][row.at[i]]);
    page.push_back('}');
    if (page.size() < 1u << 16) continue;
    std::fwrite(page.data(), 1, page.size(), stdout);
    page.clear();
  }
  page.append(std::string_view("\n  ]\n}\n"));
  std::fwrite(page.data(), 1, page.size(), stdout);
}

void print_marginal(const Marginal& m) {
  std::vector<std::vector<std::string>> keys(m.by.size());
  for (std::size_t i = 0; i < m.by.size(); ++i) {
    for (const Cell& cell : m.values[i]) keys[i].push_back(text_of(cell));
  }
  TextTable table;
  table.add_all(m.by).add_all({"count", "mean", "deviation", "low", "high"}).end_line();
  for (const Marginal::Row& row : m.rows) {
    for (std::size_t i = 0; i < m.by.size(); ++i) table.add(keys[i][row.at[i]]);
    add_statistics(table, row.of);
    table.end_line();
  }
  fmt::print("{}\n", m.of);
  table.print();
}

/// Every kept value of a signal over a key.
int show_section(const SweepOptions& options, const SectionPoints& points) {
  if (!options.plot.empty()) write_file(options.plot, draw_svg(figure_of(points)));
  if (options.json) {
    print_json({{"of", points.of}, {"by", points.by}, {"x", points.x}, {"y", points.y}});
    return 0;
  }
  fmt::print("{}: {} values over {}{}\n", points.of, points.x.size(), points.by,
             options.plot.empty() ? "; --plot FILE.svg draws them" : "");
  return 0;
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
    std::string of = options.of;
    if (of.empty()) {
      of = first_result(store);
    }
    const std::vector<std::string> signals = stored_signals(store);
    if (std::find(signals.begin(), signals.end(), of) != signals.end()) {
      if (options.by.size() != 1) throw InvalidInput("--of a signal needs --by once");
      return show_section(options, section_points(store, options.by.front(), of));
    }
    const Marginal m = marginal(store, options.by, of, options.where);
    if (options.plot == "text" && !options.json) {
      fmt::print("{}", text_plot(m));
      return 0;
    }
    if (!options.plot.empty()) write_file(options.plot, draw_svg(figure_of(m)));
    if (options.json) {
      print_marginal_json(m);
    } else {
      print_marginal(m);
    }
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
    print_json(document);
    return 0;
  }
  print_overview(o);
  if (first.rows.empty()) return 0;
  fmt::print("\n");
  TextTable table;
  table.add_all(first.names).end_line();
  for (const auto& row : first.rows) {
    for (const Cell& cell : row) table.add(text_of(cell));
    table.end_line();
  }
  table.print();
  return 0;
}

}  // namespace carom::cli
