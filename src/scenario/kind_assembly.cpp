#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <carom/steppers/march.hpp>

#include "assembly_examples.hpp"
#include "assembly_file.hpp"
#include "assembly_view.hpp"
#include "kinds.hpp"
#include "refusals.hpp"
#include "wall_kind.hpp"

namespace carom {
namespace {

constexpr double max_rows = 1e9;
constexpr std::size_t max_listed = 100000;  ///< impacts of the whole run in summary.json

std::string assembly_refusal(std::string_view law, std::string_view method) {
  if (method == "exact" || method == "piecewise")
    return "there is no closed form for bodies that are linked; event-driven follows them to a "
           "tolerance";
  if (refusals::carries_force(method)) return std::string(refusals::carried_force);
  if (method == "symplectic") return std::string(refusals::hamiltonian);
  if (method == "discrete-gradient" || method == "quadratised")
    return "its step is linear but for the contact, and links, hinges and drives need not be; "
           "passive closes the energy of such a motion";
  if (refusals::is_nonsmooth(method) && law != NewtonRestitution::text.name)
    return std::string(refusals::impacts_only);
  return {};
}

void check_friction(const Scenario& scenario, const AssemblyFile& file, std::size_t contact,
                    Problems& problems) {
  const std::string& method = scenario.text("run.method");
  const std::string at = fmt::format("contact.{}", contact + 1);
  const double friction = file.friction[contact], spring = file.tangential_stiffness[contact];
  const bool newton = scenario.text(at + ".law") == NewtonRestitution::text.name;
  const auto wrong = [&](const char* key, double value, std::string_view reason) {
    problems.add(at + key, fmt::format("{}{} = {:g}: {}", at, key, value, reason));
  };
  if (spring > 0 && newton)
    wrong(".tangential_stiffness", spring, "an impact that takes no time has no spring");
  if (spring > 0 && !(friction > 0))
    wrong(".tangential_stiffness", spring, "a contact without friction has no such spring");
  if (!(friction > 0)) return;
  if (!newton && classical_scheme(method))
    wrong(".friction", friction,
          "friction of a compliant contact is a spring with a motion of its own, which passive and "
          "event-driven follow and a classical step does not");
  if (method == "paoli-schatzman")
    wrong(".friction", friction, "paoli-schatzman has no friction; moreau-jean has");
}

/// On a line the reader of the file sees it; in the plane it takes the outlines.
void check_overlap(const AssemblyFile& file, const AssemblyView& view, Problems& problems) {
  Eigen::VectorXd gaps(view.gaps());
  view.system().gaps(0.0, view.start().q, gaps);
  std::vector<double> deepest(file.parts.contacts.size(), 0.0);
  for (int i = 0; i < view.gaps(); ++i) {
    double& deep = deepest[static_cast<std::size_t>(view.contact_of(i))];
    deep = std::max(deep, -gaps[i]);
  }
  const auto size = [&](int body) {
    if (body < 0) return 0.0;
    const AssemblyBody& part = file.parts.bodies[static_cast<std::size_t>(body)];
    return std::hypot(part.position[0], part.position[1]) + part.radius + part.width + part.height +
           part.length;
  };
  for (std::size_t i = 0; i < deepest.size(); ++i) {
    const AssemblyContact& contact = file.parts.contacts[i];
    if (!(deepest[i] > 1e-12 * (size(contact.first) + size(contact.second)))) continue;
    const std::string key = fmt::format("contact.{}.between", i + 1);
    problems.add(key, fmt::format("{}: the outlines overlap by {:.4g} m at the start; they must be "
                                  "apart or just touch",
                                  key, deepest[i]));
  }
}

void check_assembly(const Scenario& scenario, Problems& problems) {
  const AssemblyFile file = read_assembly(scenario, problems);
  if (!problems.all().empty()) return;
  const std::string& method = scenario.text("run.method");
  for (std::size_t i = 0; i < file.parts.contacts.size(); ++i) {
    const std::string key = fmt::format("contact.{}.law", i + 1);
    const std::string reason = assembly_refusal(scenario.text(key), method);
    if (!reason.empty())
      problems.add(key, fmt::format("{} = \"{}\" does not run by method = \"{}\": {}", key,
                                    scenario.text(key), method, reason));
  }
  for (std::size_t i = 0; i < file.parts.contacts.size(); ++i)
    check_friction(scenario, file, i, problems);
  if (method == "paoli-schatzman" && scenario.text("run.impact_law") != "newton")
    problems.add("run.impact_law",
                 fmt::format("run.impact_law = \"{}\": paoli-schatzman has newton only",
                             scenario.text("run.impact_law")));
  const double rows = scenario.number("run.duration") * scenario.number("run.rate");
  if (!(rows <= max_rows)) {
    problems.add("run.duration",
                 fmt::format("run.duration = {:g}: that is {:.3g} steps at run.rate; at most {:g}",
                             scenario.number("run.duration"), rows, max_rows));
  }
  if (scenario.has("sound")) {
    const std::string& heard = scenario.text("sound.body");
    std::vector<std::string_view> names;
    for (const AssemblyBody& body : file.parts.bodies) names.emplace_back(body.name);
    if (std::find(names.begin(), names.end(), heard) == names.end())
      problems.add("sound.body", unknown_name_message("sound.body", heard, names));
  }
  if (!problems.all().empty()) return;
  problems.attempt("kind", [&] {
    const AssemblyView view(file);
    if (view.plane()) check_overlap(file, view, problems);
  });
}

RunOutcome run_assembly(const Scenario& scenario, RunContext& context) {
  Problems none(scenario);
  const AssemblyFile file = read_assembly(scenario, none);
  const AssemblyView view(file);
  const double duration = scenario.number("run.duration");
  const auto every = scenario.whole_number("output.every");
  const auto simulation = make_assembly_march(scenario, view);
  AssemblyRecorder recorder(view, file, context, duration);
  const int heard = context.heard() ? view.body(scenario.text("sound.body")) : -1;
  const bool hears_velocity = context.heard() && scenario.text("sound.quantity") == "velocity";
  context.sound_rate(scenario.number("run.rate"));

  std::vector<AssemblyImpact> impacts;
  long long count = 0, step = 0;
  double strongest = 0;
  const auto take = [&](const AssemblyMarch& now) {
    if (step % every == 0 || now.time() >= duration) recorder.record(now);
    if (heard >= 0) context.hear(view.heard(heard, hears_velocity, now));
    ++step;
  };
  const bool resumed = context.resume(
      [&](Archive& state) { state(*simulation, recorder, impacts, count, step, strongest); });
  context.begin_loop();
  if (!resumed) take(*simulation);
  RunOutcome outcome;
  march(*simulation, duration, [&](const AssemblyMarch& now) {
    if (now.sampled()) {
      for (const AssemblyImpact& impact : now.finished()) {
        ++count;
        if (std::isfinite(impact.record.max_force))
          strongest = std::max(strongest, impact.record.max_force);
        if (impacts.size() < max_listed) impacts.push_back(impact);
      }
      take(now);
    }
    return now.failure().empty() && context.keep_going(now.time() / duration, now.time());
  });
  if (context.interrupted()) return outcome;
  simulation->finish();
  context.end_loop();

  outcome.energy = audit(simulation->ledger());
  // What falls from rest has none at the start, and gains as much as it loses.
  outcome.energy.scale = std::max(view.energy_scale(*simulation), recorder.most_kinetic_energy());
  outcome.passive = simulation->passive();
  outcome.simulated_time = simulation->time();
  if (const std::string failure = simulation->failure(); !failure.empty()) {
    outcome.converged = false;
    outcome.status = failure;
  }
  if (simulation->at_rest()) outcome.warnings.emplace_back("everything came to rest");
  if (count > static_cast<long long>(impacts.size()))
    outcome.warnings.push_back(
        fmt::format("{} impacts; the first {} are listed", count, impacts.size()));
  outcome.results["method"] = scenario.text("run.method");
  outcome.results["contacts"] = view.contacts_json(scenario, impacts);
  outcome.law = view.laws_json(scenario);
  outcome.key_numbers = {
      {"impacts", static_cast<double>(count), "", fmt::format("in {:.3g} s", simulation->time())}};
  if (strongest > 0)
    outcome.key_numbers.push_back({"strongest contact", strongest, "N", "peak force"});
  if (context.pictures()) {
    outcome.pictures = recorder.pictures();
    outcome.body_films = {recorder.film()};
  }
  return outcome;
}

}  // namespace

Kind assembly_kind() {
  std::vector<Table> tables = assembly_tables();
  tables.push_back(
      {"run",
       "How time advances.",
       {text("method",
             "passive and event-driven: steps of the motion's own size; moreau-jean and "
             "paoli-schatzman: impacts without duration; the others: fixed steps of 1/rate")
            .one_of({"passive", "event-driven", "rk4", "heun-textbook", "verlet-textbook",
                     "trapezoid", "moreau-jean", "paoli-schatzman"})
            .defaults_to("passive"),
        number("rate", "Hz",
               "rows per second, and steps per second of the methods with fixed steps")
            .within(1e-3, 1e9)
            .defaults_to(44100.0),
        number("duration", "s", "duration of the run").positive().required().starts_with(0.1),
        number("tolerance", "", "relative tolerance of one step of passive and event-driven")
            .within(1e-13, 1e-6)
            .defaults_to(1e-12),
        text("impact_law",
             "impact law of contacts that are hit at once: newton, poisson, or sequential (one "
             "after the other)")
            .one_of({"newton", "poisson", "sequential"})
            .defaults_to("newton"),
        text("surface", "what the surface does after a release with compression left")
            .one_of({"recovers", "keeps-indentation"})
            .defaults_to("recovers")}});
  tables.push_back(samples_output_table());
  tables.push_back(sound_table({text("body", "the body that is heard").required(),
                                text("quantity", "what is heard of that body")
                                    .one_of({"velocity", "position"})
                                    .defaults_to("velocity")}));
  return {.name = "assembly",
          .summary = "Your own bodies, links and contacts.",
          .description =
              "Bodies on a line or in the plane, springs and dampers between them, drives, and "
              "contacts each with a law of its own. On a line x points to the right and the first "
              "body of a contact is on the left of the second.",
          .tables = std::move(tables),
          .examples = assembly_examples(),
          .refusal = assembly_refusal,
          .check = check_assembly,
          .advise = advise_assembly,
          .run = run_assembly,
          .reference_method = "event-driven",
          .main_signal = ""};
}

}  // namespace carom
