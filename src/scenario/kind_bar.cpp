#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <carom/core/units.hpp>
#include <carom/laws/newton_restitution.hpp>
#include <carom/steppers/bar_drop.hpp>

#include "bar_pictures.hpp"
#include "contact_law.hpp"
#include "kinds.hpp"
#include "refusals.hpp"

namespace carom {
namespace {

constexpr std::pair<std::string_view, BarMethod> bar_methods[] = {
    {"paoli-schatzman", BarMethod::paoli_schatzman},
    {"event-driven", BarMethod::event_driven},
    {"moreau-jean", BarMethod::moreau_jean},
    {"passive", BarMethod::passive},
    {"rk4", BarMethod::rk4},
    {"heun-textbook", BarMethod::heun},
    {"verlet-textbook", BarMethod::verlet},
    {"trapezoid", BarMethod::trapezoid}};

std::vector<std::string> bar_method_names() {
  std::vector<std::string> names;
  for (const auto& [name, method] : bar_methods) names.emplace_back(name);
  return names;
}

/// All but the law.
BarDrop read_drop(const Scenario& s) {
  BarDrop drop;
  drop.model = s.text("bar.model") == "spiral" ? BarModel::spiral : BarModel::pairs;
  drop.bar = {.segments = static_cast<int>(s.whole_number("bar.segments")),
              .length = s.number("bar.length"),
              .radius = s.number("bar.radius"),
              .density = s.number("bar.density"),
              .young = s.number("bar.young"),
              .gravity = s.number("bar.gravity"),
              .inertia = s.text("bar.inertia") == "consistent" ? BarInertia::consistent
                                                               : BarInertia::as_printed,
              .stiffness = s.text("bar.stiffness") == "limit" ? BarStiffness::limit
                                                              : BarStiffness::as_printed};
  drop.start = {.angle = s.number("bar.angle") * degree,
                .height = s.number("bar.height"),
                .speed = s.number("bar.speed")};
  if (s.has("excitation")) {
    drop.excitation = {.fraction = s.number("excitation.fraction"),
                       .phase = s.number("excitation.phase") * degree,
                       .mode = static_cast<int>(s.whole_number("excitation.mode")) - 1};
  }
  for (const auto& [name, method] : bar_methods) {
    if (s.text("run.method") == name) drop.method = method;
  }
  drop.instant = s.text("run.instant") == "interpolated" ? ImpactInstant::interpolated
                                                         : ImpactInstant::resolved;
  drop.flight = s.text("run.flight") == "newmark" ? FlightRule::newmark : FlightRule::midpoint;
  drop.theta = s.number("run.theta");
  drop.step = s.number("run.step");
  drop.duration = s.maybe_number("run.duration");
  drop.longest = s.number("run.longest");
  drop.averaging = s.number("bar.averaging");
  return drop;
}

std::string bar_refusal(std::string_view law, std::string_view method) {
  const bool newton = law == NewtonRestitution::text.name;
  if (method == "event-driven") return {};
  if (refusals::is_nonsmooth(method)) {
    return newton ? std::string() : std::string(refusals::impacts_only);
  }
  if (method == "exact") return "there is no closed form for a chain of segments";
  if (method == "piecewise") return "between impacts the segments vibrate, which is stepped";
  if (method == "symplectic") return std::string(refusals::hamiltonian);
  if (refusals::carries_force(method)) return std::string(refusals::carried_force);
  if (newton) return "it steps a force, and an impact that takes no time has none";
  if (method == "passive" || refusals::is_classical(method)) return {};
  return "its step is linear but for the contact, and the masses of the segments change with "
         "their angles; passive closes the energy of such a motion";
}

/// A restitution that stands for a damping is that of the first impact.
BarDrop read_drop_and_law(const Scenario& scenario) {
  BarDrop drop = read_drop(scenario);
  drop.law = contact_law(scenario, tip_mass(drop), impact_speed(drop));
  return drop;
}

void check_bar(const Scenario& scenario, Problems& problems) {
  check_contact(scenario, problems);
  if (scenario.given("run.until") && scenario.has("run.duration")) {
    problems.add("run.duration", "run.duration: give it or until = \"rebound\", not both");
  }
  const BarDrop drop = read_drop(scenario);
  if (drop.instant == ImpactInstant::interpolated && scenario.given("run.flight") &&
      drop.flight == FlightRule::midpoint) {
    problems.add("run.flight",
                 "run.flight = \"midpoint\": eq. (17), instant = \"interpolated\", belongs to "
                 "\"newmark\"");
  }
  problems.attempt("bar", [&] { validate(drop.bar); });
  if (!(drop.start.height >= drop.bar.radius)) {
    problems.add("bar.height", fmt::format("bar.height = {}: must be at least the radius, {}, or "
                                           "the bar starts in the floor",
                                           drop.start.height, drop.bar.radius));
  }
  if (drop.excitation.mode >= drop.bar.segments - 1) {
    problems.add("excitation.mode",
                 fmt::format("excitation.mode = {}: a bar of {} segments has {} bending modes",
                             drop.excitation.mode + 1, drop.bar.segments, drop.bar.segments - 1));
  }
  if (!problems.all().empty()) return;
  check_method(scenario, bar_refusal, problems);
  problems.attempt("contact.law", [&] { static_cast<void>(read_drop_and_law(scenario)); });
}

std::vector<Advice> advise_bar(const Scenario& scenario) {
  const BarDrop drop = read_drop_and_law(scenario);
  const double limit = stable_step(drop);
  const auto* newton = std::get_if<NewtonRestitution>(&drop.law);
  const std::string& method = scenario.text("run.method");
  const bool own_steps = newton == nullptr && !refusals::is_classical(method);
  // The trapezoidal rule is implicit, but its iteration converges below the same limit only.
  const bool is_explicit =
      drop.method == BarMethod::paoli_schatzman || refusals::is_classical(method);
  std::vector<Advice> all;
  Advice step{.topic = "step against the fastest vibration",
              .message = fmt::format("the step is {:.2g} of the stability limit {:.3g} s of the "
                                     "fastest spring",
                                     drop.step / limit, limit),
              .value = drop.step / limit,
              .name = "step_over_limit"};
  if (drop.step > limit && is_explicit) {
    step.verdict = Advice::Verdict::poor;
    step.message += ": " + method + " will blow up";
    step.proposal = fmt::format("--set run.step={:.2g}", 0.3 * limit);
  } else if (own_steps) {
    step.message += "; the method chooses its own steps, rows are counted by this one";
  } else if (drop.step > 0.5 * limit) {
    step.verdict = Advice::Verdict::note;
    step.message += ": fast vibrations are not resolved";
    step.proposal = fmt::format("--set run.step={:.2g}", 0.3 * limit);
  }
  all.push_back(step);
  // Below the dip the bar comes back to the floor; with lively or stiff tips every impact decides
  // about the next (paoli2007 Sect. 5.4).
  const bool chaotic = newton != nullptr && scenario.number("bar.angle") < 68.5 &&
                       (newton->restitution >= 0.75 || drop.model == BarModel::spiral);
  all.push_back(chaotic
                    ? predictability(
                          true,
                          "at this angle and restitution the motion is chaotic: read the "
                          "apparent restitution as one sample of a band, and sweep bar.height over "
                          "1e-7 m to see it")
                    : predictability(false, "no chaos is known at this angle and restitution"));
  return all;
}

std::string status_text(const StepReport& report) {
  switch (report.status) {
    case StepStatus::ok:
      return "done";
    case StepStatus::not_converged:
      return fmt::format("the step at {:.6g} s did not converge, relative change {:.3g}",
                         report.time, report.residual);
    case StepStatus::contact_not_solved:
      return fmt::format("the contact problem at {:.6g} s was not solved, residual {:.3g}",
                         report.time, report.residual);
    case StepStatus::mass_not_definite:
      return fmt::format("the mass matrix lost its meaning at {:.6g} s", report.time);
    case StepStatus::not_finite:
      return fmt::format("the motion blew up at {:.6g} s: run.step is too long", report.time);
    case StepStatus::energy_gained:
      return fmt::format("impacts of several contacts at once gained energy by {:.6g} s",
                         report.time);
  }
  return "";
}

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

/// `[contact]`: any law, Newton's where none is named.
Table bar_contact_table() {
  Table table = contact_table(all_laws("newton"));
  table.help = "What happens when the tip meets the floor.";
  for (Field& field : table.fields) {
    if (field.name == "law")
      field = text("law", field.help).one_of(all_laws("newton")).defaults_to("newton");
    if (field.name == "restitution") field = Field(field).starts_with(0.5);
  }
  return table;
}

RunOutcome run_bar(const Scenario& scenario, RunContext& context) {
  const BarDrop drop = read_drop_and_law(scenario);
  const int n = drop.bar.segments;
  context.signals({{"height", "m", "height of the centre of the hemisphere"},
                   {"gap", "m", "between tip and floor"},
                   {"velocity", "m/s", "velocity of the tip, upward"},
                   {"angle", "rad", "angle of the first segment from the horizontal"},
                   {"bend", "rad", "bend of the last segment against the first"},
                   {"impulse", "N s", "impulse of the floor since the last row"}});
  BarFilm film(drop);
  const double fall = drop.start.height - drop.bar.radius;
  const double landing =
      (std::sqrt(drop.start.speed * drop.start.speed + 2 * drop.bar.gravity * fall) -
       drop.start.speed) /
      drop.bar.gravity;
  const double expected = drop.duration.value_or(landing + 0.5e-3 + drop.averaging);
  const auto record = [&](const BarSample& s) {
    context.record(
        s.time, {s.q[1], s.q[1] - drop.bar.radius, s.v[1], s.q[2], s.q[1 + n] - s.q[2], s.impulse});
    context.energy({s.time, s.kinetic, s.energy - s.kinetic, s.dissipated, 0.0});
    film.add(s);
    return context.keep_going(std::min(0.99, s.time / expected), s.time);
  };
  context.begin_loop();
  const auto resume = [&](const StateOf& run) {
    return context.resume([&film, run](Archive& state) {
      state(film);
      run(state);
    });
  };
  const BarDropResult result =
      drop_bar(drop, {.every = static_cast<int>(scenario.whole_number("output.every")),
                      .sample = record,
                      .resume = resume});
  context.end_loop();

  RunOutcome outcome;
  outcome.simulated_time = result.time;
  outcome.energy = audit(result.ledger);
  outcome.converged = result.report.status == StepStatus::ok;
  outcome.status = status_text(result.report);
  Json intervals = Json::array();
  auto contacts = context.table("contacts.csv", {{"begin", "s", "first push of the floor"},
                                                 {"end", "s", "last push"},
                                                 {"impulse", "N s", "impulse of the floor"},
                                                 {"impacts", "", "micro-impacts"}});
  for (const BarContactInterval& interval : result.intervals) {
    intervals.push_back({{"begin", interval.begin},
                         {"end", interval.end},
                         {"impulse", interval.impulse},
                         {"impacts", interval.impacts}});
    contacts->row(
        {interval.begin, interval.end, interval.impulse, static_cast<double>(interval.impacts)});
  }
  const BarEnergy& energy = result.energy;
  outcome.results = {{"apparent_restitution", or_null(result.apparent_restitution)},
                     {"first_impact_time", or_null(result.first_impact_time)},
                     {"last_contact_time",
                      result.first_impact_time ? Json(result.last_contact_time) : Json(nullptr)},
                     {"impact_speed", result.impact_speed},
                     {"impacts", result.impacts},
                     {"contact_intervals", result.intervals.size()},
                     {"intervals", intervals},
                     {"energy_after_first_impact",
                      {{"expected", energy.expected},
                       {"highest", energy.highest},
                       {"lowest", energy.lowest},
                       {"mean", energy.mean},
                       {"deviation", energy.deviation}}},
                     {"steps", result.steps},
                     {"most_iterations", result.report.iterations}};
  if (result.apparent_restitution) {
    outcome.key_numbers.push_back(
        {"apparent restitution", *result.apparent_restitution, "",
         fmt::format("rebound averaged over {:.3g} ms", 1e3 * drop.averaging)});
  } else if (outcome.converged && !context.interrupted()) {
    outcome.warnings.emplace_back(
        "the run ended before the bar had been off the floor for bar.averaging: no apparent "
        "restitution");
  }
  outcome.key_numbers.push_back({"micro-impacts", static_cast<double>(result.impacts), "", ""});
  outcome.key_numbers.push_back({"contact intervals", static_cast<double>(result.intervals.size()),
                                 "", "separated by more than 50 µs"});
  outcome.pictures = film.pictures(result);
  return outcome;
}

}  // namespace

Kind bar_kind() {
  return {
      .name = "bar",
      .summary = "A slender flexible bar dropped on a rigid floor (paoli2007).",
      .description =
          "The bar is cut into rigid segments joined by springs; its tip, a hemisphere, obeys "
          "Newton's impact law, or pushes on the floor by any other law. Vibrations make it hit "
          "the "
          "floor many times within a millisecond, "
          "and the apparent restitution depends strongly on the angle. Only the tip can "
          "touch; there is no friction.",
      .tables =
          {{"bar",
            "The bar and how it is dropped.",
            {text("model", "spiral: model 1 (spiral springs); pairs: model 2 (pairs of springs)")
                 .one_of({"spiral", "pairs"})
                 .defaults_to("pairs")
                 .starts_with("pairs"),
             whole_number("segments", "number of rigid segments")
                 .within(2, 1000)
                 .defaults_to(9)
                 .starts_with(9),
             number("length", "m", "length, hemisphere included")
                 .positive()
                 .defaults_to(0.2)
                 .starts_with(0.2),
             number("radius", "m", "radius of the bar and its tip")
                 .positive()
                 .defaults_to(0.00635)
                 .starts_with(0.00635),
             number("density", "kg/m^3", "density of the material").positive().defaults_to(7876.74),
             number("young", "Pa", "Young's modulus").positive().defaults_to(2.1e11),
             number("gravity", "m/s^2", "acceleration of free fall").positive().defaults_to(9.81),
             number("angle", "degrees", "angle between the bar and the floor")
                 .within(-180, 180)
                 .required()
                 .starts_with(80.0),
             number("height", "m", "height of the centre of the hemisphere at the start")
                 .positive()
                 .defaults_to(0.01)
                 .starts_with(0.01),
             number("speed", "m/s", "speed at the start, downward")
                 .not_negative()
                 .defaults_to(1.0)
                 .starts_with(1.0),
             number("averaging", "s", "time over which the rebound speed is averaged")
                 .positive()
                 .defaults_to(2.5e-3),
             text("inertia", "J of the hemisphere: 2/5 mu R^2 as printed, or about its own centre")
                 .one_of({"as-printed", "consistent"})
                 .defaults_to("as-printed"),
             text("stiffness",
                  "stiffness of the joints: with the factors of n as printed, or their limit")
                 .one_of({"as-printed", "limit"})
                 .defaults_to("as-printed")}},
           {.name = "excitation",
            .help = "A vibration of the bar before it lands (Sect. 5.4 of the paper).",
            .fields = {number("fraction", "",
                              "energy of the excitation over the kinetic energy at the start")
                           .within(0, 1)
                           .required()
                           .starts_with(1e-3),
                       number("phase", "degrees",
                              "phase of the excitation; 0: largest displacement at the start")
                           .defaults_to(0.0),
                       whole_number("mode", "number of the bending mode, from 1")
                           .within(1, 999)
                           .defaults_to(1)},
            .optional = true},
           bar_contact_table(),
           {"run",
            "How time advances.",
            {text("method",
                  "event-driven: any law; paoli-schatzman, moreau-jean: newton; all others: "
                  "compliant laws")
                 .one_of(bar_method_names())
                 .defaults_to("paoli-schatzman")
                 .starts_with("paoli-schatzman"),
             number("step", "s",
                    "time step; passive, and event-driven with a compliant law, choose their own "
                    "steps and count rows by this one")
                 .positive()
                 .defaults_to(1e-7)
                 .starts_with(1e-7),
             text("until", "rebound: the bar has been off the floor for the averaging time")
                 .one_of({"rebound"})
                 .defaults_to("rebound")
                 .starts_with("rebound"),
             number("duration", "s", "duration of the run, in place of until").positive(),
             number("longest", "s", "time at which a run that never rebounds ends")
                 .positive()
                 .defaults_to(0.1),
             text("instant", "event-driven: re-solve the instant of impact, or interpolate (17)")
                 .one_of({"resolved", "interpolated"})
                 .defaults_to("resolved"),
             text("flight", "event-driven: rule between impacts; interpolated is always newmark")
                 .one_of({"midpoint", "newmark"})
                 .defaults_to("midpoint"),
             number("theta", "", "theta of moreau-jean").within(0.5, 1).defaults_to(0.5)}},
           {"output",
            "What is written.",
            {whole_number("every", "steps per recorded row")
                 .within(1, 1e9)
                 .defaults_to(100)
                 .starts_with(100)}}},
      .refusal = bar_refusal,
      .check = check_bar,
      .advise = advise_bar,
      .run = run_bar,
      .reference_method = "event-driven",
      .main_signal = "height"};
}

}  // namespace carom
