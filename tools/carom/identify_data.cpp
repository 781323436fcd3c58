#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/output/files.hpp>
#include <carom/output/json.hpp>
#include <carom/records/fit_report.hpp>
#include <carom/records/identify_file.hpp>

#include "identify_command.hpp"
#include "table.hpp"

namespace carom::cli {
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> entries;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    entries.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return entries;
}

namespace {

IdentifyFileOptions file_options(const IdentifyOptions& options) {
  IdentifyFileOptions out;
  out.read = {listed(options.columns), listed(options.units), options.run};
  out.fit.law = options.law.law;
  out.fit.mass = options.mass;
  out.fit.speed = options.speed;
  out.fit.force = options.force;
  out.fit.gravity = options.gravity;
  out.fit.profiles = !options.report.empty();
  for (const auto& [name, value] : options.law.numbers) {
    if (value) out.fit.given[name] = *value;
  }
  for (const auto& [name, text] : options.law.texts) {
    if (!text.empty()) out.fit.given[name] = text;
  }
  return out;
}

std::string shown(const Json& number) {
  return number.is_number() ? short_number(number.get<double>()) : "-";
}

/// "force trace, text separated by ',', Run 2: 'Time (s)' in s, 'Force (N)' in N"
std::string reading(const Json& read) {
  std::string text = read.value("format", "");
  if (read.contains("run")) text += fmt::format("; {}", read["run"].get<std::string>());
  std::vector<std::string> columns;
  for (const Json& column : read.value("columns", Json::array())) {
    const std::string unit = column["unit"].get<std::string>();
    columns.push_back(
        fmt::format("{} from '{}'{}{}", column["quantity"].get<std::string>(),
                    column["title"].get<std::string>(), unit == "1" ? "" : " in " + unit,
                    unit != "1" && column.contains("unit_assumed") ? " (assumed)" : ""));
  }
  if (!columns.empty()) text += fmt::format("; {}", fmt::join(columns, ", "));
  return text;
}

/// Of a number of a law or of its impact: "N/m^1.5" where the law says "N/m^n".
std::string unit_of(const Json& law, const std::string& name) {
  static const std::map<std::string, std::string> others{
      {"omega_i", "rad/s"}, {"rebound_speed", "m/s"}, {"contact_time", "s"},
      {"max_force", "N"},   {"max_compression", "m"}, {"energy_lost", "J"}};
  if (const auto found = others.find(name); found != others.end()) return found->second;
  const std::string law_name = law["name"].get<std::string>();
  for (const LawInfo& info : law_catalogue()) {
    for (const FieldInfo* field : info.fields) {
      if (info.text.name != law_name || (name != field->name && name != field->other_name))
        continue;
      std::string unit(name == field->name ? field->unit : field->other_unit);
      const std::size_t n = unit.find("^n");
      if (n != std::string::npos && law.contains("exponent")) {
        unit.replace(n + 1, 1, shown(law["exponent"]));
      }
      return unit;
    }
  }
  return "";
}

void print_read(const Json& read) {
  fmt::print("read: {}\n", reading(read));
  std::vector<Row> rows;
  for (const auto& [key, value] : read.items()) {
    if (key == "sign")
      rows.push_back({"a push is", value.get<double>() < 0 ? "negative" : "positive"});
    if (key == "offset" || key == "drift" || key == "noise" || key == "timing")
      rows.push_back({key, shown(value), key == "timing" ? "s" : ""});
    if (key == "bounces" || key == "strays" || key == "gaps" || key == "rows" || key == "kind")
      rows.push_back({key, value.is_string() ? value.get<std::string>() : value.dump()});
    if (key == "events")
      rows.push_back(
          {"events", std::to_string(value.is_array() ? value.size() : value.get<std::size_t>())});
  }
  print_rows(rows);
}

void print_run(const Json& run) {
  print_read(run["read"]);
  const Json& law = run["law"];
  fmt::print("{}: {}\n", law["name"].get<std::string>(), run["verdict"].get<std::string>());
  for (const Json& reason : run["reasons"]) fmt::print("  because {}\n", reason.get<std::string>());
  std::vector<std::vector<std::string>> numbers;
  for (const auto& [name, value] : law.items()) {
    if (name == "name" || !value.is_number()) continue;
    const bool fitted = run["uncertainty"].contains(name);
    numbers.push_back(
        {name, shown(value), fitted ? shown(run["uncertainty"][name]) : "", unit_of(law, name)});
  }
  print_table({"", "value", "95 % half width", "unit"}, numbers);
  if (!run["undetermined"].empty())
    fmt::print("not determined: {}\n",
               fmt::join(run["undetermined"].get<std::vector<std::string>>(), ", "));
  if (!run["advice"].empty())
    fmt::print("what would help: {}\n",
               fmt::join(run["advice"].get<std::vector<std::string>>(), ", "));
  fmt::print("an impact under this law gives back\n");
  std::vector<Row> check;
  for (const auto& [name, value] : run["check"].items()) {
    if (value.is_number()) check.push_back({name, shown(value), unit_of(law, name)});
  }
  print_rows(check);
  fmt::print("the candidates, best first\n");
  std::vector<std::vector<std::string>> candidates;
  for (const Json& one : run["candidates"]) {
    std::string name = one["law"]["name"].get<std::string>();
    if (one.contains("same_as"))
      name +=
          fmt::format(" (= {})", fmt::join(one["same_as"].get<std::vector<std::string>>(), ", "));
    candidates.push_back({name, shown(one["misfit"]), shown(one["criterion"]),
                          std::to_string(one["parameters"].get<int>()),
                          one["verdict"].get<std::string>()});
  }
  print_table({"law", "misfit", "criterion", "parameters", "verdict"}, candidates);
}

int dry_run(const IdentifyOptions& options) {
  const Json described = described_file(options.data, file_options(options));
  if (options.json) {
    print_json(described);
    return 0;
  }
  for (const Json& run : described["runs"]) print_read(run);
  return 0;
}

}  // namespace

int identify_data(const IdentifyOptions& options) {
  refuse_flag("--restitution", options.law.number("restitution"), "the data file takes its place");
  for (const auto& [flag, value] : {std::pair{"--contact-time", &options.contact_time},
                                    {"--max-force", &options.max_force},
                                    {"--max-compression", &options.max_compression},
                                    {"--second-speed", &options.second_speed},
                                    {"--second-restitution", &options.second_restitution},
                                    {"--second-contact-time", &options.second_contact_time}}) {
    refuse_flag(flag, *value, "the data file takes its place");
  }
  if (options.formula != "exact") {
    throw InvalidInput(
        fmt::format("--formula {}: data files are fitted with the exact law", options.formula));
  }
  if (options.dry_run) return dry_run(options);
  const IdentifiedFile found = identify_file(options.data, file_options(options));
  if (!options.output.empty()) write_file(options.output, json_text(found.document, 1) + "\n");
  if (!options.report.empty()) {
    const auto page =
        write_fit_report(found, options.data, file_options(options).fit, options.report);
    fmt::print(stderr, "report: {}\n", page.string());
  }
  if (!options.plot.empty()) {
    const Identification& laws = found.runs.front().laws();
    if (!laws.law().complete()) throw InvalidInput("--plot: the law is not complete");
    draw_impact(*laws.law().fitted, laws.reference, options.plot);
  }
  if (options.json) {
    print_json(found.document);
  } else {
    for (std::size_t i = 0; i < found.runs.size(); ++i) {
      if (i > 0) fmt::print("\n");
      print_run(found.runs[i].document);
    }
  }
  return found.accepted ? 0 : 1;
}

}  // namespace carom::cli
