#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/identify/force_trace.hpp>
#include <carom/identify/recording.hpp>
#include <carom/output/json.hpp>
#include <carom/scenario/measurements.hpp>

#include "identify_command.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

/// What a fit comes to, for JSON and for people.
struct Finding {
  Identified law;
  bool damper = false;
  LawUncertainty uncertainty;
  FitStatus status = FitStatus::converged;
  Json data;
  std::vector<Row> rows = {};  ///< about the data and the fit
  std::vector<std::string> header = {};
  std::vector<std::vector<std::string>> table = {};
};

void refuse(const char* flag, const std::optional<double>& value, const char* reason) {
  if (value) throw InvalidInput(fmt::format("{} {}: {}", flag, *value, reason));
}

void require_hunt_crossley(const IdentifyOptions& options, const char* what) {
  if (options.law.law != "hunt-crossley") {
    throw InvalidInput(
        fmt::format("--law {}: {} identifies hunt-crossley only", options.law.law, what));
  }
}

Finding finding(const ForceTrace& trace, const IdentifyOptions& options) {
  require_hunt_crossley(options, "a force trace");
  refuse("--exponent", options.law.number("exponent"), "the shape of the force gives the exponent");
  refuse("--gravity", options.gravity, "a force trace has no use for it");
  const FittedTrace fit =
      identify_force_trace(trace.times, trace.forces, options.mass, options.speed);
  return {.law = fit.law,
          .uncertainty = fit.uncertainty,
          .status = fit.status,
          .data = {{"kind", "force trace"},
                   {"samples", trace.times.size()},
                   {"onset", fit.onset},
                   {"impulse", fit.impulse},
                   {"misfit", fit.residual}},
          .rows = {{"samples", std::to_string(trace.times.size())},
                   {"first touch", short_number(fit.onset), "s"},
                   {"impulse", short_number(fit.impulse), "N s"},
                   {"misfit / largest force", short_number(fit.residual)}}};
}

Finding finding(const MeasuredSeries& series, const IdentifyOptions& options) {
  refuse("--speed", options.speed, "the file has the speeds");
  refuse("--gravity", options.gravity, "a series of impacts has no use for it");
  const bool damper = options.law.law != "hunt-crossley";
  std::optional<double> exponent = options.law.number("exponent");
  if (options.law.law == "kelvin-voigt") exponent = exponent_of(options.law);
  const FittedSeries fit =
      identify_series(series.impacts, damper ? SeriesLaw::hertz_damper : SeriesLaw::hunt_crossley,
                      options.mass, exponent, release_of(options.law));
  Finding found{.law = fit.law,
                .damper = damper,
                .uncertainty = fit.uncertainty,
                .status = fit.status,
                .data = {{"kind", "impacts"}, {"misfit", fit.misfit}},
                .rows = {{"impacts", std::to_string(series.impacts.size())},
                         {"misfit", short_number(fit.misfit)}},
                .header = {"speed", "restitution", "fitted", "contact time", "fitted"}};
  Json points = Json::array();
  for (std::size_t i = 0; i < series.impacts.size(); ++i) {
    const SeriesImpact& one = series.impacts[i];
    const FittedSeries::Point& point = fit.points[i];
    Json entry;
    entry["speed"] = one.speed;
    entry["restitution"] = one.restitution;
    entry["fitted_restitution"] = point.restitution;
    entry["contact_time"] = json_or_null(one.contact_time);
    entry["fitted_contact_time"] = json_or_null(point.contact_time);
    points.push_back(std::move(entry));
    found.table.push_back({short_number(one.speed), short_number(one.restitution),
                           short_number(point.restitution), short_number(*one.contact_time),
                           short_number(*point.contact_time)});
  }
  found.data["impacts"] = std::move(points);
  return found;
}

Finding finding(const Recording& recording, const IdentifyOptions& options) {
  require_hunt_crossley(options, "a recording");
  refuse("--speed", options.speed, "the flights give the speeds");
  refuse("--mass", options.mass, "a recording of bounces says nothing about forces");
  refuse("--exponent", options.law.number("exponent"), "a recording of bounces has no use for it");
  const std::vector<double> times = impact_times(recording.samples, recording.rate);
  const FittedBounces fit =
      identify_bounces(times, 1 / recording.rate, options.gravity.value_or(9.81));
  Finding found{.law = fit.series.law,
                .uncertainty = fit.series.uncertainty,
                .status = fit.series.status,
                .data = {{"kind", "recording"},
                         {"impacts_found", times.size()},
                         {"impacts_used", fit.times.size()},
                         {"misfit", fit.series.misfit}},
                .rows = {{"impacts found", std::to_string(times.size())},
                         {"impacts used", std::to_string(fit.times.size())},
                         {"misfit in samples", short_number(fit.series.misfit)}},
                .header = {"time", "speed", "restitution", "fitted"}};
  found.law.problem = "times between the bounces of a recording";
  Json bounces = Json::array();
  for (std::size_t i = 0; i < fit.impacts.size(); ++i) {
    Json entry;
    entry["time"] = fit.times[i + 1];
    entry["speed_in"] = fit.impacts[i].speed;
    entry["restitution"] = fit.impacts[i].restitution;
    entry["fitted_restitution"] = fit.series.points[i].restitution;
    bounces.push_back(std::move(entry));
    found.table.push_back({short_number(fit.times[i + 1]), short_number(fit.impacts[i].speed),
                           short_number(fit.impacts[i].restitution),
                           short_number(fit.series.points[i].restitution)});
  }
  found.data["bounces"] = std::move(bounces);
  return found;
}

Json uncertainty_json(const LawUncertainty& u, bool damper) {
  Json json;
  json["stiffness"] = json_or_null(u.stiffness);
  json["exponent"] = json_or_null(u.exponent);
  if (damper) {
    json["damping"] = json_or_null(u.damping);
  } else {
    json["lambda"] = json_or_null(u.lambda);
    json["mu"] = json_or_null(u.mu);
  }
  json["epsilon"] = json_or_null(u.epsilon);
  json["omega_i"] = json_or_null(u.omega);
  return json;
}

void print_finding(const Finding& found) {
  print_identified(found.law, found.damper);
  std::vector<Row> widths;
  const auto add = [&](const char* name, const std::optional<double>& width) {
    if (width) widths.push_back({name, short_number(*width)});
  };
  add("stiffness k", found.uncertainty.stiffness);
  add("exponent n", found.uncertainty.exponent);
  add("damping lambda", found.uncertainty.lambda);
  add("mu = lambda/k", found.uncertainty.mu);
  add("damping c", found.uncertainty.damping);
  if (!widths.empty()) {
    fmt::print("95 % half widths\n");
    print_rows(widths);
  }
  fmt::print("the data\n");
  print_rows(found.rows);
  if (!found.table.empty()) print_table(found.header, found.table);
}

}  // namespace

int identify_data(const IdentifyOptions& options) {
  for (const char* name : {"restitution", "stiffness", "mu", "lambda"}) {
    refuse(spelled("--", name).c_str(), options.law.number(name), "the data file takes its place");
  }
  for (const auto& [flag, value] : {std::pair{"--contact-time", &options.contact_time},
                                    {"--max-force", &options.max_force},
                                    {"--max-compression", &options.max_compression},
                                    {"--second-speed", &options.second_speed},
                                    {"--second-restitution", &options.second_restitution},
                                    {"--second-contact-time", &options.second_contact_time}}) {
    refuse(flag, *value, "the data file takes its place");
  }
  if (options.formula != "exact") {
    throw InvalidInput(
        fmt::format("--formula {}: data files are fitted with the exact law", options.formula));
  }
  const Measurements measurements = read_measurements(options.data);
  Finding found;
  try {
    found = std::visit([&](const auto& data) { return finding(data, options); }, measurements);
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("file '{}': {}", options.data, error.what()));
  }
  draw_identified(found.law, found.damper, options.plot);
  if (options.json) {
    Json json = identified_json(found.law, found.damper);
    json["uncertainty"] = uncertainty_json(found.uncertainty, found.damper);
    found.data["file"] = options.data;
    json["data"] = std::move(found.data);
    json["status"] = found.status == FitStatus::converged ? "converged" : "not converged";
    print_json(json);
  } else {
    print_finding(found);
  }
  if (found.status == FitStatus::converged) return 0;
  fmt::print(stderr, "carom: the fit did not converge\n");
  return 1;
}

}  // namespace carom::cli
