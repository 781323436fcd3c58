#include <fmt/format.h>

#include "kinds.hpp"
#include "wall_advice.hpp"
#include "wall_kind.hpp"

namespace carom {
namespace {

WallSettings impact_settings(const Scenario& scenario) {
  const double mass = scenario.number("body.mass"), speed = scenario.number("body.speed");
  const double force = scenario.number("body.force"), rate = scenario.number("run.rate");
  return {.law = contact_law(scenario, mass, speed),
          .method = method_of(scenario),
          .mass = mass,
          .rate = rate,
          .position = -scenario.number("run.phase") * speed / rate,
          .velocity = speed,
          .force_in_flight = 0,
          .force_in_contact = force,
          .events = events_of(scenario),
          .correct = correct_of(scenario)};
}

void check_impact(const Scenario& scenario, Problems& problems) {
  check_contact(scenario, problems);
  if (problems.all().empty()) check_wall_method(impact_settings(scenario), problems);
}

FirstImpact first_impact(const Scenario& scenario) {
  const WallSettings settings = impact_settings(scenario);
  return {settings.law, {settings.mass, settings.velocity, settings.force_in_contact}};
}

std::vector<Advice> advise_impact(const Scenario& scenario) {
  return one_impact_advice(impact_settings(scenario));
}

/// A little beyond the contact. A body that never leaves is watched for twenty samples.
double watched_time(const Impact& exact, double rate) {
  return 1.25 * (exact.releases ? exact.contact_time : 20 / rate) + 2 / rate;
}

double shortest_impact(const Scenario& scenario) {
  const WallSettings settings = impact_settings(scenario);
  return watched_time(
      exact_impact(settings.law, {settings.mass, settings.velocity, settings.force_in_contact}),
      settings.rate);
}

RunOutcome run_impact(const Scenario& scenario, RunContext& context) {
  const WallSettings settings = impact_settings(scenario);
  const Collision collision{settings.mass, settings.velocity, settings.force_in_contact};
  const Impact exact = exact_impact(settings.law, collision);
  const double until = scenario.has("run.duration") ? scenario.number("run.duration")
                                                    : watched_time(exact, settings.rate);
  context.signals({{"compression", "m", "compression of the contact; negative: apart"},
                   {"rate", "m/s", "rate of compression"},
                   {"force", "N", "force of the contact"}});
  const std::string source = scenario.has("sound") ? scenario.text("sound.source") : "";
  const WatchedContact watched = watch_contact(
      settings, scenario.whole_number("output.every"), until, context,
      [&](const WallSample& now) {
        context.record(now.time, {now.position, now.velocity, now.force});
        context.energy({now.time, now.kinetic, now.elastic, now.dissipated, now.injected});
      },
      [&](const WallSample& now) {
        return source == "force" ? now.force : source == "rate" ? now.velocity : now.position;
      },
      [&](const WallSample& now, const auto& ended) {
        return now.time >= until && (!exact.releases || !ended.empty() || now.time > 20 * until);
      });
  if (!watched.whole) return {};

  RunOutcome outcome = watched.outcome();
  if (watched.ended.empty() && exact.releases) {
    outcome.converged = false;
    outcome.status = "not converged: the contact did not end";
  }
  Json& results = outcome.results;
  if (!watched.ended.empty()) {
    const ImpactRecord& hit = watched.ended.front();
    const double in = 0.5 * settings.mass * hit.speed_in * hit.speed_in;
    results = exact_json({.rebound_speed = hit.speed_out,
                          .restitution = hit.restitution(),
                          .max_compression = hit.max_compression,
                          .max_compression_time = 0,
                          .max_force = hit.max_force,
                          .max_force_time = 0,
                          .contact_time = hit.contact_time,
                          .separation_compression = hit.separation_compression,
                          .energy_in = in,
                          .energy_lost = in - 0.5 * settings.mass * hit.speed_out * hit.speed_out,
                          .releases = true,
                          .equilibrium_compression = 0});
    results["impacts"] = Json::array({impact_json(hit)});
    results["rebound_speed_percent"] = 100 * (hit.speed_out / exact.rebound_speed - 1);
    outcome.key_numbers = {
        {"rebound speed", hit.speed_out, "m/s",
         fmt::format("exact: {:.6g} m/s", exact.rebound_speed)},
        {"restitution", hit.restitution(), "", fmt::format("exact: {:.6g}", exact.restitution)},
        {"contact time", hit.contact_time, "s", ""},
        {"peak force", hit.max_force, "N", ""},
        {"compression", hit.max_compression, "m", "at its largest"}};
  } else {
    results = exact_json(exact);
    results["rebound_speed"] = nullptr;
    results["equilibrium_compression"] = exact.equilibrium_compression;
    results["impacts"] = Json::array();
    outcome.key_numbers = {
        {"compression at rest", exact.equilibrium_compression, "m", "the body never leaves"}};
  }
  outcome.law = law_json(settings.law);
  results["method"] = settings.method;
  results["exact"] = exact_json(exact);
  if (context.pictures()) {
    outcome.pictures = contact_pictures(settings.law, collision, watched.trace);
  }
  return outcome;
}

}  // namespace

Kind impact_kind() {
  return {
      .name = "impact",
      .summary = "One impact of a body on a wall, resolved in time.",
      .description =
          "A point mass meets a wall, is compressed and thrown back. For two bodies take the "
          "effective mass m1 m2/(m1 + m2) and the closing speed. `carom impact` answers the same "
          "question from the command line; the scenario adds the time history, pictures and sound.",
      .tables =
          {{"body",
            "The body that meets the wall.",
            {number("mass", "kg", "mass of the body").positive().required().starts_with(0.01),
             number("speed", "m/s", "closing speed at first touch")
                 .positive()
                 .required()
                 .starts_with(1.0),
             number("force", "N", "constant force that pushes into the wall").defaults_to(0.0)}},
           contact_table(all_laws("hunt-crossley")),
           contact_run_table({number("phase", "", "where in the first sample contact begins")
                                  .within(0, 1)
                                  .defaults_to(0.0)}),
           samples_output_table(),
           contact_sound_table({text("source", "what is heard")
                                    .one_of({"force", "rate", "compression"})
                                    .defaults_to("force")})},
      .refusal = wall_refusal,
      .check = check_impact,
      .shortest_run = shortest_impact,
      .first_impact = first_impact,
      .advise = advise_impact,
      .run = run_impact,
      .reference_method = "exact",
      .main_signal = "compression"};
}

}  // namespace carom
