#include <cmath>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/output/files.hpp>
#include <carom/output/impact_figure.hpp>
#include <carom/output/json.hpp>
#include <carom/records/fit_file.hpp>
#include <carom/steppers/simulated_impact.hpp>

#include "commands.hpp"
#include "law_flags.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct ImpactOptions {
  LawFlags law;
  std::optional<double> mass, speed, force, rate, phase;
  std::string fit, method = "exact", events = "subsample", correct = "none", exit = "exact", plot;
  bool json = false;
};

std::vector<std::string_view> stepping_names() {
  std::vector<std::string_view> names;
  for (const ContactMethodEntry& entry : contact_methods()) names.push_back(entry.traits.name);
  return names;
}

std::vector<std::string_view> method_names() {
  std::vector<std::string_view> names = stepping_names();
  names.insert(names.begin(), "exact");
  return names;
}

Collision collision_from(const ImpactOptions& options) {
  require_flags({{"--mass", &options.mass}, {"--speed", &options.speed}},
                options.fit.empty() ? &options.law : nullptr);
  require_positive("--mass", *options.mass);
  require_positive("--speed", *options.speed);
  require_finite("--force", options.force.value_or(0.0));
  return {*options.mass, *options.speed, options.force.value_or(0.0)};
}

void print_for_people(const AnyLaw& law, const Collision& collision, const Impact& hit) {
  fmt::print("{}: {}\n", law_name(law), describe(law, collision));
  std::vector<Row> rows{
      {"rebound speed", short_number(hit.rebound_speed), "m/s"},
      {"restitution", short_number(hit.restitution)},
      {"largest compression", short_number(hit.max_compression), "m"},
      {"  at", short_number(hit.max_compression_time), "s"},
      {"largest force", short_number(hit.max_force), "N"},
      {"  at", short_number(hit.max_force_time), "s"},
      {"contact time", short_number(hit.contact_time), "s"},
      {"energy in", short_number(hit.energy_in), "J"},
      {"energy lost", short_number(hit.energy_lost), "J"},
      {"compression at separation", short_number(hit.separation_compression), "m"}};
  if (!hit.releases) {
    rows.push_back({"equilibrium compression", short_number(hit.equilibrium_compression), "m"});
    fmt::print("  held down by the external force: the body never leaves\n");
  }
  print_rows(rows);
}

ImpactSettings settings_from(const ImpactOptions& options) {
  return {.method = contact_method(options.method),
          .rate = options.rate.value_or(44100.0),
          .phase = options.phase.value_or(0.0),
          .events = options.events == "sample" ? Events::sample : Events::subsample,
          .correct = correction(options.correct),
          .exit = options.exit == "published" ? ExitSpeed::published : ExitSpeed::exact,
          .keep_samples = !options.plot.empty()};
}

/// Flags that mean nothing without time steps are not silently ignored.
void refuse_stepping_flags(const ImpactOptions& options) {
  for (const auto& [name, given] : {std::pair{"--rate", options.rate.has_value()},
                                    {"--phase", options.phase.has_value()},
                                    {"--events", options.events != "subsample"},
                                    {"--correct", options.correct != "none"},
                                    {"--exit", options.exit != "exact"}}) {
    if (given) {
      throw InvalidInput(fmt::format("{}: --method exact takes no time steps; choose one of {}",
                                     name, fmt::join(stepping_names(), ", ")));
    }
  }
}

Json to_json(const ImpactErrors& error) {
  return {{"rebound_speed_percent", json_number(error.rebound_speed_percent)},
          {"dev_x_percent", json_number(error.dev_x_percent)},
          {"dev_energy_percent", json_number(error.dev_energy_percent)},
          {"waveform_percent", json_number(error.waveform_percent)},
          {"samples_in_contact", error.samples_in_contact}};
}

void write_picture(const ImpactOptions& options, const Figure& figure) {
  write_file(options.plot, draw_svg(figure));
  if (!options.json) fmt::print(stderr, "picture: {}\n", options.plot);
}

/// The same impact by a method that takes time steps, beside the exact answer.
int run_simulated(const ImpactOptions& options, const AnyLaw& law, const Collision& collision) {
  const ImpactSettings settings = settings_from(options);
  const SimulatedImpact simulated = simulate_impact(law, collision, settings);
  const Impact exact = impact(law, collision);
  if (!options.plot.empty()) {
    write_picture(options, impact_figure(law, collision,
                                         {.method = options.method,
                                          .simulated = simulated,
                                          .onset = settings.phase / settings.rate}));
  }
  const bool failed = !simulated.converged || !simulated.passive_kept;
  const std::string status = !simulated.converged      ? "not converged"
                             : !simulated.passive_kept ? "audit violated"
                                                       : "done";
  if (options.json) {
    const Json json{{"law", carom::to_json(law, collision)},
                    {"method", options.method},
                    {"status", status},
                    {"result", carom::to_json(simulated.result)},
                    {"exact", carom::to_json(exact)},
                    {"error", to_json(simulated.error)},
                    {"energy",
                     {{"residual", json_number(simulated.ledger.residual())},
                      {"worst_residual", json_number(simulated.ledger.worst_residual())}}}};
    print_json(json);
  } else {
    fmt::print("{}: {}\n", law_name(law), describe(law, collision));
    const auto row = [](const char* name, double ours, double truth) {
      return std::vector<std::string>{
          name, short_number(ours), short_number(truth),
          std::isfinite(ours / truth) ? fmt::format("{:+.3g} %", 100 * (ours / truth - 1)) : "-"};
    };
    const Impact& hit = simulated.result;
    print_table({"", options.method, "exact", "error"},
                {row("rebound speed [m/s]", hit.rebound_speed, exact.rebound_speed),
                 row("largest compression [m]", hit.max_compression, exact.max_compression),
                 row("largest force [N]", hit.max_force, exact.max_force),
                 row("contact time [s]", hit.contact_time, exact.contact_time),
                 row("energy lost [J]", hit.energy_lost, exact.energy_lost)});
    print_rows({{"samples in contact", fmt::format("{}", simulated.error.samples_in_contact)},
                {"dev(x)", short_number(simulated.error.dev_x_percent), "%"},
                {"dev(H)", short_number(simulated.error.dev_energy_percent), "%"},
                {"waveform error", short_number(simulated.error.waveform_percent), "%"},
                {"energy residual", short_number(simulated.ledger.residual()), "J"}});
  }
  if (failed) {
    fmt::print(stderr, "carom: {}: {} (worst energy residual {:.3g} J)\n", options.method, status,
               simulated.ledger.worst_residual());
  }
  return failed ? 1 : 0;
}

/// --fit: the law of an identification, with how sure the outcome is.
int run_fitted(ImpactOptions options) {
  if (const FieldValues given = options.law.values(); !given.empty()) {
    throw InvalidInput(
        fmt::format("{}: --fit has the law and its numbers", spelled("--", given.begin()->first)));
  }
  if (options.method != "exact")
    throw InvalidInput("--fit: predicts exact impacts; leave --method out");
  refuse_stepping_flags(options);
  const FitFile fit = read_fit(options.fit);
  if (!options.mass) options.mass = fit.mass;
  const Collision collision = collision_from(options);
  const Prediction found = predict(fit, collision);
  if (!options.plot.empty()) write_picture(options, impact_figure(fit.law, collision));
  if (options.json) {
    Json intervals = Json::object(), others = Json::array();
    for (const auto& [name, range] : found.intervals)
      intervals[name] = {json_number(range.first), json_number(range.second)};
    for (const auto& [name, hit] : found.alternatives)
      others.push_back({{"law", name}, {"result", to_json(hit)}});
    print_json({{"law", to_json(fit.law, collision)},
                {"method", "exact"},
                {"result", to_json(found.hit)},
                {"interval", std::move(intervals)},
                {"other_laws", std::move(others)}});
    return 0;
  }
  print_for_people(fit.law, collision, found.hit);
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, range] : found.intervals)
    rows.push_back({name, short_number(range.first), short_number(range.second)});
  print_table({"95 %", "from", "to"}, rows);
  if (found.alternatives.empty()) return 0;
  rows.clear();
  for (const auto& [name, hit] : found.alternatives) {
    rows.push_back({name, short_number(hit.rebound_speed), short_number(hit.max_force),
                    short_number(hit.contact_time)});
  }
  fmt::print("what the choice of law changes\n");
  print_table({"law", "rebound speed", "largest force", "contact time"}, rows);
  return 0;
}

int run_impact(const ImpactOptions& options) {
  if (!options.fit.empty()) return run_fitted(options);
  const Collision collision = collision_from(options);
  const AnyLaw law = law_from(options.law, collision);
  if (options.method != "exact") return run_simulated(options, law, collision);
  refuse_stepping_flags(options);
  const Impact hit = impact(law, collision);
  if (!options.plot.empty()) write_picture(options, impact_figure(law, collision));
  if (options.json) {
    const Json json{
        {"law", to_json(law, collision)}, {"method", "exact"}, {"result", to_json(hit)}};
    print_json(json);
  } else {
    print_for_people(law, collision, hit);
  }
  return 0;
}

}  // namespace

Command impact_command() {
  const auto options = std::make_shared<ImpactOptions>();
  std::vector<Flag> flags = law_flags(options->law, law_names());
  for (Flag& flag : std::vector<Flag>{
           {"--fit", "FIT.json",
            "the law that carom identify --output found, with 95 % intervals of the outcome",
            &options->fit},
           {"--mass", "kg", "mass, or effective mass of a pair", &options->mass},
           {"--speed", "m/s", "closing speed at first touch", &options->speed},
           {"--force", "N", "constant external force; positive pushes into the contact",
            &options->force},
           {"--method", "NAME", "how the impact is computed", &options->method, method_names()},
           {"--rate", "Hz", "samples per second of a time-stepping method; by default 44100",
            &options->rate},
           {"--phase", "0..1", "where in the first sample contact starts", &options->phase},
           {"--events",
            "WHICH",
            "onset and release located inside the step, or on samples only",
            &options->events,
            {"subsample", "sample"}},
           {"--correct",
            "NAME",
            "closed-form correction of the steps",
            &options->correct,
            {correction_names.begin(), correction_names.end()}},
           {"--exit",
            "WHICH",
            "exit speed that --correct exit or both enforces",
            &options->exit,
            {"exact", "published"}},
           {"--plot", "FILE.svg", "draw phase portrait, force loop, energy and time history",
            &options->plot},
           {"--json", "", "one JSON document on stdout", &options->json}}) {
    flags.push_back(std::move(flag));
  }
  return {.name = "impact",
          .summary = "compute one impact, exactly or with any method",
          .flags = std::move(flags),
          .run = [options] { return run_impact(*options); },
          .examples =
              "  carom impact --law hunt-crossley --mass 0.01 --stiffness 1e9 --exponent 1.5 "
              "--mu 0.5 --speed 1\n"
              "  carom impact --law hertz-damper --mass 1 --stiffness 1 --restitution 0.3 "
              "--speed 1 --json\n"
              "  carom impact --mass 0.01 --stiffness 1e9 --mu 0.5 --speed 1 --method verlet "
              "--rate 44100 --phase 0.25 --correct both\n"};
}

}  // namespace carom::cli
