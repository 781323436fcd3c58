#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <carom/scenario/spectrum.hpp>
#include <carom/steppers/roughness.hpp>
#include <carom/steppers/strike.hpp>
#include <carom/systems/modal_body.hpp>

#include "kinds.hpp"
#include "played.hpp"
#include "refusals.hpp"
#include "structure.hpp"
#include "table_file.hpp"
#include "wall_kind.hpp"

namespace carom {
namespace {

constexpr std::size_t max_kept = 1 << 18;  ///< samples from which the spectral peaks are taken

constexpr int max_modes = 100000;

/// Row 0 of the shapes is the hit point, row 1 the heard point.
ModalBody resonator_of(const Scenario& scenario) {
  if (scenario.has("resonator.type")) return read_object(scenario, "resonator");
  if (scenario.has("resonator.file"))
    return modes_of_table(TableFile(scenario, "resonator.file"), max_modes, {1, 2});
  ModalBody body;
  std::vector<double> hit, heard;
  for (const Json& mode : scenario.rows("resonator.modes")) {
    body.modes.push_back({mode["frequency"].get<double>(), mode["damping"].get<double>(),
                          mode["mass"].get<double>()});
    hit.push_back(mode["hit"].get<double>());
    heard.push_back(mode["heard"].get<double>());
  }
  body.shapes.resize(2, static_cast<Eigen::Index>(hit.size()));
  for (std::size_t i = 0; i < hit.size(); ++i) {
    body.shapes(0, static_cast<Eigen::Index>(i)) = hit[i];
    body.shapes(1, static_cast<Eigen::Index>(i)) = heard[i];
  }
  validate(body);
  return body;
}

AnyLaw law_of(const Scenario& scenario) {
  return compliant_law(
      contact_law(scenario, scenario.number("body.mass"), std::abs(scenario.number("body.speed"))));
}

std::string strike_refusal(std::string_view law, std::string_view method) {
  if (law == NewtonRestitution::text.name)
    return "an impulse without duration excites all modes alike, so that what is heard would "
           "depend on how many are listed; the contact time of a compliant law decides";
  if (method == "exact") return "there is no closed form for a body on vibrating modes";
  if (method == "piecewise")
    return "the restitution of a contact depends on how the modes move during it";
  if (method == "discrete-gradient" || method == "quadratised")
    return "one contact is followed in steps of its own length, which passive does; at a fixed "
           "rate a hammer is stepped by the kinds string and body";
  if (method == "symplectic") return std::string(refusals::hamiltonian);
  if (refusals::carries_force(method)) return std::string(refusals::carried_force);
  if (refusals::is_nonsmooth(method)) return std::string(refusals::impacts_only);
  return refusals::is_classical(method) ? std::string(refusals::resolves_modes) : "";
}

std::optional<Roughness> roughness_of(const Scenario& scenario) {
  if (!scenario.has("roughness")) return {};
  return Roughness{.motion = scenario.text("roughness.motion") == "roll" ? RoughMotion::roll
                                                                         : RoughMotion::scrape,
                   .speed = scenario.number("roughness.speed"),
                   .height = scenario.number("roughness.height"),
                   .longest = scenario.number("roughness.longest"),
                   .shortest = scenario.number("roughness.shortest"),
                   .radius = scenario.number("roughness.radius"),
                   .wobble = scenario.number("roughness.wobble"),
                   .seed = static_cast<std::uint64_t>(scenario.whole_number("seed"))};
}

void check_strike(const Scenario& scenario, Problems& problems) {
  check_contact(scenario, problems);
  std::vector<std::string> ways;
  for (const char* way : {"type", "modes", "file"}) {
    if (scenario.has(fmt::format("resonator.{}", way)))
      ways.push_back(fmt::format("resonator.{}", way));
  }
  if (ways.size() != 1) {
    problems.add("resonator",
                 ways.empty()
                     ? "one of resonator.type, resonator.modes, resonator.file is needed"
                     : fmt::format("{} are both given; give one", fmt::join(ways, " and ")));
  }
  if (!scenario.has("resonator.type")) {
    for (const Field& field : object_fields()) {
      if (field.name != "type" && scenario.given("resonator." + field.name)) {
        problems.add("resonator." + field.name,
                     fmt::format("resonator.{} has no meaning without resonator.type", field.name));
      }
    }
  }
  if (!problems.all().empty()) return;
  problems.attempt(ways.front(), [&] { static_cast<void>(resonator_of(scenario)); });
  problems.attempt("contact.law", [&] { validate(law_of(scenario)); });
  if (const auto rough = roughness_of(scenario)) {
    if (!(scenario.number("body.force") > 0))
      problems.add(
          "body.force",
          "body.force must be greater than 0 with [roughness]: it presses the body to the surface");
    problems.attempt("roughness", [&] { validate(*rough, scenario.number("run.rate")); });
  }
}

std::vector<Advice> advise_strike(const Scenario& scenario) {
  using enum Advice::Verdict;
  const double rate = scenario.number("run.rate"), mass = scenario.number("body.mass");
  const Impact wall = exact_impact(contact_law(scenario, mass, scenario.number("body.speed")),
                                   {mass, scenario.number("body.speed")});
  std::vector<Advice> advice;
  advice.push_back(
      {good, "contact time in samples",
       wall.releases
           ? fmt::format("on a rigid wall the contact would last {:.4g} s, {:.3g} samples at {:g} "
                         "Hz. In contact the step size adapts to the contact.",
                         wall.contact_time, wall.contact_time * rate, rate)
           : "on a rigid wall the body would not leave again. In contact the step size adapts to "
             "the contact.",
       "", wall.contact_time * rate, "samples_in_contact"});
  double highest = 0, longest = 0;
  for (const Mode& mode : resonator_of(scenario).modes) {
    highest = std::max(highest, mode.frequency);
    if (mode.damping > 0) longest = std::max(longest, std::log(1000.0) / mode.damping);
  }
  const bool heard = highest < 0.5 * rate;
  advice.push_back({heard ? good : poor, "modes within the band",
                    fmt::format("the highest mode is at {:.5g} Hz, half the rate is {:.5g} Hz.",
                                highest, 0.5 * rate),
                    heard ? "" : fmt::format("--set run.rate={:.0f}", std::ceil(2.5 * highest)),
                    highest, "highest_mode"});
  if (longest > 0) {
    const bool whole = scenario.number("run.duration") >= longest;
    advice.push_back(
        {whole ? good : note, "decay",
         fmt::format("the longest mode falls by 60 dB in {:.3g} s{}", longest,
                     whole ? "." : ", after the end of the run."),
         whole ? "" : fmt::format("--set run.duration={:.1f}", std::ceil(10 * longest) / 10),
         longest, "decay_time"});
  }
  const bool returns = scenario.number("body.force") > 0;
  advice.push_back(
      returns
          ? predictability(
                true,
                "a body that falls back on a vibrating object is a known case of chaos: when it "
                "lands determines how it leaves, so late impacts depend on the last "
                "digits of the input: compare counts and spectra, not single times.")
          : predictability(
                false, "nothing brings the body back: the result depends smoothly on the input."));
  return advice;
}

StrikeSettings strike_settings(const Scenario& scenario) {
  const bool passive = scenario.text("run.method") == Strike::traits.name;
  return {.rate = scenario.number("run.rate"),
          .tolerance = scenario.has("run.tolerance") ? scenario.number("run.tolerance")
                       : passive                     ? 1e-10
                                                     : 1e-12,
          .closes_energy = passive};
}

RunOutcome run_strike(const Scenario& scenario, RunContext& context) {
  const StrikeSettings settings = strike_settings(scenario);
  Strike stepper(law_of(scenario),
                 {.mass = scenario.number("body.mass"),
                  .speed = scenario.number("body.speed"),
                  .gap = scenario.number("body.gap"),
                  .force = scenario.number("body.force")},
                 resonator_of(scenario), settings);
  const double rate = settings.rate;
  const double mass = scenario.number("body.mass"), pressed = scenario.number("body.force");
  std::optional<RoughSurface> surface;
  if (const auto rough = roughness_of(scenario)) surface.emplace(*rough, rate);
  // In the frame that follows the profile the body feels m h'' (roughness.hpp).
  const auto push = [&] {
    if (!surface) return;
    surface->step();
    stepper.push(pressed * surface->weight() + mass * surface->acceleration());
  };
  const double duration = scenario.number("run.duration");
  const auto every = scenario.whole_number("output.every");
  const std::string source = scenario.has("sound") ? scenario.text("sound.source") : "";
  context.signals({{"heard", "m", "displacement of the heard point"},
                   {"force", "N", "force of the contact, mean over the sample"},
                   {"hit", "m", "displacement of the hit point"},
                   {"body_position", "m", "position of the striking body"},
                   {"body_velocity", "m/s", "velocity of the striking body"}});
  context.sound_rate(rate);
  RunOutcome outcome;
  std::vector<ImpactRecord> impacts;
  std::vector<double> kept;
  double strongest = 0;
  long long step = 0;
  const auto take = [&] {
    if (step++ % every == 0) {
      context.record(stepper.time(), {stepper.heard(), stepper.mean_force(), stepper.hit(),
                                      stepper.position(), stepper.velocity()});
      const double kinetic = stepper.kinetic_energy();
      context.energy({stepper.time(), kinetic, stepper.stored() - kinetic, stepper.dissipated(),
                      stepper.injected()});
    }
    context.hear(source == "velocity" ? stepper.heard_velocity()
                 : source == "force"  ? stepper.mean_force()
                                      : stepper.heard());
    if (kept.size() < max_kept) kept.push_back(stepper.heard_velocity());
  };
  const bool resumed = context.resume([&](Archive& state) {
    state(stepper, impacts, kept, strongest, step);
    if (surface) state(*surface);
    state.require(step >= 0 && kept.size() <= max_kept);
  });
  context.begin_loop();
  if (!resumed) take();
  push();
  bool stopped = false;
  while (stepper.time() < duration && !stopped) {
    const bool done = stepper.step_partly();
    if (done) {
      for (const FinishedImpact& finished : stepper.finished()) {
        impacts.push_back(finished.impact);
        strongest = std::max(strongest, finished.impact.max_force);
      }
      if (!stepper.converged()) break;
      take();
    } else if (surface) {
      continue;  // a checkpoint is taken between two pushes
    }
    stopped = !context.keep_going(stepper.time() / duration, stepper.time());
    if (done && !stopped) push();
  }
  context.end_loop();
  if (stopped) return outcome;

  stepper.finish();
  outcome.law = law_json(law_of(scenario));
  outcome.energy = audit(stepper.ledger());
  outcome.passive = settings.closes_energy;
  outcome.simulated_time = stepper.time();
  outcome.converged = stepper.converged();
  if (!outcome.converged) outcome.status = "not converged: a contact step reached its bound";
  Json peaks = Json::array();
  for (const SpectralPeak& peak : spectral_peaks(kept, rate, 24)) {
    peaks.push_back({{"frequency", peak.frequency}, {"level_db", peak.level_db}});
  }
  outcome.key_numbers = {{"contacts", static_cast<double>(impacts.size()), "", ""}};
  if (!impacts.empty()) {
    const ImpactRecord& first = impacts.front();
    outcome.key_numbers.push_back(
        {"contact time", first.contact_time, "s", "of the first contact"});
    outcome.key_numbers.push_back({"peak force", strongest, "N", ""});
    outcome.key_numbers.push_back({"restitution", first.restitution(), "", "of the first contact"});
  }
  if (!peaks.empty()) {
    outcome.key_numbers.push_back({"strongest partial", peaks.front()["frequency"].get<double>(),
                                   "Hz", "of the velocity that is heard"});
  }
  Json& list = outcome.results["impacts"] = Json::array();
  for (const ImpactRecord& impact : impacts) list.push_back(impact_json(impact));
  outcome.results["spectral_peaks"] = std::move(peaks);
  return outcome;
}

InstrumentTables play_strike(const Scenario& scenario, double rate) {
  const ModalBody resonator = resonator_of(scenario);
  const Eigen::Index modes = resonator.mode_count();
  PlayedBody body;
  body.problem.body.modes = resonator.modes;
  body.problem.body.shapes.resize(0, modes);
  add_rigid_body(body.problem.body, scenario.number("body.mass"));
  ShapeMatrix row(1, modes + 1);
  row << resonator.shapes.row(0), -1.0;
  add_contact(body, row, 0.0, Side::below, law_of(scenario));
  body.hammer = 0;
  body.ears = ShapeMatrix::Zero(1, modes + 1);
  body.ears.leftCols(modes) = resonator.shapes.row(1);
  InstrumentTables tables = played(std::move(body), rate, [&](double ratio) {
    // The same object on another scale, of the same losses in each period.
    std::vector<Mode> scaled = resonator.modes;
    for (Mode& mode : scaled) {
      mode.frequency *= ratio;
      mode.damping *= ratio;
    }
    return scaled;
  });
  tables.strike_speed = scenario.number("body.speed");
  return tables;
}

std::vector<Field> resonator_fields(const Json& example) {
  std::vector<Field> fields{
      table_list("modes", "the modes of the object",
                 {number("frequency", "Hz", "undamped frequency").not_negative().required(),
                  number("damping", "1/s", "sigma: the amplitude decays as exp(-sigma t)")
                      .not_negative()
                      .required(),
                  number("mass", "kg", "modal mass").positive().defaults_to(1.0),
                  number("hit", "", "shape where it is hit").required(),
                  number("heard", "", "shape where it is heard").required()})
          .count(1, max_modes)
          .starts_with(example),
      file("file",
           "table of modes, as carom modes writes it: CSV with frequency, damping or t60, "
           "mass, hit and "
           "heard, or gain")};
  for (Field& field : object_fields()) fields.push_back(std::move(field));
  return fields;
}

}  // namespace

Kind strike_kind() {
  const Json plate = Json::array(
      {{{"frequency", 523.0}, {"damping", 2.0}, {"mass", 0.08}, {"hit", 1.0}, {"heard", 0.8}},
       {{"frequency", 1441.0}, {"damping", 4.5}, {"mass", 0.08}, {"hit", 0.7}, {"heard", -0.6}},
       {{"frequency", 2826.0}, {"damping", 9.0}, {"mass", 0.08}, {"hit", -0.5}, {"heard", 0.9}}});
  return {
      .name = "strike",
      .summary = "A body that strikes a resonating object given by its shape or its modes.",
      .description =
          "The object has a shape and a material, and carom finds its modes (`resonator.type`, "
          "[materials](materials.md)); or it is a table of modes, as measurement and finite "
          "elements give it: frequency, "
          "damping, modal mass, and the value of the mode's shape where it is hit and where it is "
          "heard. The contact is compliant; contacts of the rebounding body are followed as long "
          "as "
          "it comes back. The modes move exactly, in contact by collocation to a tolerance; no "
          "step "
          "gains energy, at any stiffness and rate.",
      .tables =
          {{"body",
            "What strikes.",
            {number("mass", "kg", "mass of the body")
                 .positive()
                 .usual(1e-4, 1)
                 .logarithmic()
                 .required()
                 .starts_with(0.02),
             number("speed", "m/s", "speed towards the object")
                 .positive()
                 .usual(0.05, 10)
                 .logarithmic()
                 .required()
                 .starts_with(1.5),
             number("gap", "m", "gap to the object at the start").not_negative().defaults_to(0.0),
             number("force", "N", "constant force towards the object").defaults_to(0.0)}},
           {"resonator",
            "What is struck: a shape of some material, or a list of modes here or in a file.",
            resonator_fields(plate)},
           {.name = "roughness",
            .help =
                "The body is dragged or rolls along a rough surface while `body.force` presses it: "
                "a random excitation of the same contact.",
            .fields = {text("motion", "scrape: a point; roll: a ball that bridges narrow valleys")
                           .one_of({"scrape", "roll"})
                           .defaults_to("scrape"),
                       number("speed", "m/s", "speed along the surface")
                           .positive()
                           .usual(0.01, 2)
                           .logarithmic()
                           .required(),
                       number("height", "m", "standard deviation of the profile")
                           .positive()
                           .usual(1e-7, 1e-4)
                           .logarithmic()
                           .required(),
                       number("longest", "m", "wavelength above which the profile is flat in power")
                           .positive()
                           .defaults_to(0.02),
                       number("shortest", "m", "wavelength below which it is smooth")
                           .positive()
                           .defaults_to(0.002),
                       number("radius", "m", "radius of the ball that rolls")
                           .positive()
                           .defaults_to(0.01),
                       number("wobble", "", "share of the force that varies once a turn")
                           .within(0, 1)
                           .defaults_to(0.0)},
            .optional = true},
           contact_table(compliant_laws("hunt-crossley")),
           {"run",
            "How time advances.",
            {text(
                 "method",
                 "passive balances the energy of every step exactly; event-driven is the reference")
                 .one_of({"passive", "event-driven"})
                 .defaults_to("passive"),
             number("rate", "Hz", "samples per second")
                 .within(1, 1e9)
                 .defaults_to(44100.0)
                 .starts_with(44100.0),
             number("duration", "s", "duration of the run")
                 .positive()
                 .defaults_to(1.0)
                 .starts_with(1.0),
             number("tolerance", "",
                    "relative tolerance of one step in contact; by default 1e-10, for event-driven "
                    "1e-12")
                 .within(1e-14, 1e-3)}},
           samples_output_table(),
           sound_table(
               {text("source", "what is heard: motion of the heard point, or the contact force")
                    .one_of({"velocity", "displacement", "force"})
                    .defaults_to("velocity")})},
      .refusal = strike_refusal,
      .check = check_strike,
      .advise = advise_strike,
      .run = run_strike,
      .played = play_strike,
      .note_key = "resonator.note",
      .reference_method = "event-driven",
      .main_signal = "heard"};
}

}  // namespace carom
