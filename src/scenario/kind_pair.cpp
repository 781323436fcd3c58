#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <carom/systems/pair.hpp>

#include "contact_trace.hpp"
#include "kinds.hpp"
#include "wall_kind.hpp"

namespace carom {
namespace {

Pair pair_of(const Scenario& scenario) {
  const std::vector<double> masses = scenario.numbers("pair.masses");
  const std::vector<double> velocities = scenario.numbers("pair.velocities");
  return {masses[0], masses[1], velocities[0], velocities[1], scenario.number("pair.gap")};
}

WallSettings pair_settings(const Scenario& scenario) {
  const Pair pair = pair_of(scenario);
  return {.law = contact_law(scenario, pair.effective_mass(), pair.closing_speed()),
          .method = method_of(scenario),
          .mass = pair.effective_mass(),
          .rate = scenario.number("run.rate"),
          .position = -pair.gap,
          .velocity = pair.closing_speed(),
          .events = events_of(scenario),
          .correct = correct_of(scenario)};
}

void check_pair(const Scenario& scenario, Problems& problems) {
  check_contact(scenario, problems);
  if (!problems.all().empty()) return;
  problems.attempt("pair.velocities", [&] { validate(pair_of(scenario)); });
  if (!problems.all().empty()) return;
  problems.attempt("run.method",
                   [&] { static_cast<void>(make_wall_simulation(pair_settings(scenario))); });
}

std::vector<Advice> advise_pair(const Scenario& scenario) {
  return wall_advice(pair_settings(scenario), "run.rate");
}

/// The relative motion is that of the effective mass on a wall; the common centre moves uniformly.
RunOutcome run_pair(const Scenario& scenario, RunContext& context) {
  const Pair pair = pair_of(scenario);
  const WallSettings settings = pair_settings(scenario);
  const Collision collision{settings.mass, settings.velocity};
  const Impact exact = exact_impact(settings.law, collision);
  const auto simulation = make_wall_simulation(settings);
  const auto every = scenario.whole_number("output.every");
  const double onset = pair.gap / pair.closing_speed();
  const double until = scenario.has("run.duration")
                           ? scenario.number("run.duration")
                           : onset + 1.5 * exact.contact_time + 20 / settings.rate;
  const double total = pair.mass_a + pair.mass_b, centre = pair.centre_velocity();
  const double share_a = pair.mass_b / total, share_b = pair.mass_a / total;
  const double drift = 0.5 * total * centre * centre;  // kinetic energy of the common motion
  context.signals({{"position_a", "m", "surface of the first body"},
                   {"position_b", "m", "surface of the second body"},
                   {"velocity_a", "m/s", "of the first body"},
                   {"velocity_b", "m/s", "of the second body"},
                   {"force", "N", "of the contact"},
                   {"compression", "m", "of the contact"}});
  context.sound_rate(settings.rate);
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
    const double middle = centre * now.time - pair.gap * share_b;
    if (step % every == 0) {
      context.record(now.time, {middle + share_a * now.position, middle - share_b * now.position,
                                centre + share_a * now.velocity, centre - share_b * now.velocity,
                                now.force, std::max(0.0, now.position)});
      context.energy({now.time, now.kinetic + drift, now.elastic, now.dissipated, 0});
    }
    if (ended.empty() && now.position >= 0) trace.add(now.position, now.velocity, now.force);
    context.hear(now.force);
    if (now.time >= until) break;
    simulation->advance(block, ended);
    now = block.front();
  }
  context.end_loop();

  outcome.energy = audit(simulation->ledger());
  outcome.energy.initial += drift;
  outcome.energy.final += drift;
  outcome.passive = simulation->passive();
  outcome.simulated_time = now.time;
  outcome.converged = simulation->converged();
  if (!outcome.converged) outcome.status = "not converged: an iteration reached its bound";
  Json impacts = Json::array();
  for (const auto& each : ended) impacts.push_back(impact_json(each.impact));
  const double after_a = centre + share_a * now.velocity, after_b = centre - share_b * now.velocity;
  outcome.results["method"] = settings.method;
  outcome.results["velocities"] = {after_a, after_b};
  outcome.results["momentum_error"] = std::abs((pair.mass_a * after_a + pair.mass_b * after_b) /
                                                   (total * std::max(std::abs(centre), 1e-300)) -
                                               1);
  outcome.results["exact"] = {
      {"rebound_speed", exact.rebound_speed},
      {"restitution", exact.restitution},
      {"contact_time", exact.contact_time},
      {"velocities",
       {centre - share_a * exact.rebound_speed, centre + share_b * exact.rebound_speed}}};
  if (!ended.empty()) {
    const ImpactRecord& hit = ended.front().impact;
    outcome.results["rebound_speed_percent"] = 100 * (hit.speed_out / exact.rebound_speed - 1);
    outcome.key_numbers = {
        {"first body", after_a, "m/s", "after the impact"},
        {"second body", after_b, "m/s", "after the impact"},
        {"restitution", hit.restitution(), "", fmt::format("exact: {:.6g}", exact.restitution)},
        {"contact time", hit.contact_time, "s", ""},
        {"peak force", hit.max_force, "N", ""}};
  } else {
    outcome.warnings.push_back("the run ended before the contact did");
  }
  outcome.results["impacts"] = std::move(impacts);
  outcome.pictures = contact_pictures(settings.law, collision, trace);
  return outcome;
}

}  // namespace

Kind pair_kind() {
  std::vector<Field> run_fields = method_fields(1e6);
  run_fields.push_back(
      number("duration", "s", "of the run; without it, a little beyond the contact").positive());
  Table sound = sound_table();
  for (Field& field : sound.fields) field.example = nullptr;
  return {
      .name = "pair",
      .summary = "Two free bodies that meet on a line.",
      .description =
          "The first body runs into the second. Their relative motion is that of the "
          "effective mass m1 m2/(m1 + m2) against a wall, so every method and law of "
          "`impact` applies; the common centre moves on. What is heard is the force.",
      .tables = {{"pair",
                  "The two bodies, the first behind the second.",
                  {number_list("masses", "kg", "of the two bodies")
                       .positive()
                       .count(2, 2)
                       .required()
                       .starts_with({0.17, 0.17}),
                   number_list("velocities", "m/s", "along the line; the first is faster")
                       .count(2, 2)
                       .required()
                       .starts_with({2.0, 0.0}),
                   number("gap", "m", "between the surfaces at the start")
                       .not_negative()
                       .defaults_to(0.0)}},
                 contact_table({"hunt-crossley", "hertz-damper", "kelvin-voigt", "power-law"}),
                 {"run", "How time advances.", run_fields},
                 {"output",
                  "What is written.",
                  {whole_number("every", "samples per recorded row").at_least(1).defaults_to(1)}},
                 sound},
      .check = check_pair,
      .advise = advise_pair,
      .run = run_pair,
      .reference_method = "exact",
      .main_signal = "force"};
}

}  // namespace carom
