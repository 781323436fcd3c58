#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include <carom/steppers/march.hpp>

#include "kinds.hpp"
#include "ringing_floor.hpp"
#include "structure.hpp"
#include "wall_advice.hpp"
#include "wall_kind.hpp"

namespace carom {
namespace {

constexpr double blown_up = 10;  ///< speed of a rebound over that of the first impact

WallSettings bounce_settings(const Scenario& scenario) {
  const double mass = scenario.number("body.mass"), speed = scenario.number("body.speed");
  const double weight = mass * scenario.number("body.gravity");
  return {.law = contact_law(scenario, mass, speed),
          .method = method_of(scenario),
          .mass = mass,
          .rate = scenario.number("run.rate"),
          .position = 0,
          .velocity = speed,
          .force_in_flight = weight,
          .force_in_contact = scenario.truth("body.gravity_in_contact") ? weight : 0.0,
          .events = events_of(scenario),
          .correct = correct_of(scenario)};
}

void check_bounce(const Scenario& scenario, Problems& problems) {
  check_contact(scenario, problems);
  if (!problems.all().empty()) return;
  if (scenario.given("run.impacts") && scenario.given("run.duration")) {
    problems.add("run.duration", "run.impacts and run.duration are both given; give one");
  }
  if (scenario.has("floor")) {
    problems.attempt("floor", [&] { static_cast<void>(read_object(scenario, "floor")); });
  } else if (scenario.has("sound") && scenario.text("sound.source") == "floor") {
    problems.add("sound.source", "sound.source = \"floor\" needs the table [floor]: what rings");
  }
  check_wall_method(bounce_settings(scenario), problems);
}

/// To the first impact and through the flight after it.
double shortest_bounce(const Scenario& scenario) {
  const WallSettings settings = bounce_settings(scenario);
  const Impact first =
      exact_impact(settings.law, {settings.mass, settings.velocity, settings.force_in_contact});
  if (!first.releases) return 0;
  const bool flies = scenario.whole_number("run.impacts") > 1;
  return first.contact_time +
         (flies ? 2 * first.rebound_speed / scenario.number("body.gravity") : 0.0);
}

FirstImpact first_bounce(const Scenario& scenario) {
  const WallSettings settings = bounce_settings(scenario);
  return {settings.law, {settings.mass, settings.velocity, settings.force_in_contact}};
}

std::vector<Advice> advise_bounce(const Scenario& scenario) {
  using enum Advice::Verdict;
  const WallSettings settings = bounce_settings(scenario);
  std::vector<Advice> advice = wall_advice(settings, "run.rate");
  const double g = scenario.number("body.gravity");
  const Impact first =
      exact_impact(settings.law, {settings.mass, settings.velocity, settings.force_in_contact});
  // With a restitution that stays below one the flights shrink as a geometric series.
  const double e = first.restitution;
  const Impact slower = exact_impact(
      settings.law, {settings.mass, 0.1 * settings.velocity, settings.force_in_contact});
  const bool constant = e < 1 && std::abs(slower.restitution - e) < 1e-6;
  if (constant) {
    const double end = 2 * settings.velocity / g * e / (1 - e);
    const bool beyond = scenario.has("run.duration") && scenario.number("run.duration") > end;
    advice.push_back({beyond ? note : good, "infinitely many bounces",
                      fmt::format("restitution {:.4g} at every speed: the bounces come to an end "
                                  "near {:.4g} s{}",
                                  e, end, beyond ? ", before the run does." : "."),
                      "", end, "end_of_bouncing"});
  } else {
    advice.push_back(
        {good, "infinitely many bounces",
         slower.releases
             ? fmt::format("restitution {:.4g} at first, {:.4g} at a tenth of the speed.", e,
                           slower.restitution)
             : "a slow body is held down by its weight: it comes to rest after finitely many "
               "bounces.",
         "", 0, ""});
  }
  advice.push_back(predictability(
      false,
      "the floor is at rest: an error in one rebound carries over to the next without growing."));
  return advice;
}

RunOutcome run_bounce(const Scenario& scenario, RunContext& context) {
  const WallSettings settings = bounce_settings(scenario);
  const auto simulation = make_wall_simulation(settings);
  const double weight = settings.force_in_flight, dt = 1 / settings.rate;
  const auto every = scenario.whole_number("output.every");
  const bool by_duration = scenario.given("run.duration");
  const double duration =
      by_duration ? scenario.number("run.duration") : std::numeric_limits<double>::infinity();
  const long long wanted = by_duration ? -1 : scenario.whole_number("run.impacts");
  const std::string source = scenario.has("sound") ? scenario.text("sound.source") : "";

  std::optional<RingingFloor> floor;
  if (source == "floor") floor.emplace(read_object(scenario, "floor"), settings.rate);

  context.signals({{"height", "m", "above the undeformed floor"},
                   {"velocity", "m/s", "upward"},
                   {"compression", "m", "compression of the contact"},
                   {"force", "N", "force of the contact"}});
  context.sound_rate(settings.rate);
  RunOutcome outcome;
  std::vector<ImpactRecord> impacts;
  ContactTrace trace;
  double strongest = 0;
  long long step = 0;
  WallSample last = simulation->now();
  const auto take = [&](const WallSample& now) {
    const double height = -now.position;
    if (step % every == 0) {
      context.record(now.time, {height, -now.velocity, std::max(0.0, now.position), now.force});
      // The weight is a potential: it counts as stored, not as injected.
      const double lifted = weight * std::max(0.0, height);
      context.energy(
          {now.time, now.kinetic, now.elastic + lifted, now.dissipated, now.injected + lifted});
    }
    if (impacts.empty() && (now.force > 0 || step == 0)) {
      trace.add(std::max(0.0, now.position), now.velocity, now.force);
    }
    if (context.heard()) {
      // The mean force over the sample, from the momentum it took: no contact is too short for it.
      const double mean = (settings.mass * (last.velocity - now.velocity) / dt) +
                          (now.position > 0 ? settings.force_in_contact : weight);
      const double push = step == 0 ? 0.0 : mean;
      if (floor) floor->step(push);
      context.hear(floor                  ? floor->velocity()
                   : source == "force"    ? push
                   : source == "velocity" ? -now.velocity
                                          : height);
    }
    last = now;
    ++step;
  };

  const bool resumed = context.resume([&](Archive& state) {
    state(*simulation, impacts, trace, strongest, step, last);
    if (floor) state(*floor);
    state.require(step >= 0 && last.time == simulation->now().time &&
                  (by_duration || static_cast<long long>(impacts.size()) <= wanted));
  });
  context.begin_loop();
  if (!resumed) take(last);
  const auto fraction = [&] {
    return by_duration ? last.time / duration
                       : static_cast<double>(impacts.size()) / static_cast<double>(wanted);
  };
  // No flight is longer than the one up to where the body came from; contacts get longer as it gets
  // slower. A body that creeps out of a strongly damped contact, or trembles on the floor, has no
  // end to wait for.
  const Impact first =
      exact_impact(settings.law, {settings.mass, settings.velocity, settings.force_in_contact});
  const double patience = 1e5 / settings.rate + 8 * settings.velocity * settings.mass / weight +
                          (first.releases ? 100 * first.contact_time : 0.0);
  march(*simulation, duration, [&](const WallSimulation& now) {
    take(now.now());
    for (const ImpactRecord& impact : now.finished()) {
      strongest = std::max(strongest, impact.max_force);
      impacts.push_back(impact);
      // No floor at rest throws a body higher than it came from; its flight would take for ever.
      if (!(impact.speed_out <= blown_up * settings.velocity)) {
        outcome.converged = false;
        outcome.status = fmt::format(
            "not converged: the method gained energy, the body left the floor with {:.3g} m/s at "
            "{:.6g} s",
            impact.speed_out, last.time);
        return false;
      }
      if (wanted >= 0 && static_cast<long long>(impacts.size()) >= wanted) return false;
    }
    const double waited =
        last.time - (impacts.empty() ? 0.0 : impacts.back().time + impacts.back().contact_time);
    if (!by_duration && waited > patience) {
      outcome.converged = false;
      outcome.status = fmt::format(
          "not converged: no impact has ended for {:.3g} s; run.duration in place of run.impacts "
          "ends the run",
          waited);
      return false;
    }
    // A body that is held has no further impact to wait for.
    if (now.held() && !by_duration) {
      outcome.warnings.push_back(
          fmt::format("the body came to rest after {} impacts", impacts.size()));
      return false;
    }
    if (!now.converged()) {
      outcome.converged = false;
      outcome.status = fmt::format(
          "not converged: the method lost track of the contacts at {:.6g} s", last.time);
      return false;
    }
    return context.keep_going(fraction(), last.time);
  });
  if (context.interrupted()) return outcome;
  simulation->finish();
  last = simulation->now();  // with the ledger closed at the sample, not at the step beyond it
  context.end_loop();

  const double lifted = weight * std::max(0.0, -last.position);
  outcome.energy = audit(simulation->ledger());
  outcome.energy.final = last.kinetic + last.elastic + lifted;
  outcome.energy.dissipated = last.dissipated;
  outcome.energy.injected = last.injected + lifted;
  outcome.passive = simulation->passive();
  outcome.law = law_json(settings.law);
  outcome.results["method"] = settings.method;
  outcome.simulated_time = last.time;
  Json& list = outcome.results["impacts"] = Json::array();
  for (const ImpactRecord& impact : impacts) list.push_back(impact_json(impact));
  const double first_speed_out = impacts.empty() ? 0.0 : impacts.front().speed_out;
  outcome.key_numbers = {
      {"impacts", static_cast<double>(impacts.size()), "", fmt::format("in {:.3g} s", last.time)},
      {"first restitution", first_speed_out / settings.velocity, "",
       fmt::format("{:.4g} m/s in, {:.4g} m/s out", settings.velocity, first_speed_out)},
      {"last impact", impacts.empty() ? settings.velocity : impacts.back().speed_in, "m/s",
       "approach speed"}};
  if (std::isfinite(strongest) && strongest > 0) {
    outcome.key_numbers.push_back({"strongest contact", strongest, "N", "peak force"});
  }
  if (context.pictures()) {
    outcome.pictures = contact_pictures(
        settings.law, {settings.mass, settings.velocity, settings.force_in_contact}, trace);
  }
  return outcome;
}

}  // namespace

Kind bounce_kind() {
  std::vector<Field> run_fields = method_fields(44100);
  run_fields.push_back(whole_number("impacts", "number of impacts after which the run ends")
                           .within(1, 1e6)
                           .defaults_to(20)
                           .starts_with(20));
  run_fields.push_back(
      number("duration", "s", "duration of the run, in place of impacts").positive());
  return {
      .name = "bounce",
      .summary = "A body that bounces on a floor under gravity.",
      .description =
          "A point mass meets a floor at a given speed, is thrown back, flies, falls and meets it "
          "again. Between contacts it moves on exact parabolas; in contact the chosen law and "
          "method apply. As in papetti2011, gravity acts in flight only unless "
          "`gravity_in_contact` says otherwise.",
      .tables = {{"body",
                  "The body that bounces.",
                  {number("mass", "kg", "mass of the body").positive().required().starts_with(0.01),
                   number("speed", "m/s", "speed at the first impact")
                       .positive()
                       .required()
                       .starts_with(1.0),
                   number("gravity", "m/s^2", "acceleration in flight")
                       .positive()
                       .defaults_to(9.81)
                       .starts_with(9.81),
                   truth("gravity_in_contact", "whether gravity also acts during contact")
                       .defaults_to(false)}},
                 {.name = "floor",
                  .help =
                      "An object that rings with the force of the contacts, so heavy that the body "
                      "does not feel it: for `sound.source = \"floor\"`.",
                  .fields =
                      [] {
                        std::vector<Field> fields = object_fields();
                        for (Field& field : fields) {
                          if (field.name == "type" || field.name == "hit" || field.name == "heard")
                            field.must_be_given = true;
                        }
                        return fields;
                      }(),
                  .optional = true},
                 contact_table(all_laws("hunt-crossley")),
                 {"run", "How time advances.", run_fields},
                 samples_output_table(),
                 sound_table(
                     {text("source", "what is heard; floor: how the floor rings with the force")
                          .one_of({"force", "velocity", "height", "floor"})
                          .defaults_to("force")})},
      .refusal = wall_refusal,
      .check = check_bounce,
      .shortest_run = shortest_bounce,
      .first_impact = first_bounce,
      .advise = advise_bounce,
      .run = run_bounce,
      .reference_method = "exact",
      .main_signal = "height"};
}

}  // namespace carom
