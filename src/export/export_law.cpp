#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/output/json.hpp>

#include "engine.hpp"

namespace carom {
namespace {

constexpr double smallest_step = 1e-8;  ///< share of the contact: more steps are not simulated

const Engine& find_engine(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Engine& engine : engines()) {
    if (engine.info.name == name) return engine;
    names.push_back(engine.info.name);
  }
  throw InvalidInput(unknown_name_message("engine", name, names));
}

/// Restitution and contact time of the law at a speed; NaN for a contact time it does not have.
struct LawAt {
  double restitution, contact_time, max_compression;
};

LawAt law_at(const LawChoice& law, double mass, double speed) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  if (const auto* newton = std::get_if<NewtonRestitution>(&law))
    return {newton->restitution, none, none};
  const Impact hit = impact(std::get<AnyLaw>(law), {mass, speed});
  return {hit.releases ? hit.restitution : 0.0, hit.contact_time, hit.max_compression};
}

Wanted wanted_of(const ExportRequest& request) {
  const Collision& collision = request.collision;
  require_positive("mass", collision.mass);
  require_positive("speed", collision.speed);
  if (request.timestep) require_positive("timestep", *request.timestep);
  if (request.radius) require_positive("radius", *request.radius);
  if (const auto* law = std::get_if<AnyLaw>(&request.law)) validate(*law);
  const LawAt at = law_at(request.law, collision.mass, collision.speed);
  if (std::isinf(at.contact_time))
    throw InvalidInput("the body sticks at this speed: there is no rebound to export");
  if (request.timestep && *request.timestep < smallest_step * at.contact_time)
    throw InvalidInput(
        fmt::format("timestep = {}: the contact of {:.3g} s would take more than {:g} steps",
                    number_text(*request.timestep), at.contact_time, 1 / smallest_step));
  return {request.law,     collision.mass,   collision.speed, at.restitution,
          at.contact_time, request.timestep, request.radius,  request.setting};
}

Json expected_json(const Wanted& wanted, const Outcome& outcome) {
  Json json{{"restitution", json_number(outcome.restitution)},
            {"restitution_range", {json_number(outcome.lowest), json_number(outcome.highest)}},
            {"contact_time", json_number(outcome.contact_time)},
            {"wanted_restitution", json_number(wanted.restitution)},
            {"wanted_contact_time", json_number(wanted.contact_time)}};
  if (wanted.timestep && !std::isnan(wanted.contact_time))
    json["steps_in_contact"] = json_number(wanted.steps());
  return json;
}

bool near(double a, double b, double share) { return std::abs(a - b) <= share * std::abs(b); }

std::string kept_text(const Wanted& wanted, const EngineSetting& setting, const Outcome& outcome) {
  std::vector<std::string> kept;
  const std::string at = fmt::format(" at {:g} m/s", wanted.speed);
  if (std::abs(outcome.restitution - wanted.restitution) < 0.02)
    kept.push_back(fmt::format("restitution {:.4g}", outcome.restitution) + at);
  if (near(outcome.contact_time, wanted.contact_time, 0.1))
    kept.push_back(fmt::format("contact time {:.4g} s", outcome.contact_time) + at);
  if (!setting.kept.empty()) kept.push_back(setting.kept);
  return kept.empty() ? "nothing" : fmt::format("{}", fmt::join(kept, "; "));
}

std::string lost_text(const Wanted& wanted, const EngineSetting& setting, const Outcome& outcome) {
  std::vector<std::string> lost;
  if (std::abs(outcome.restitution - wanted.restitution) >= 0.02)
    lost.push_back(fmt::format("restitution: {:.4g} in place of {:.4g}", outcome.restitution,
                               wanted.restitution));
  if (!std::isnan(wanted.contact_time) && !near(outcome.contact_time, wanted.contact_time, 0.1))
    lost.push_back(fmt::format("contact time: {:.4g} s in place of {:.4g} s", outcome.contact_time,
                               wanted.contact_time));
  const double slow = wanted.speed / 4, fast = wanted.speed * 4;
  try {
    const LawAt here = law_at(wanted.law, wanted.mass, wanted.speed),
                low = law_at(wanted.law, wanted.mass, slow),
                high = law_at(wanted.law, wanted.mass, fast);
    const Outcome at_low = setting.outcome(slow), at_high = setting.outcome(fast);
    if (std::abs(at_low.restitution - low.restitution) > 0.01 ||
        std::abs(at_high.restitution - high.restitution) > 0.01)
      lost.push_back(fmt::format(
          "restitution at other speeds: the law has {:.3g} at {:g} m/s and {:.3g} at {:g} m/s, the "
          "engine {:.3g} and {:.3g}",
          low.restitution, slow, high.restitution, fast, at_low.restitution, at_high.restitution));
    if (near(outcome.contact_time, wanted.contact_time, 0.1) &&
        (!near(at_low.contact_time, low.contact_time, 0.05) ||
         !near(at_high.contact_time, high.contact_time, 0.05)))
      lost.push_back(fmt::format(
          "contact time at other speeds: the law has {:.3g} s and {:.3g} s, the engine {:.3g} s "
          "and "
          "{:.3g} s",
          low.contact_time, high.contact_time, at_low.contact_time, at_high.contact_time));
    if (outcome.max_compression > 0 && setting.name != "restitution" &&
        !near(outcome.max_compression, here.max_compression, 0.05))
      lost.push_back(fmt::format("largest compression: {:.3g} m in place of {:.3g} m",
                                 outcome.max_compression, here.max_compression));
  } catch (const InvalidInput&) {
    lost.push_back("other speeds: the law itself does not reach so far");
  }
  return lost.empty() ? "nothing that an impact shows" : fmt::format("{}", fmt::join(lost, "; "));
}

std::vector<std::string> step_warnings(const Wanted& wanted, const EngineSetting& setting,
                                       const Outcome& outcome) {
  std::vector<std::string> warnings;
  const bool timed = wanted.timestep && !std::isnan(wanted.contact_time);
  if (timed && setting.name == "restitution" && wanted.setting == ExportSetting::automatic &&
      wanted.steps() < fewest_steps) {
    warnings.push_back(fmt::format(
        "the contact lasts {:.2g} steps, too few for a spring: exported as an impulse within one "
        "step; a time step of at most {:.3g} s would keep the contact time",
        wanted.steps(), wanted.contact_time / 5));
  }
  if (timed && setting.name != "restitution" && wanted.steps() < 10)
    warnings.push_back(
        fmt::format("the contact lasts only {:.3g} steps; {:.3g} s or less would be "
                    "well resolved",
                    wanted.steps(), wanted.contact_time / 20));
  if (outcome.highest - outcome.lowest > 0.02)
    warnings.push_back(fmt::format(
        "restitution varies from {:.3g} to {:.3g} with where in a time step the contact begins",
        outcome.lowest, outcome.highest));
  if (std::abs(outcome.restitution - wanted.restitution) >= 0.02)
    warnings.push_back(fmt::format("the engine will give a restitution of {:.3g}, not {:.3g}",
                                   outcome.restitution, wanted.restitution));
  return warnings;
}

}  // namespace

std::vector<EngineInfo> engine_catalogue() {
  std::vector<EngineInfo> infos;
  for (const Engine& engine : engines()) infos.push_back(engine.info);
  return infos;
}

Json export_law(std::string_view name, const ExportRequest& request) {
  const Engine& engine = find_engine(name);
  if (engine.info.needs_timestep && !request.timestep)
    throw InvalidInput(fmt::format(
        "missing: --timestep; what {} must be given depends on its time step", engine.info.title));
  const Wanted wanted = wanted_of(request);
  const EngineSetting setting = engine.setting(wanted);
  const Outcome outcome = setting.outcome(wanted.speed);
  Json warnings = Json::array();
  for (const std::string& each : step_warnings(wanted, setting, outcome)) warnings.push_back(each);
  for (const std::string& each : setting.warnings) warnings.push_back(each);
  Json json{{"engine", engine.info.name},
            {"version_checked", engine.info.version},
            {"checked", engine.info.run ? "run" : "by source, not run"},
            {"setting", setting.name},
            {"parameters", setting.parameters},
            {"snippet", setting.snippet},
            {"expected", expected_json(wanted, outcome)},
            {"kept", kept_text(wanted, setting, outcome)},
            {"lost", lost_text(wanted, setting, outcome)},
            {"warnings", std::move(warnings)}};
  if (setting.naive) {
    const Outcome naive = setting.naive->outcome(wanted.speed);
    json["naive"] = {{"what", setting.naive->what},
                     {"parameters", setting.naive->parameters},
                     {"restitution", json_number(naive.restitution)},
                     {"contact_time", json_number(naive.contact_time)}};
  }
  return json;
}

}  // namespace carom
