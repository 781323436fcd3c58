#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <carom/core/units.hpp>
#include <carom/steppers/simulated_pendulums.hpp>

#include "kinds.hpp"
#include "wall_kind.hpp"

namespace carom {
namespace {

constexpr double most_rows = 2e6;

PendulumRods rods_of(const Scenario& scenario) {
  const auto masses = scenario.numbers("pendulums.masses"),
             lengths = scenario.numbers("pendulums.lengths");
  return {.masses = {masses[0], masses[1]},
          .lengths = {lengths[0], lengths[1]},
          .offset = scenario.number("pendulums.offset"),
          .gravity = scenario.number("pendulums.gravity")};
}

PendulumState start_of(const Scenario& scenario) {
  const auto angles = scenario.numbers("pendulums.angles"),
             rates = scenario.numbers("pendulums.rates");
  return {.angles = {angles[0] * degree, angles[1] * degree}, .rates = {rates[0], rates[1]}};
}

/// A restitution is turned into damping anew at each impact: mass and speed differ. In the
/// piecewise treatment an impact takes no time and has the restitution that the law would give it.
PendulumContact contact_of(const Scenario& scenario) {
  if (scenario.text("contact.law") == "newton") {
    return NewtonRestitution{scenario.number("contact.restitution")};
  }
  if (scenario.text("run.method") == "piecewise") {
    return RestitutionOfImpact([&scenario](const Collision& collision) {
      const LawChoice law = contact_law(scenario, collision.mass, collision.speed);
      return NewtonRestitution{exact_impact(law, collision).restitution};
    });
  }
  if (!scenario.has("contact.restitution")) return compliant_law(contact_law(scenario, 1, 1));
  return LawOfImpact([&scenario](const Collision& collision) {
    return compliant_law(contact_law(scenario, collision.mass, collision.speed));
  });
}

void check_pendulums(const Scenario& scenario, Problems& problems) {
  check_contact(scenario, problems);
  problems.attempt("pendulums", [&] { validate(rods_of(scenario)); });
  const double rows = scenario.number("run.duration") / scenario.number("output.interval");
  if (rows > most_rows) {
    problems.add("output.interval",
                 fmt::format("output.interval = {:g}: that is {:.3g} rows in "
                             "run.duration; at most {:.3g}",
                             scenario.number("output.interval"), rows, most_rows));
  }
  if (!problems.all().empty()) return;
  problems.attempt("contact.law", [&] { static_cast<void>(contact_law(scenario, 1, 1)); });
}

/// Steps of fixed length against an impact at the speed the rods can reach.
Advice pendulum_step_advice(const Scenario& scenario) {
  using enum Advice::Verdict;
  if (scenario.text("contact.law") == "newton") {
    return {good, "resolution", "impacts take no time: the steps need only follow the swing."};
  }
  const PendulumRods rods = rods_of(scenario);
  const PendulumState start = start_of(scenario);
  const double mass = std::min(rods.inertia(0) / (rods.lengths[0] * rods.lengths[0]),
                               rods.inertia(1) / (rods.lengths[1] * rods.lengths[1]));
  const double speed = std::sqrt(2 * std::max(energy(rods, start), 1e-12) / mass);
  const Impact fastest = exact_impact(contact_law(scenario, mass, speed), {mass, speed});
  const double samples = fastest.contact_time * scenario.number("run.rate");
  const bool fine = samples >= 20;
  return {fine ? good : poor,
          "contact time in samples",
          fmt::format("an impact at {:.3g} m/s, all the energy there is, would last {:.3g} s: "
                      "{:.3g} steps at {:g} Hz.",
                      speed, fastest.contact_time, samples, scenario.number("run.rate")),
          fine ? ""
               : fmt::format("--set run.rate={:.0f}  or  --set run.method=event-driven",
                             std::ceil(20 / fastest.contact_time)),
          samples,
          "samples_in_contact"};
}

std::vector<Advice> advise_pendulums(const Scenario& scenario) {
  using enum Advice::Verdict;
  std::vector<Advice> advice;
  if (scenario.text("run.method") == "rk4") {
    advice.push_back(pendulum_step_advice(scenario));
  } else {
    advice.push_back(
        {good, "resolution",
         fmt::format("event-driven with a tolerance of {:g} a step: contacts are resolved "
                     "whatever the output interval is.",
                     scenario.number("run.tolerance"))});
  }
  const auto lengths = scenario.numbers("pendulums.lengths");
  const double reach = lengths[0] + lengths[1],
               offset = std::abs(scenario.number("pendulums.offset"));
  if (offset > reach) {
    advice.push_back({poor, "reach",
                      fmt::format("the pivots are {:g} m apart, the rods reach {:g} m: they "
                                  "can never touch.",
                                  offset, reach)});
  }
  advice.push_back(predictability(
      true,
      "double impacts of pendulums are sensitive: after some ten impacts the last digits of the "
      "input decide, so compare statistics, not points."));
  if (scenario.text("contact.law") == "newton" && scenario.number("contact.restitution") < 1) {
    advice.push_back(
        {note, "infinitely many bounces",
         "impacts that follow each other ever faster end the run: sustained contact is "
         "for the compliant laws."});
  }
  return advice;
}

RunOutcome run_pendulums(const Scenario& scenario, RunContext& context) {
  const PendulumRods rods = rods_of(scenario);
  const double duration = scenario.number("run.duration");
  PendulumSettings settings{
      .duration = duration,
      .tolerance = scenario.number("run.tolerance"),
      .step = scenario.text("run.method") == "rk4" ? 1 / scenario.number("run.rate") : 0.0,
      .interval = scenario.number("output.interval")};
  settings.surface = scenario.text("run.surface") == "keeps-indentation"
                         ? Surface::keeps_indentation
                         : Surface::recovers;
  settings.keep_going = [&](double time) { return context.keep_going(time / duration, time); };
  settings.resume = [&](const StateOf& state) { return context.resume(state); };
  context.signals({{"angle_1", "deg", "of the first rod from the downward vertical"},
                   {"angle_2", "deg", "of the second rod"},
                   {"rate_1", "rad/s", "of the first rod"},
                   {"rate_2", "rad/s", "of the second rod"},
                   {"force", "N", "of the contact, mean since the last row"},
                   {"compression", "m", "of the contact"}});
  RunOutcome outcome;
  context.begin_loop();
  const PendulumRun run =
      simulate_pendulums(rods, start_of(scenario), contact_of(scenario), settings);
  context.end_loop();
  if (context.interrupted()) return outcome;
  const double initial = run.ledger.initial();
  std::size_t passed = 0;
  double lost = 0, last_time = 0, last_impulse = 0;
  for (const PendulumSample& sample : run.samples) {
    const auto& s = sample.state;
    // From the impulse: no contact is too short for it, and one without duration has it too.
    const double interval = sample.time - last_time;
    const double force = interval > 0 ? (sample.impulse - last_impulse) / interval : 0;
    last_time = sample.time;
    last_impulse = sample.impulse;
    context.record(sample.time, {s.angles[0] / degree, s.angles[1] / degree, s.rates[0], s.rates[1],
                                 force, sample.compression});
    for (; passed < run.impacts.size() && run.impacts[passed].record.time <= sample.time;
         ++passed) {
      const PendulumImpact& impact = run.impacts[passed];
      lost += energy(rods, impact.before) - energy(rods, impact.after);
    }
    double kinetic = 0;
    for (int i = 0; i < 2; ++i) kinetic += 0.5 * rods.inertia(i) * s.rates[i] * s.rates[i];
    context.energy({sample.time, kinetic, energy(rods, s) - kinetic, lost, 0});
  }
  Json impacts = Json::array();
  double hardest = 0;
  for (const PendulumImpact& impact : run.impacts) {
    Json entry = impact_json(impact.record);
    entry["tip"] = impact.tip + 1;
    entry["along"] = impact.along;
    entry["effective_mass"] = impact.effective_mass;
    entry["impulse"] = impact.impulse;
    hardest = std::max(hardest, impact.record.max_force);
    impacts.push_back(std::move(entry));
  }
  outcome.energy = audit(run.ledger);
  outcome.energy.scale = std::abs(initial);
  outcome.simulated_time = run.samples.empty() ? duration : run.samples.back().time;
  switch (run.status) {
    case PendulumStatus::done:
      break;
    case PendulumStatus::impact_limit:
      outcome.converged = false;
      outcome.status = "not converged: more impacts than can be told apart";
      break;
    case PendulumStatus::sustained_contact:
      outcome.warnings.push_back("the impacts follow each other ever faster: the run ended there");
      break;
    case PendulumStatus::not_finite:
      outcome.converged = false;
      outcome.status = "not converged: the motion blew up, run.rate is too low for the contact";
      break;
    case PendulumStatus::step_limit:
      outcome.converged = false;
      outcome.status = "not converged: the tolerance asks for steps below rounding";
      break;
  }
  outcome.key_numbers = {{"impacts", static_cast<double>(run.impacts.size()), "",
                          fmt::format("in {:.3g} s", outcome.simulated_time)}};
  if (!run.impacts.empty()) {
    const PendulumImpact& first = run.impacts.front();
    outcome.key_numbers.push_back({"first impact", first.record.time, "s",
                                   fmt::format("at {:.4g} m/s", first.record.speed_in)});
    outcome.key_numbers.push_back(
        {"restitution", first.record.restitution(), "", "of the first impact"});
    outcome.key_numbers.push_back({"impulse", first.impulse, "N s", "of the first impact"});
    if (hardest > 0) outcome.key_numbers.push_back({"hardest contact", hardest, "N", "peak force"});
  }
  outcome.results["impacts"] = std::move(impacts);
  Picture picture{.name = "angles",
                  .caption = "Where the two rods are together: a kink is an impact.",
                  .panel = {.title = "Angle against angle",
                            .x_label = "first rod [deg]",
                            .y_label = "second rod [deg]",
                            .series = {{.label = "", .x = {}, .y = {}}},
                            .key = "off"}};
  const std::size_t stride = run.samples.size() / 3000 + 1;
  for (std::size_t i = 0; i < run.samples.size(); i += stride) {
    picture.panel.series.front().x.push_back(run.samples[i].state.angles[0] / degree);
    picture.panel.series.front().y.push_back(run.samples[i].state.angles[1] / degree);
  }
  outcome.pictures.push_back(std::move(picture));
  return outcome;
}

}  // namespace

Kind pendulums_kind() {
  return {
      .name = "pendulums",
      .summary = "Two rods hung side by side that swing into each other.",
      .description =
          "Two uniform rods swing about pivots at the same height; the tip of either may touch the "
          "other, from either side (poursina2020, Sect. 6). The motion is event-driven: an "
          "adaptive "
          "Runge-Kutta method of order eight, touch and release located inside the step. Given a "
          "restitution, the damping follows anew at each impact from its speed and effective mass. "
          "`carom compare` puts the continuous contact beside the piecewise treatment, in which an "
          "impact is an impulse without duration, and beside steps of fixed length.",
      .tables =
          {{"pendulums",
            "The rods; angles count counter-clockwise from the downward vertical.",
            {number_list("masses", "kg", "of the rods")
                 .positive()
                 .count(2, 2)
                 .required()
                 .starts_with({1.0, 0.2}),
             number_list("lengths", "m", "of the rods")
                 .positive()
                 .count(2, 2)
                 .required()
                 .starts_with({6.0, 4.0}),
             number("offset", "m", "second pivot relative to the first, along x")
                 .required()
                 .starts_with(-2.0),
             number_list("angles", "degrees", "at the start")
                 .count(2, 2)
                 .required()
                 .starts_with({15.0, -90.0}),
             number_list("rates", "rad/s", "at the start").count(2, 2).defaults_to({0.0, 0.0}),
             number("gravity", "m/s^2", "acceleration").not_negative().defaults_to(9.81)}},
           contact_table({"hertz-damper", "hunt-crossley", "kelvin-voigt", "power-law", "newton"}),
           {"run",
            "How time advances.",
            {text("method",
                  "event-driven: adaptive steps through each contact; piecewise: impacts take no "
                  "time and have the law's restitution; rk4: fixed steps of 1/rate")
                 .one_of({"event-driven", "piecewise", "rk4"})
                 .defaults_to("event-driven"),
             number("rate", "Hz", "steps per second, of rk4").within(1, 1e9).defaults_to(1e5),
             number("duration", "s", "of the run").positive().required().starts_with(8.0),
             number("tolerance", "", "relative, of one step")
                 .within(1e-13, 1e-3)
                 .defaults_to(1e-12)
                 .starts_with(1e-10),
             text("surface", "after a release with compression left")
                 .one_of({"recovers", "keeps-indentation"})
                 .defaults_to("recovers")}},
           {"output",
            "What is written.",
            {number("interval", "s", "between recorded rows")
                 .positive()
                 .defaults_to(1e-3)
                 .starts_with(1e-3)}}},
      .check = check_pendulums,
      .advise = advise_pendulums,
      .run = run_pendulums,
      .reference_method = "event-driven",
      .main_signal = "angle_1"};
}

}  // namespace carom
