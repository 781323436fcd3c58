#include <memory>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/export/engine_export.hpp>
#include <carom/records/fit_file.hpp>
#include <carom/scenario/kind.hpp>

#include "commands.hpp"
#include "identify_command.hpp"
#include "scenario_command.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct ExportOptions {
  IdentifyOptions measured;  ///< the law by flags, and what was measured of one impact
  std::string engine, scenario, fit, setting = "auto";
  std::vector<std::string> sets;
  std::optional<double> timestep, radius;
  bool list = false, json = false;
};

Json list_json() {
  Json list = Json::array();
  for (const EngineInfo& info : engine_catalogue()) {
    list.push_back({{"engine", info.name},
                    {"title", info.title},
                    {"version_checked", info.version},
                    {"checked", info.run ? "run" : "by source, not run"},
                    {"needs_timestep", info.needs_timestep},
                    {"takes", info.summary}});
  }
  return {{"engines", std::move(list)}};
}

int print_list(bool json) {
  if (json) {
    print_json(list_json());
    return 0;
  }
  std::vector<std::vector<std::string>> rows;
  for (const EngineInfo& info : engine_catalogue()) {
    rows.push_back({std::string(info.name), std::string(info.title), std::string(info.version),
                    info.run ? "run" : "by source", info.needs_timestep ? "--timestep" : "",
                    std::string(info.summary)});
  }
  print_table({"engine", "", "version", "checked", "needs", "takes"}, rows);
  return 0;
}

/// Flags that say what something else says already.
void refuse_other_sources(const ExportOptions& options, const char* source, bool mass_too) {
  const IdentifyOptions& measured = options.measured;
  if (const FieldValues given = measured.law.values(); !given.empty()) {
    throw InvalidInput(fmt::format("{}: {} has the law and its numbers",
                                   spelled("--", given.begin()->first), source));
  }
  const std::string reason = std::string(source) + " has the law";
  refuse_flag("--contact-time", measured.contact_time, reason.c_str());
  refuse_flag("--max-force", measured.max_force, reason.c_str());
  refuse_flag("--max-compression", measured.max_compression, reason.c_str());
  if (mass_too) {
    refuse_flag("--mass", measured.mass, "the scenario has it; --set changes it");
    refuse_flag("--speed", measured.speed, "the scenario has it; --set changes it");
  }
}

/// A body of any mass bounces the same by Newton's law.
Collision collision_of(const LawChoice& law, std::optional<double> mass,
                       const std::optional<double>& speed) {
  if (!mass && std::holds_alternative<NewtonRestitution>(law)) mass = 1.0;
  require_flags({{"--mass", &mass}, {"--speed", &speed}});
  require_positive("--mass", *mass);
  require_positive("--speed", *speed);
  return {*mass, *speed};
}

FirstImpact from_scenario(const ExportOptions& options) {
  refuse_other_sources(options, "the scenario", true);
  const Scenario scenario = load(options.scenario, options.sets);
  const Kind& kind = find_kind(scenario.kind());
  if (kind.first_impact == nullptr) {
    std::string known;
    for (const Kind& each : kinds()) {
      if (each.first_impact != nullptr) known += (known.empty() ? "" : ", ") + each.name;
    }
    throw InvalidInput(fmt::format("{}: kind '{}' has no single impact to export; kinds: {}",
                                   options.scenario, scenario.kind(), known));
  }
  return kind.first_impact(scenario);
}

FirstImpact from_fit(const ExportOptions& options) {
  refuse_other_sources(options, "--fit", false);
  const FittedContact fit = fitted_contact(options.fit);
  const IdentifyOptions& given = options.measured;
  return {fit.law, collision_of(fit.law, given.mass ? given.mass : fit.mass,
                                given.speed ? given.speed : fit.speed)};
}

FirstImpact from_flags(const ExportOptions& options) {
  const IdentifyOptions& given = options.measured;
  if (given.contact_time || given.max_force || given.max_compression) {
    const AnyLaw law = measured_law(given);
    return {law, collision_of(law, given.mass, given.speed)};
  }
  if (given.law.law == NewtonRestitution::text.name) {
    const LawChoice law = make_law_choice(given.law.law, given.law.values(), "--");
    return {law, collision_of(law, given.mass, given.speed)};
  }
  require_flags({{"--mass", &given.mass}, {"--speed", &given.speed}}, &given.law);
  require_positive("--mass", *given.mass);
  require_positive("--speed", *given.speed);
  const Collision collision{*given.mass, *given.speed};
  return {law_from(given.law, collision), collision};
}

ExportSetting setting_of(const std::string& name) {
  return name == "spring"        ? ExportSetting::spring
         : name == "restitution" ? ExportSetting::restitution
                                 : ExportSetting::automatic;
}

void print_for_people(const Json& found) {
  const Json& expected = found["expected"];
  const auto shown = [](const Json& number) {
    return number.is_number() ? short_number(number.get<double>()) : std::string("-");
  };
  fmt::print("{} ({}, {}): {}\n\n{}\n", found["engine"].get<std::string>(),
             found["version_checked"].get<std::string>(), found["checked"].get<std::string>(),
             found["setting"].get<std::string>(), found["snippet"].get<std::string>());
  const std::string range = fmt::format("{} to {}", shown(expected["restitution_range"][0]),
                                        shown(expected["restitution_range"][1]));
  std::vector<std::vector<std::string>> rows{
      {"restitution", shown(expected["wanted_restitution"]), shown(expected["restitution"]), range},
      {"contact time [s]", shown(expected["wanted_contact_time"]), shown(expected["contact_time"]),
       ""}};
  if (found.contains("naive")) {
    rows[0].push_back(shown(found["naive"]["restitution"]));
    rows[1].push_back(shown(found["naive"]["contact_time"]));
    print_table({"", "wanted", "the engine gives", "over phases", "usual setting"}, rows);
  } else {
    print_table({"", "wanted", "the engine gives", "over phases"}, rows);
  }
  fmt::print("kept: {}\nlost: {}\n", found["kept"].get<std::string>(),
             found["lost"].get<std::string>());
  for (const Json& warning : found["warnings"])
    fmt::print("note: {}\n", warning.get<std::string>());
}

int run_export(const ExportOptions& options) {
  if (options.list) return print_list(options.json);
  if (options.engine.empty()) throw InvalidInput("missing: --to ENGINE; --list shows them");
  if (!options.scenario.empty() && !options.fit.empty())
    throw InvalidInput("--fit: the scenario has the law already; give one of them");
  if (options.scenario.empty() && !options.sets.empty())
    throw InvalidInput("--set: needs a scenario file");
  const FirstImpact first = !options.scenario.empty() ? from_scenario(options)
                            : !options.fit.empty()    ? from_fit(options)
                                                      : from_flags(options);
  const Json found = export_law(options.engine, {.law = first.law,
                                                 .collision = first.collision,
                                                 .timestep = options.timestep,
                                                 .radius = options.radius,
                                                 .setting = setting_of(options.setting)});
  if (options.json) {
    print_json(found);
  } else {
    print_for_people(found);
  }
  return 0;
}

}  // namespace

Command export_command() {
  const auto options = std::make_shared<ExportOptions>();
  IdentifyOptions& measured = options->measured;
  std::vector<std::string_view> names = law_names(), targets;
  names.push_back(NewtonRestitution::text.name);
  static const std::vector<EngineInfo> all = engine_catalogue();
  for (const EngineInfo& info : all) targets.push_back(info.name);
  constexpr std::array<std::string_view, 1> own{"restitution"};
  std::vector<Flag> flags = law_flags(measured.law, names, own);
  for (Flag& flag : std::vector<Flag>{
           {"scenario", "FILE", "a scenario whose first impact is exported", &options->scenario},
           {"--to", "ENGINE", "the physics engine", &options->engine, targets},
           {"--list", "", "list the engines", &options->list},
           {"--fit", "FIT.json", "the law that carom identify --output found", &options->fit},
           {"--set", "KEY=VALUE", "override a key of the scenario", &options->sets},
           {"--mass", "kg", "mass, or effective mass of a pair", &measured.mass},
           {"--speed", "m/s", "closing speed at which the engine should be right", &measured.speed},
           {"--contact-time", "s", "measured contact time, in place of the stiffness",
            &measured.contact_time},
           {"--max-force", "N", "measured peak force, in place of the stiffness",
            &measured.max_force},
           {"--max-compression", "m", "measured largest compression, in place of the stiffness",
            &measured.max_compression},
           {"--timestep", "s", "time step of the engine", &options->timestep},
           {"--body-radius", "m", "radius of the ball, for engines that need elastic moduli",
            &options->radius},
           {"--setting",
            "WHICH",
            "a spring preserves the contact time; a restitution acts within one step",
            &options->setting,
            {"auto", "spring", "restitution"}},
           {"--json", "", "one JSON document on stdout", &options->json}}) {
    flags.push_back(std::move(flag));
  }
  return {.name = "export",
          .summary =
              "turn a law into parameters of a physics engine, and predict what it does with them",
          .flags = std::move(flags),
          .run = [options] { return run_export(*options); },
          .examples =
              "  carom export --list\n"
              "  carom export --to mujoco --law kelvin-voigt --mass 0.01 --speed 1 --restitution "
              "0.6 --contact-time 5e-3 --timestep 0.001\n"
              "  carom export --to drake --fit fit.json\n"
              "  carom export --to bullet scenario.toml --timestep 1e-3 --json\n"};
}

}  // namespace carom::cli
