#include "modal_method.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace carom {
namespace {

bool has_compliant_contact(const Scenario& scenario) {
  const std::string method = scenario.has("run.method")
                                 ? scenario.text("run.method")
                                 : (scenario.text("contact.law") == "newton" ? "moreau-jean" : "");
  return method != "moreau-jean";
}

}  // namespace

Table modal_contact_table() {
  return {"contact",
          "What happens where body and obstacle touch.",
          {text("law", "newton: impacts without duration; the others: a compliant force")
               .one_of({"newton", "power-law", "hunt-crossley"})
               .defaults_to("newton")
               .starts_with("newton"),
           number("restitution", "", "of newton: speed after an impact / speed before it")
               .within(0, 1)
               .defaults_to(0.0)
               .starts_with(0.0),
           number("stiffness", "N/m^n", "k of a compliant law").positive(),
           number("exponent", "", "n of a compliant law").at_least(1).defaults_to(1.5),
           number("mu", "s/m", "damping of hunt-crossley").not_negative().defaults_to(0.0)}};
}

Table modal_run_table() {
  return {
      "run",
      "How time advances.",
      {text("method",
            "moreau-jean for newton; for a compliant law discrete-gradient (the default) "
            "or quadratised")
           .one_of({"moreau-jean", "discrete-gradient", "quadratised"}),
       number("rate", "Hz", "steps per second").positive().defaults_to(1e6).starts_with(200000.0),
       number("duration", "s", "simulated time").positive().required().starts_with(1.0),
       text("engine",
            "fast: macro-steps, gate and leaps; plain: every mode in every step; both give "
            "the same motion")
           .one_of({"fast", "plain"})
           .defaults_to("fast"),
       text("step",
            "how an impulse enters the modes: scaled, as the authors' program does, or as "
            "printed in issanchou2018")
           .one_of({"scaled", "printed"})
           .defaults_to("scaled"),
       text("activation",
            "when a contact counts as closed: extrapolated by half a step, or printed: "
            "gap <= 0")
           .one_of({"extrapolated", "printed"})
           .defaults_to("extrapolated"),
       text("start",
            "published: the first velocity is a backward difference, half a step late; exact: "
            "released at t = 0")
           .one_of({"published", "exact"})
           .defaults_to("published")}};
}

Table modal_output_table(Field points) {
  return {
      "output",
      "What is written.",
      {std::move(points),
       truth("contacts", "displacement at each obstacle as contact_1, ..., and impulses.csv")
           .defaults_to(false),
       whole_number("every", "steps per recorded row").at_least(1).defaults_to(1).starts_with(4)}};
}

Table modal_sound_table() {
  return sound_table(
      {whole_number("point", "which output point is heard").at_least(1).defaults_to(1),
       text("quantity", "of that point: a pickup hears the velocity")
           .one_of({"displacement", "velocity"})
           .defaults_to("displacement")});
}

std::vector<Field> with_felt(std::vector<Field> hammer) {
  hammer.push_back(number("stiffness", "N/m^n",
                          "k of its felt; without it the hammer obeys [contact] like all points")
                       .positive());
  hammer.push_back(number("exponent", "", "n of its felt").at_least(1).defaults_to(2.5));
  hammer.push_back(number("mu", "s/m", "damping of its felt").not_negative().defaults_to(0.0));
  return hammer;
}

void read_felt(const Scenario& scenario, ModalProblem& problem) {
  if (!scenario.has("hammer.stiffness")) return;
  problem.laws.assign(problem.heights.size(), problem.law);
  problem.laws.back() = HuntCrossley{.stiffness = scenario.number("hammer.stiffness"),
                                     .exponent = scenario.number("hammer.exponent"),
                                     .mu = scenario.number("hammer.mu")};
}

void read_modal_method(const Scenario& scenario, ModalProblem& problem) {
  if (has_compliant_contact(scenario)) {
    problem.law = HuntCrossley{.stiffness = scenario.number("contact.stiffness"),
                               .exponent = scenario.number("contact.exponent"),
                               .mu = scenario.text("contact.law") == "hunt-crossley"
                                         ? scenario.number("contact.mu")
                                         : 0.0};
    if (scenario.has("run.method") && scenario.text("run.method") == "quadratised") {
      problem.compliant = CompliantScheme::quadratised;
    }
  } else {
    problem.law = NewtonRestitution{.restitution = scenario.number("contact.restitution")};
  }
  problem.rate = scenario.number("run.rate");
  if (scenario.text("run.step") == "printed") problem.scaling = ImpulseScaling::printed;
  if (scenario.text("run.activation") == "printed") problem.activation = Activation::printed;
  if (scenario.text("run.start") == "exact") problem.first_step = ModalStart::exact;
}

std::string modal_reference(const Scenario& scenario) {
  return scenario.text("contact.law") == "newton" ? "moreau-jean" : "discrete-gradient";
}

void check_modal_method(const Scenario& scenario, std::size_t points, Problems& problems) {
  if (has_compliant_contact(scenario) && !scenario.has("contact.stiffness")) {
    problems.add("contact.law", "contact.stiffness is missing: a compliant law needs it");
  }
  if (scenario.number("run.duration") * scenario.number("run.rate") < 1) {
    problems.add("run.duration",
                 fmt::format("run.duration = {}: must be at least one step, 1/run.rate",
                             scenario.number("run.duration")));
  }
  if (scenario.has("sound")) {
    const auto point = static_cast<std::size_t>(scenario.whole_number("sound.point"));
    if (point > points) {
      problems.add("sound.point",
                   fmt::format("sound.point = {}: there are {} output points", point, points));
    }
  }
}

std::vector<Advice> advise_modal(const Scenario& scenario, const ModalProblem& problem) {
  std::vector<Advice> advice;
  const auto& modes = problem.body.modes;
  const auto above = std::count_if(modes.begin(), modes.end(), [&](const Mode& mode) {
    return mode.frequency > problem.rate / 2;
  });
  advice.push_back(
      {.verdict = above == 0 ? Advice::Verdict::good : Advice::Verdict::note,
       .topic = "modes above half the rate",
       .message = above == 0 ? "every mode is below half the rate"
                             : fmt::format("{} of {} modes are above half the rate: propagated "
                                           "exactly, heard as aliases",
                                           above, modes.size()),
       .value = static_cast<double>(above),
       .name = "modes_above_half_rate"});
  double lowest = std::numeric_limits<double>::infinity();
  for (const Mode& mode : modes) {
    if (mode.frequency > 0) lowest = std::min(lowest, mode.frequency);
  }
  const double steps = problem.rate / lowest;
  // Nonsmooth impacts converge with the first power of the step: 1 MHz on a 100 Hz string, 10^4
  // steps a period, is good to about 2 % over 10 ms (errata, issanchou2018 item 7).
  const bool resolved = steps >= 1000 || problem.heights.empty();
  advice.push_back({.verdict = resolved ? Advice::Verdict::good : Advice::Verdict::note,
                    .topic = "steps in the longest period",
                    .message = fmt::format("{:.0f} steps in a period of the lowest mode", steps),
                    .proposal = resolved ? "" : fmt::format("--set run.rate={:.0f}", 2000 * lowest),
                    .value = steps,
                    .name = "steps_per_period"});
  if (has_compliant_contact(scenario) && !problem.heights.empty()) {
    // A point of the body that moves as a free mass of one step's admittance on the contact spring.
    const double gap = 1e-6;
    const auto& law = std::get<HuntCrossley>(std::get<AnyLaw>(problem.law));
    const double slope = law.exponent * law.stiffness * std::pow(gap, law.exponent - 1);
    const double compliance = contact_compliance(problem)(0, 0) / problem.rate;
    const double stiff = slope * compliance;
    advice.push_back(
        {.verdict = stiff < 4 ? Advice::Verdict::good : Advice::Verdict::note,
         .topic = "contact stiffness in a step",
         .message =
             fmt::format("at 1 um compression a step changes the force by {:.2g} of itself", stiff),
         .proposal = stiff < 4 ? "" : "a higher run.rate, a softer contact or law = \"newton\"",
         .value = stiff,
         .name = "stiffness_per_step"});
  }
  const std::size_t hammers = scenario.has("hammer") ? 1 : 0;
  advice.push_back(
      problem.heights.size() <= hammers
          ? predictability(false,
                           "no obstacles: what comes out varies smoothly with "
                           "what goes in")
          : predictability(true,
                           "each contact decides where the next one falls: in time single "
                           "impacts depend on the last digits of the input and on the rate, so "
                           "trust spectra, energies and the first contacts"));
  return advice;
}

}  // namespace carom
