#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <carom/core/units.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/nonsmooth_march.hpp>
#include <carom/steppers/paoli_schatzman.hpp>
#include <carom/steppers/simulated_pendulums.hpp>

#include "kinds.hpp"
#include "refusals.hpp"
#include "wall_kind.hpp"

namespace carom {
namespace {

constexpr double max_rows = 2e6;

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

std::string pendulum_refusal(std::string_view law, std::string_view method) {
  if (method == "exact")
    return "there is no closed form for two swinging rods; event-driven follows them to a "
           "tolerance";
  if (refusals::carries_force(method)) return std::string(refusals::carried_force);
  if (method == "symplectic") return std::string(refusals::hamiltonian);
  if (method == "discrete-gradient" || method == "quadratised")
    return "its step is linear but for the contact, and gravity is not linear in the angle of a "
           "rod; passive closes the energy of such a motion";
  if (refusals::is_nonsmooth(method) && law != NewtonRestitution::text.name)
    return std::string(refusals::impacts_only);
  return {};
}

void check_pendulums(const Scenario& scenario, Problems& problems) {
  check_contact(scenario, problems);
  problems.attempt("pendulums", [&] { validate(rods_of(scenario)); });
  const double rows = scenario.number("run.duration") / scenario.number("output.interval");
  if (rows > max_rows) {
    problems.add("output.interval",
                 fmt::format("output.interval = {:g}: that is {:.3g} rows in "
                             "run.duration; at most {:.3g}",
                             scenario.number("output.interval"), rows, max_rows));
  }
  if (!problems.all().empty()) return;
  check_method(scenario, pendulum_refusal, problems);
  problems.attempt("contact.law", [&] { static_cast<void>(contact_law(scenario, 1, 1)); });
}

bool has_fixed_steps(std::string_view method) {
  return classical_scheme(method).has_value() || refusals::is_nonsmooth(method);
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
  if (has_fixed_steps(scenario.text("run.method"))) {
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

PendulumSettings pendulum_settings(const Scenario& scenario) {
  const std::string& method = scenario.text("run.method");
  const auto scheme = classical_scheme(method);
  return {.duration = scenario.number("run.duration"),
          .tolerance = scenario.number("run.tolerance"),
          .step = has_fixed_steps(method) ? 1 / scenario.number("run.rate") : 0.0,
          .scheme = scheme.value_or(SystemScheme::rk4),
          .closes_energy = method == "passive",
          .interval = scenario.number("output.interval"),
          .surface = scenario.text("run.surface") == "keeps-indentation"
                         ? Surface::keeps_indentation
                         : Surface::recovers};
}

template <class March>
RunOutcome run_march(const Scenario& scenario, RunContext& context, March& pendulums) {
  const PendulumRods rods = rods_of(scenario);
  const PendulumSettings settings = pendulum_settings(scenario);
  const double duration = settings.duration;
  context.signals({{"angle_1", "deg", "angle of the first rod from the downward vertical"},
                   {"angle_2", "deg", "angle of the second rod"},
                   {"rate_1", "rad/s", "angular velocity of the first rod"},
                   {"rate_2", "rad/s", "angular velocity of the second rod"},
                   {"force", "N", "force of the contact, mean since the last row"},
                   {"compression", "m", "compression of the contact"}});
  std::vector<PendulumImpact> hits;
  Picture picture{.name = "angles",
                  .caption = "Where the two rods are together: a kink is an impact.",
                  .panel = {.title = "Angle against angle",
                            .x_label = "first rod [deg]",
                            .y_label = "second rod [deg]",
                            .series = {{.label = "", .x = {}, .y = {}}},
                            .key = Panel::Key::off}};
  std::vector<double>&path_1 = picture.panel.series.front().x,
  &path_2 = picture.panel.series.front().y;
  const auto every =
      settings.step > 0 ? std::max(1LL, std::llround(settings.interval / settings.step)) : 1LL;
  const auto stride = static_cast<long long>(duration / settings.interval / 3000) + 1;
  double last_time = 0, last_impulse = 0;
  long long count = 0, rows = 0;
  const auto record = [&](const March& now) {
    const PendulumSample sample = pendulum_sample(now);
    const auto& s = sample.state;
    // From the impulse: no contact is too short for it, and one without duration has it too.
    const double interval = sample.time - last_time;
    const double force = interval > 0 ? (sample.impulse - last_impulse) / interval : 0;
    last_time = sample.time;
    last_impulse = sample.impulse;
    const double angle_1 = s.angles[0] / degree, angle_2 = s.angles[1] / degree;
    context.record(sample.time,
                   {angle_1, angle_2, s.rates[0], s.rates[1], force, sample.compression});
    const double kinetic = now.kinetic_energy();
    const Ledger ledger = [&] {
      if constexpr (std::is_same_v<March, SystemMarch>) {
        return now.ledger_now();
      } else {
        return now.ledger();
      }
    }();
    context.energy({sample.time, kinetic, now.stored_energy() - kinetic, ledger.dissipated(),
                    ledger.injected()});
    if (rows++ % stride != 0) return;
    path_1.push_back(angle_1);
    path_2.push_back(angle_2);
  };
  const bool resumed = context.resume([&](Archive& state) {
    state(pendulums, hits, path_1, path_2, last_time, last_impulse, count, rows);
    state.require(count >= 0 && rows >= 0 && path_1.size() == path_2.size());
  });
  context.begin_loop();
  if (!resumed) record(pendulums);
  march(pendulums, duration, [&](const March& now) {
    if (now.sampled()) {
      for (const SystemImpact& impact : now.finished()) {
        hits.push_back(pendulum_impact(rods, impact));
      }
      if (++count % every == 0 || now.time() >= duration) record(now);
    }
    const bool moving = now.status() == MarchStatus::going || now.status() == MarchStatus::at_rest;
    return moving && context.keep_going(now.time() / duration, now.time());
  });
  RunOutcome outcome;
  if (context.interrupted()) return outcome;
  pendulums.finish();
  context.end_loop();

  Json impacts = Json::array();
  double hardest = 0;
  for (const PendulumImpact& impact : hits) {
    Json entry = impact_json(impact.record);
    entry["tip"] = impact.tip + 1;
    entry["along"] = impact.along;
    entry["effective_mass"] = impact.effective_mass;
    entry["impulse"] = impact.impulse;
    if (std::isfinite(impact.record.max_force)) {
      hardest = std::max(hardest, impact.record.max_force);
    }
    impacts.push_back(std::move(entry));
  }
  outcome.energy = audit(pendulums.ledger());
  outcome.energy.scale = std::abs(pendulums.ledger().initial());
  outcome.passive = pendulums.passive();
  outcome.simulated_time = pendulums.time();
  switch (pendulums.status()) {
    case MarchStatus::going:
    case MarchStatus::at_rest:
      break;
    case MarchStatus::sustained_contact:
      outcome.warnings.emplace_back(
          "a contact without duration stays closed and rubs: the run ended there");
      break;
    case MarchStatus::not_finite:
      outcome.converged = false;
      outcome.status = "not converged: the motion blew up, run.rate is too low for the contact";
      break;
    case MarchStatus::not_converged:
      outcome.converged = false;
      outcome.status = settings.step > 0
                           ? "not converged: an iteration reached its bound"
                           : "not converged: the tolerance asks for steps below rounding";
      break;
  }
  outcome.key_numbers = {{"impacts", static_cast<double>(hits.size()), "",
                          fmt::format("in {:.3g} s", outcome.simulated_time)}};
  if (!hits.empty()) {
    const PendulumImpact& first = hits.front();
    outcome.key_numbers.push_back({"first impact", first.record.time, "s",
                                   fmt::format("at {:.4g} m/s", first.record.speed_in)});
    outcome.key_numbers.push_back(
        {"restitution", first.record.restitution(), "", "of the first impact"});
    outcome.key_numbers.push_back({"impulse", first.impulse, "N s", "of the first impact"});
    if (hardest > 0) outcome.key_numbers.push_back({"hardest contact", hardest, "N", "peak force"});
  }
  outcome.results["method"] = scenario.text("run.method");
  outcome.results["impacts"] = std::move(impacts);
  outcome.pictures.push_back(std::move(picture));
  return outcome;
}

RunOutcome run_pendulums(const Scenario& scenario, RunContext& context) {
  const std::string& method = scenario.text("run.method");
  const PendulumRods rods = rods_of(scenario);
  if (!refusals::is_nonsmooth(method)) {
    SystemMarch pendulums =
        pendulum_march(rods, start_of(scenario), contact_of(scenario), pendulum_settings(scenario));
    return run_march(scenario, context, pendulums);
  }
  const NewtonRestitution law{scenario.number("contact.restitution")};
  const MotionState start = motion_of(start_of(scenario));
  const NonsmoothSettings common{.step = 1 / scenario.number("run.rate")};
  if (method == "moreau-jean") {
    NonsmoothMarch<PendulumRods, MoreauJean<PendulumRods>> pendulums(
        rods, law, start, common.step, MoreauJeanSettings{.common = common});
    return run_march(scenario, context, pendulums);
  }
  NonsmoothMarch<PendulumRods, PaoliSchatzman<PendulumRods>> pendulums(rods, law, start,
                                                                       common.step, common);
  return run_march(scenario, context, pendulums);
}

}  // namespace

Kind pendulums_kind() {
  return {
      .name = "pendulums",
      .summary = "Two rods hung side by side that swing into each other.",
      .description =
          "Two uniform rods swing about pivots at the same height; the tip of either may touch the "
          "other, from either side (poursina2020, Sect. 6). The motion is stepped by "
          "collocation of order twenty, touch and release located inside the step. Given a "
          "restitution, the damping follows anew at each impact from its speed and effective mass. "
          "`carom compare` compares the continuous contact with the piecewise treatment, in which "
          "an "
          "impact is an impulse without duration, and with steps of fixed length.",
      .tables =
          {{"pendulums",
            "The rods; angles count counter-clockwise from the downward vertical.",
            {number_list("masses", "kg", "masses of the rods")
                 .positive()
                 .count(2, 2)
                 .required()
                 .starts_with({1.0, 0.2}),
             number_list("lengths", "m", "lengths of the rods")
                 .positive()
                 .count(2, 2)
                 .required()
                 .starts_with({6.0, 4.0}),
             number("offset", "m", "second pivot relative to the first, along x")
                 .required()
                 .starts_with(-2.0),
             number_list("angles", "degrees", "angles at the start")
                 .count(2, 2)
                 .required()
                 .starts_with({15.0, -90.0}),
             number_list("rates", "rad/s", "angular velocities at the start")
                 .count(2, 2)
                 .defaults_to({0.0, 0.0}),
             number("gravity", "m/s^2", "acceleration of free fall")
                 .not_negative()
                 .defaults_to(9.81)}},
           contact_table(all_laws("hertz-damper")),
           {"run",
            "How time advances.",
            {text("method",
                  "event-driven and passive: steps of the motion's own size; piecewise: impacts "
                  "take no time and have the law's restitution; the others: fixed steps of 1/rate")
                 .one_of({"event-driven", "passive", "piecewise", "rk4", "heun-textbook",
                          "verlet-textbook", "trapezoid", "moreau-jean", "paoli-schatzman"})
                 .defaults_to("event-driven"),
             number("rate", "Hz", "steps per second of the methods with fixed steps")
                 .within(1, 1e9)
                 .defaults_to(1e5),
             number("duration", "s", "duration of the run").positive().required().starts_with(8.0),
             number("tolerance", "", "relative tolerance of one step")
                 .within(1e-13, 1e-3)
                 .defaults_to(1e-12)
                 .starts_with(1e-10),
             text("surface", "what the surface does after a release with compression left")
                 .one_of({"recovers", "keeps-indentation"})
                 .defaults_to("recovers")}},
           {"output",
            "What is written.",
            {number("interval", "s", "time between recorded rows")
                 .positive()
                 .defaults_to(1e-3)
                 .starts_with(1e-3)}}},
      .refusal = pendulum_refusal,
      .check = check_pendulums,
      .advise = advise_pendulums,
      .run = run_pendulums,
      .reference_method = "event-driven",
      .main_signal = "angle_1"};
}

}  // namespace carom
