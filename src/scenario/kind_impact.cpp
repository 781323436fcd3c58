#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "contact_trace.hpp"
#include "kinds.hpp"
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
  if (!problems.all().empty()) return;
  problems.attempt("run.method",
                   [&] { static_cast<void>(make_wall_simulation(impact_settings(scenario))); });
}

std::vector<Advice> advise_impact(const Scenario& scenario) {
  return wall_advice(impact_settings(scenario), "run.rate");
}

RunOutcome run_impact(const Scenario& scenario, RunContext& context) {
  const WallSettings settings = impact_settings(scenario);
  const Collision collision{settings.mass, settings.velocity, settings.force_in_contact};
  const Impact exact = exact_impact(settings.law, collision);
  const auto simulation = make_wall_simulation(settings);
  const auto every = scenario.whole_number("output.every");
  // A body that never leaves is watched for as long as an impact without the force would last.
  const double contact_time = exact.releases ? exact.contact_time : 20 / settings.rate;
  const double until = scenario.has("run.duration") ? scenario.number("run.duration")
                                                    : 1.25 * contact_time + 2 / settings.rate;
  context.signals({{"compression", "m", "of the contact; negative: apart"},
                   {"rate", "m/s", "of compression"},
                   {"force", "N", "of the contact"}});
  context.sound_rate(settings.rate);
  const std::string source = scenario.has("sound") ? scenario.text("sound.source") : "";
  RunOutcome outcome;
  ContactTrace trace;
  std::vector<WallSample> block(1);
  std::vector<WallSimulation::Ended> ended;
  WallSample now = simulation->now();
  long long step = 0;
  context.resume([&](Archive& state) { state(*simulation, trace, ended, now, step); });
  context.begin_loop();
  for (;; ++step) {
    if (!context.keep_going(now.time / until, now.time)) return outcome;
    if (step % every == 0) {
      context.record(now.time, {now.position, now.velocity, now.force});
      context.energy({now.time, now.kinetic, now.elastic, now.dissipated, now.injected});
    }
    if (ended.empty()) trace.add(std::max(0.0, now.position), now.velocity, now.force);
    if (context.heard()) {
      context.hear(source == "force" ? now.force : source == "rate" ? now.velocity : now.position);
    }
    if (now.time >= until && (!exact.releases || !ended.empty() || now.time > 20 * until)) break;
    simulation->advance(block, ended);
    now = block.front();
  }
  context.end_loop();

  outcome.energy = audit(simulation->ledger());
  outcome.passive = simulation->passive();
  outcome.simulated_time = now.time;
  outcome.converged = simulation->converged() && (!ended.empty() || !exact.releases);
  if (!outcome.converged) outcome.status = "not converged: the contact did not end";
  const auto describe = [](const Impact& impact) {
    return Json{{"rebound_speed", impact.rebound_speed},
                {"restitution", impact.restitution},
                {"max_compression", impact.max_compression},
                {"max_force", impact.max_force},
                {"contact_time", impact.contact_time},
                {"energy_in", impact.energy_in},
                {"energy_lost", impact.energy_lost},
                {"separation_compression", impact.separation_compression},
                {"releases", impact.releases}};
  };
  Json& results = outcome.results;
  if (!ended.empty()) {
    const ImpactRecord& hit = ended.front().impact;
    const double in = 0.5 * settings.mass * hit.speed_in * hit.speed_in;
    results = {{"rebound_speed", hit.speed_out},
               {"restitution", hit.restitution()},
               {"max_compression", hit.max_compression},
               {"max_force", hit.max_force},
               {"contact_time", hit.contact_time},
               {"energy_in", in},
               {"energy_lost", in - 0.5 * settings.mass * hit.speed_out * hit.speed_out},
               {"separation_compression", hit.separation_compression},
               {"releases", true}};
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
    results = describe(exact);
    results["rebound_speed"] = nullptr;
    results["equilibrium_compression"] = exact.equilibrium_compression;
    results["impacts"] = Json::array();
    outcome.key_numbers = {
        {"compression at rest", exact.equilibrium_compression, "m", "the body never leaves"}};
  }
  results["method"] = settings.method;
  results["exact"] = describe(exact);
  outcome.pictures = contact_pictures(settings.law, collision, trace);
  return outcome;
}

}  // namespace

Kind impact_kind() {
  std::vector<Field> run_fields = method_fields(1e6);
  run_fields.push_back(number("phase", "", "where in the first sample contact starts")
                           .within(0, 1)
                           .defaults_to(0.0));
  run_fields.push_back(
      number("duration", "s", "of the run; without it, a little beyond the contact").positive());
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
            {number("mass", "kg", "of the body").positive().required().starts_with(0.01),
             number("speed", "m/s", "at first touch").positive().required().starts_with(1.0),
             number("force", "N", "constant force that pushes into the wall").defaults_to(0.0)}},
           contact_table({"hunt-crossley", "hertz-damper", "kelvin-voigt", "power-law"}),
           {"run", "How time advances.", run_fields},
           {"output",
            "What is written.",
            {whole_number("every", "samples per recorded row").at_least(1).defaults_to(1)}},
           [] {
             Table sound = sound_table({text("source", "what is heard")
                                            .one_of({"force", "rate", "compression"})
                                            .defaults_to("force")});
             for (Field& field : sound.fields) field.example = nullptr;
             return sound;
           }()},
      .check = check_impact,
      .advise = advise_impact,
      .run = run_impact,
      .reference_method = "exact",
      .main_signal = "compression"};
}

}  // namespace carom
