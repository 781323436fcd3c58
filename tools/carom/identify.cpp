#include <array>
#include <memory>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/identify/formula.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/identify/two_speeds.hpp>
#include <carom/laws/units.hpp>
#include <carom/output/files.hpp>
#include <carom/output/impact_figure.hpp>
#include <carom/output/json.hpp>

#include "commands.hpp"
#include "identify_command.hpp"
#include "table.hpp"

namespace carom::cli {

void refuse_flag(const char* flag, const std::optional<double>& value, const char* reason) {
  if (value) throw InvalidInput(fmt::format("{} {}: {}", flag, *value, reason));
}

void draw_impact(const AnyLaw& law, const Collision& collision, const std::string& file) {
  if (!file.empty()) write_file(file, draw_svg(impact_figure(law, collision)));
}

namespace {

/// A number that the problem determines or not: null in JSON.
Json json_or_null(const std::optional<double>& value) {
  return value ? json_number(*value) : Json(nullptr);
}

Json law_json(const Identified& found, bool damper) {
  Json json{{"name", damper ? "hertz-damper" : "hunt-crossley"},
            {"stiffness", json_or_null(found.stiffness)},
            {"exponent", json_or_null(found.exponent)}};
  if (damper) {
    json["damping"] = json_or_null(found.damping);
    json["release"] = release_name(found.release);
  } else {
    json["lambda"] = json_or_null(found.lambda);
    json["mu"] = json_or_null(found.mu);
  }
  json["epsilon"] = json_number(found.epsilon);
  json["omega_i"] = json_or_null(found.omega);
  return json;
}

Json identified_json(const Identified& found, bool damper) {
  return {{"law", law_json(found, damper)},
          {"check",
           {{"restitution", json_or_null(found.check.restitution)},
            {"contact_time", json_or_null(found.check.contact_time)},
            {"max_force", json_or_null(found.check.max_force)},
            {"max_compression", json_or_null(found.check.max_compression)}}},
          {"problem", found.problem},
          {"formula", formula_name(found.formula)}};
}

void draw_identified(const Identified& found, bool damper, const std::string& file) {
  if (file.empty()) return;
  if (!found.mass || !found.speed) throw InvalidInput("--plot: needs --mass and --speed");
  draw_impact(damper ? AnyLaw(found.hertz_damper()) : AnyLaw(found.hunt_crossley()),
              {*found.mass, *found.speed}, file);
}

void print_identified(const Identified& found, bool damper) {
  const auto add = [](std::vector<Row>& rows, const char* name, const std::optional<double>& value,
                      const std::string& unit) {
    if (value) rows.push_back({name, short_number(*value), unit});
  };
  const std::string n = found.exponent ? short_number(*found.exponent) : "n";
  std::vector<Row> law, check;
  add(law, "stiffness k", found.stiffness, "N/m^" + n);
  add(law, "exponent n", found.exponent, "");
  add(law, "damping lambda", found.lambda, "N s/m^(" + n + "+1)");
  add(law, "mu = lambda/k", found.mu, "s/m");
  add(law, "damping c", found.damping, "N s/m");
  add(law, "epsilon", found.epsilon, "");
  add(law, "omega_i", found.omega, "rad/s");
  add(check, "restitution", found.check.restitution, "");
  add(check, "contact time", found.check.contact_time, "s");
  add(check, "largest force", found.check.max_force, "N");
  add(check, "largest compression", found.check.max_compression, "m");
  fmt::print("{} by {} ({})\n", damper ? "hertz-damper" : "hunt-crossley",
             formula_name(found.formula), found.problem);
  print_rows(law);
  if (check.empty()) return;
  fmt::print("an impact under this law gives back\n");
  print_rows(check);
}

/// What each published formula really delivers, for restitutions from 0.05 to 1.
int print_costs(const IdentifyOptions& options) {
  std::vector<double> asked;
  for (int i = 1; i <= 20; ++i) asked.push_back(0.05 * i);
  const std::vector<FormulaCost> costs = formula_costs(asked, exponent_of(options.law));
  if (options.json) {
    Json rows = Json::array();
    for (const FormulaCost& cost : costs) {
      Json row{{"asked", cost.asked}};
      for (std::size_t i = 0; i < all_formulas.size(); ++i) {
        row[std::string(formula_name(all_formulas[i]))] = json_number(cost.delivered[i]);
      }
      rows.push_back(row);
    }
    print_json(rows);
    return 0;
  }
  std::vector<std::string> header{"asked e"};
  for (const Formula formula : all_formulas) header.emplace_back(formula_name(formula));
  std::vector<std::vector<std::string>> rows;
  for (const FormulaCost& cost : costs) {
    std::vector<std::string> row{fmt::format("{:.2f}", cost.asked)};
    for (const double delivered : cost.delivered) row.push_back(fmt::format("{:.4f}", delivered));
    rows.push_back(row);
  }
  fmt::print("restitution that results from the damping of each formula (poursina: n = {})\n",
             exponent_of(options.law));
  print_table(header, rows);
  return 0;
}

Identified identified_from(const IdentifyOptions& options, bool damper) {
  Measurement measured{.mass = options.mass,
                       .speed = options.speed,
                       .restitution = options.law.number("restitution"),
                       .contact_time = options.contact_time,
                       .max_force = options.max_force,
                       .max_compression = options.max_compression,
                       .stiffness = options.law.number("stiffness"),
                       .exponent = options.law.number("exponent"),
                       .mu = options.law.number("mu"),
                       .lambda = options.law.number("lambda")};
  if (options.law.law == "kelvin-voigt") measured.exponent = exponent_of(options.law);
  const Formula formula = formula_of(options.formula);
  return damper ? identify_hertz_damper(measured, formula, release_of(options.law))
                : identify_hunt_crossley(measured, formula);
}

/// Two impacts at different speeds: three numbers to identify, one to test the model with.
int run_two_speeds(const IdentifyOptions& options) {
  if (options.law.law != "hunt-crossley") {
    throw InvalidInput(
        fmt::format("--second-speed: two speeds identify hunt-crossley, not {}", options.law.law));
  }
  const std::optional<double> restitution = options.law.number("restitution");
  require_flags({{"--speed", &options.speed},
                 {"--restitution", &restitution},
                 {"--contact-time", &options.contact_time},
                 {"--second-speed", &options.second_speed},
                 {"--second-restitution", &options.second_restitution},
                 {"--second-contact-time", &options.second_contact_time}});
  const TwoSpeeds found = identify_two_speeds(
      {*options.speed, *restitution, *options.contact_time},
      {*options.second_speed, *options.second_restitution, *options.second_contact_time},
      options.mass);
  if (options.json) {
    Json json = identified_json(found.law, false);
    json["model_test"] = {{"first_mu", json_number(found.first_mu)},
                          {"second_mu", json_number(found.second_mu)},
                          {"mismatch", json_number(found.mismatch)},
                          {"first_restitution", json_number(found.first_check)},
                          {"second_restitution", json_number(found.second_check)}};
    print_json(json);
    return 0;
  }
  print_identified(found.law, false);
  fmt::print(
      "test of the model: mu from the first impact {:.6g} s/m, from the second {:.6g} s/m "
      "({:+.2f} %)\n",
      found.first_mu, found.second_mu, 100 * found.mismatch);
  return 0;
}

/// Flags that only a data file has a use for.
void refuse_file_flags(const IdentifyOptions& options) {
  for (const auto& [flag, given] : {std::pair{"--columns", !options.columns.empty()},
                                    {"--units", !options.units.empty()},
                                    {"--run", options.run.has_value()},
                                    {"--dry-run", options.dry_run},
                                    {"--report", !options.report.empty()},
                                    {"--output", !options.output.empty()}}) {
    if (given) throw InvalidInput(fmt::format("{}: only a data file has a use for it", flag));
  }
}

/// Laws with an exact inverse, for an impact without a force.
bool is_closed(const IdentifyOptions& options) {
  const std::string& law = options.law.law;
  return (law == "hunt-crossley" || law == "hertz-damper" || law == "kelvin-voigt") &&
         !options.force && !options.gravity;
}

int run_identify(IdentifyOptions& options) {
  if (!options.data.empty() && !options.costs) return identify_data(options);
  if (options.law.law.empty()) options.law.law = "hunt-crossley";
  if (options.costs) return print_costs(options);
  refuse_file_flags(options);
  refuse_foreign_flags(options.law);
  if (options.second_speed || options.second_restitution || options.second_contact_time) {
    refuse_flag("--force", options.force, "two speeds are for impacts without a force");
    refuse_flag("--gravity", options.gravity, "two speeds are for impacts without a force");
    return run_two_speeds(options);
  }
  if (!is_closed(options)) return identify_by_search(options);
  refuse_flag("--damping", options.law.number("damping"), "it is what is looked for");
  const bool damper = options.law.law != "hunt-crossley";
  const Identified found = identified_from(options, damper);
  draw_identified(found, damper, options.plot);
  if (options.json) {
    print_json(identified_json(found, damper));
  } else {
    print_identified(found, damper);
  }
  return 0;
}

}  // namespace

AnyLaw measured_law(const IdentifyOptions& options) {
  refuse_foreign_flags(options.law);
  if (!is_closed(options)) return searched_law(options).law;
  refuse_flag("--damping", options.law.number("damping"), "it is what is looked for");
  if (options.law.law == "hunt-crossley") return identified_from(options, false).hunt_crossley();
  return identified_from(options, true).hertz_damper();
}

Command identify_command() {
  const auto options = std::make_shared<IdentifyOptions>();
  options->law.law.clear();
  std::vector<std::string_view> laws;
  for (const LawInfo& info : law_catalogue()) {
    if (is_of_numbers(info)) laws.push_back(info.text.name);
  }
  std::vector<Flag> flags = law_flags(options->law, laws);
  flags.front().allowed.push_back("constant-restitution");
  flags.front().help = "contact law; by default the one that fits a data file best";
  const auto names = formula_names();
  for (Flag& flag : std::vector<Flag>{
           {"data", "FILE",
            "measurements: a table of impacts, a trace of force or acceleration, times, a track or "
            "a "
            "recording of bounces",
            &options->data},
           {"--mass", "kg", "mass, or effective mass of a pair", &options->mass},
           {"--gravity", "m/s^2",
            "gravity; 9.81 for bounces unless given; for impacts, m g pushes during contact",
            &options->gravity},
           {"--force", "N", "constant force during contact; positive pushes into it",
            &options->force},
           {"--columns", "A,B,...",
            "what the columns of the file are: time,force; or which to take: force=TITLE",
            &options->columns},
           {"--units", "U,V,...", "units of these columns: ms,N; or time=ms", &options->units},
           {"--run", "N", "use only this run of the file", &options->run},
           {"--dry-run", "", "report how the file was read, and stop", &options->dry_run},
           {"--report", "DIR", "write a page with pictures of record, fit and ranking",
            &options->report},
           {"--output",
            "FIT.json",
            "write the result for carom impact --fit and for scenarios",
            &options->output,
            {},
            {},
            "-o"},
           {"--speed", "m/s", "closing speed at first touch", &options->speed},
           {"--contact-time", "s", "from first touch to release", &options->contact_time},
           {"--max-force", "N", "largest contact force", &options->max_force},
           {"--max-compression", "m", "largest compression", &options->max_compression},
           {"--second-speed", "m/s", "closing speed of a second impact of the same bodies",
            &options->second_speed},
           {"--second-restitution", "e", "restitution of the second impact",
            &options->second_restitution},
           {"--second-contact-time", "s", "contact time of the second impact",
            &options->second_contact_time},
           {"--formula",
            "NAME",
            "exact, or a published approximation",
            &options->formula,
            {names.begin(), names.end()}},
           {"--costs", "", "a table of the restitution each published formula actually gives",
            &options->costs},
           {"--plot", "FILE.svg", "draw an impact under the identified law", &options->plot},
           {"--json", "", "one JSON document on stdout", &options->json}}) {
    flags.push_back(std::move(flag));
  }
  return {.name = "identify",
          .summary = "find the contact law from measurements",
          .flags = std::move(flags),
          .run = [options] { return run_identify(*options); },
          .examples =
              "  carom identify --mass 0.01 --speed 1 --exponent 1.5 --restitution 0.6 "
              "--contact-time 2e-4\n"
              "  carom identify --law hertz-damper --mass 1 --speed 2 --exponent 1.5 "
              "--restitution 0.3 --stiffness 1e8 --json\n"
              "  carom identify impacts.csv --mass 0.2 --output fit.json\n"
              "  carom identify force.csv --mass 0.2 --law hunt-crossley --json\n"
              "  carom identify bounce.wav\n"
              "  carom identify record.txt --columns time,acceleration --units ms,g --dry-run\n"
              "  carom identify --costs\n"};
}

}  // namespace carom::cli
