#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/systems/pair.hpp>

#include "kinds.hpp"
#include "wall_advice.hpp"
#include "wall_kind.hpp"

namespace carom {
namespace {

Pair pair_of(const Scenario& scenario) {
  const std::vector<double> masses = scenario.numbers("pair.masses");
  const std::vector<double> velocities = scenario.numbers("pair.velocities");
  return {masses[0], masses[1], velocities[0], velocities[1], scenario.number("pair.gap")};
}

/// Hertz contact from radii and elastic constants; none when the stiffness is given.
std::optional<PowerLaw> hertz_of(const Scenario& scenario) {
  if (!scenario.has("pair.radii")) return {};
  const std::vector<double> radii = scenario.numbers("pair.radii"),
                            young = scenario.numbers("pair.young"),
                            poisson = scenario.numbers("pair.poisson");
  const double flat = std::numeric_limits<double>::infinity();
  return hertz_spheres(radii[0], radii.size() > 1 ? radii[1] : flat, {young[0], poisson[0]},
                       {young.back(), poisson.back()});
}

WallSettings pair_settings(const Scenario& scenario) {
  const Pair pair = pair_of(scenario);
  return {
      .law = contact_law(scenario, pair.effective_mass(), pair.closing_speed(), hertz_of(scenario)),
      .method = method_of(scenario),
      .mass = pair.effective_mass(),
      .rate = scenario.number("run.rate"),
      .position = -pair.gap,
      .velocity = pair.closing_speed(),
      .events = events_of(scenario),
      .correct = correct_of(scenario)};
}

/// Either contact.stiffness, or pair.radii with pair.young.
void check_stiffness(const Scenario& scenario, Problems& problems) {
  const bool hertz = scenario.has("pair.radii");
  const std::string& law = scenario.text("contact.law");
  if (!hertz) {
    for (const char* key : {"pair.young", "pair.poisson"}) {
      if (scenario.given(key)) {
        problems.add(key, fmt::format("{} has no meaning without pair.radii: together they give "
                                      "the stiffness of Hertz contact",
                                      key));
      }
    }
    if (law_info(law).find("stiffness") != nullptr && !scenario.has("contact.stiffness") &&
        !scenario.has("contact.radii")) {
      problems.add("contact.law",
                   fmt::format("law '{}' needs contact.stiffness, or pair.radii and pair.young, or "
                               "contact.radii and contact.materials to compute it by Hertz",
                               law));
    }
    return;
  }
  if (scenario.has("contact.radii")) {
    problems.add("pair.radii", "pair.radii and contact.radii are both given; give one");
  }
  if (scenario.has("contact.stiffness")) {
    problems.add("contact.stiffness",
                 "contact.stiffness and pair.radii are both given; give one: radii and elastic "
                 "constants determine the stiffness");
  }
  if (!scenario.has("pair.young")) {
    problems.add("pair.radii", "pair.radii needs pair.young: the stiffness follows from both");
  }
  const FieldInfo* exponent = law_info(law).find("exponent");
  const bool settable = exponent != nullptr && exponent->type == FieldType::number;
  if (!settable ||
      (scenario.given("contact.exponent") && scenario.number("contact.exponent") != 1.5)) {
    problems.add(settable ? "contact.exponent" : "contact.law",
                 "pair.radii means Hertz contact, whose exponent is 1.5; give contact.stiffness "
                 "for another");
  }
}

void check_pair(const Scenario& scenario, Problems& problems) {
  check_contact(scenario, problems, StiffnessFrom::elsewhere);
  check_stiffness(scenario, problems);
  if (!problems.all().empty()) return;
  problems.attempt("pair.radii", [&] { static_cast<void>(hertz_of(scenario)); });
  problems.attempt("pair.velocities", [&] { validate(pair_of(scenario)); });
  if (problems.all().empty()) check_wall_method(pair_settings(scenario), problems);
}

FirstImpact first_pair(const Scenario& scenario) {
  const WallSettings settings = pair_settings(scenario);
  return {settings.law, {settings.mass, settings.velocity, settings.force_in_contact}};
}

std::vector<Advice> advise_pair(const Scenario& scenario) {
  return one_impact_advice(pair_settings(scenario));
}

/// To the first touch, through the contact and a little beyond.
double watched_time(const Pair& pair, const Impact& exact, double rate) {
  return pair.gap / pair.closing_speed() + 1.5 * exact.contact_time + 20 / rate;
}

double shortest_pair(const Scenario& scenario) {
  const WallSettings settings = pair_settings(scenario);
  return watched_time(pair_of(scenario),
                      exact_impact(settings.law, {settings.mass, settings.velocity}),
                      settings.rate);
}

/// The relative motion is that of the effective mass on a wall; the common centre moves uniformly.
RunOutcome run_pair(const Scenario& scenario, RunContext& context) {
  const Pair pair = pair_of(scenario);
  const WallSettings settings = pair_settings(scenario);
  const Collision collision{settings.mass, settings.velocity};
  const Impact exact = exact_impact(settings.law, collision);
  const double until = scenario.has("run.duration") ? scenario.number("run.duration")
                                                    : watched_time(pair, exact, settings.rate);
  const double total = pair.mass_a + pair.mass_b, centre = pair.centre_velocity();
  const double share_a = pair.mass_b / total, share_b = pair.mass_a / total;
  const double drift = 0.5 * total * centre * centre;  // kinetic energy of the common motion
  context.signals({{"position_a", "m", "surface of the first body"},
                   {"position_b", "m", "surface of the second body"},
                   {"velocity_a", "m/s", "velocity of the first body"},
                   {"velocity_b", "m/s", "velocity of the second body"},
                   {"force", "N", "force of the contact"},
                   {"compression", "m", "compression of the contact"}});
  const WatchedContact watched = watch_contact(
      settings, scenario.whole_number("output.every"), until, context,
      [&](const WallSample& now) {
        const double middle = centre * now.time - pair.gap * share_b;
        context.record(now.time, {middle + share_a * now.position, middle - share_b * now.position,
                                  centre + share_a * now.velocity, centre - share_b * now.velocity,
                                  now.force, std::max(0.0, now.position)});
        context.energy({now.time, now.kinetic + drift, now.elastic, now.dissipated, 0});
      },
      [](const WallSample& now) { return now.force; },
      [&](const WallSample& now, const auto&) { return now.time >= until; });
  if (!watched.whole) return {};

  RunOutcome outcome = watched.outcome();
  outcome.energy.initial += drift;
  outcome.energy.final += drift;
  const double last = watched.now.velocity;
  const double after_a = centre + share_a * last, after_b = centre - share_b * last;
  Json& results = outcome.results;
  outcome.law = law_json(settings.law);
  results["method"] = settings.method;
  results["velocities"] = {after_a, after_b};
  if (const auto* law = std::get_if<AnyLaw>(&settings.law)) {
    const FieldValues fields = values_of(*law);
    if (const auto k = fields.find("stiffness"); k != fields.end()) {
      results["stiffness"] = std::get<double>(k->second);
    }
  }
  results["momentum_error"] = std::abs((pair.mass_a * after_a + pair.mass_b * after_b) /
                                           (total * std::max(std::abs(centre), 1e-300)) -
                                       1);
  results["exact"] = exact_json(exact);
  results["exact"]["velocities"] = {centre - share_a * exact.rebound_speed,
                                    centre + share_b * exact.rebound_speed};
  results["impacts"] = Json::array();
  for (const auto& each : watched.ended) results["impacts"].push_back(impact_json(each));
  if (!watched.ended.empty()) {
    const ImpactRecord& hit = watched.ended.front();
    results["rebound_speed_percent"] = 100 * (hit.speed_out / exact.rebound_speed - 1);
    outcome.key_numbers = {
        {"first body", after_a, "m/s", "after the impact"},
        {"second body", after_b, "m/s", "after the impact"},
        {"restitution", hit.restitution(), "", fmt::format("exact: {:.6g}", exact.restitution)},
        {"contact time", hit.contact_time, "s", ""},
        {"peak force", hit.max_force, "N", ""}};
  } else {
    outcome.warnings.push_back("the run ended before the contact did");
  }
  if (context.pictures()) {
    outcome.pictures = contact_pictures(settings.law, collision, watched.trace);
  }
  return outcome;
}

}  // namespace

Kind pair_kind() {
  return {
      .name = "pair",
      .summary = "Two free bodies that meet on a line.",
      .description =
          "The first body runs into the second. Their relative motion is that of the "
          "effective mass m1 m2/(m1 + m2) against a wall, so every method and law of "
          "`impact` applies; the centre of mass keeps its velocity. The sound is the contact "
          "force.\n\n"
          "The stiffness is given as `contact.stiffness`, or follows from radii of curvature and "
          "materials (`contact.radii`, `contact.materials`) or elastic constants (`pair.radii`, "
          "`pair.young`) by Hertz: k = (4/3) E* sqrt(R*) with 1/R* = 1/R1 + 1/R2, "
          "1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2 and the exponent 1.5; x is the approach of the "
          "two centres. Sphere on sphere: `radii = [0.0286, 0.0286]`; sphere on a plane: "
          "`radii = [0.0286]`; a sphere in a hollow: `radii = [0.0286, -0.05]`.",
      .tables = {{"pair",
                  "The two bodies; the first is behind the second.",
                  {number_list("masses", "kg", "masses of the two bodies")
                       .positive()
                       .count(2, 2)
                       .required()
                       .starts_with({0.17, 0.17}),
                   number_list("velocities", "m/s",
                               "velocities along the line; the first body is the faster one")
                       .count(2, 2)
                       .required()
                       .starts_with({2.0, 0.0}),
                   number("gap", "m", "gap between the surfaces at the start")
                       .not_negative()
                       .defaults_to(0.0),
                   number_list("radii", "m",
                               "radii of curvature where the bodies touch, instead of "
                               "contact.stiffness; one value: the second body is flat; negative: "
                               "a hollow that the other rests in")
                       .count(1, 2),
                   number_list("young", "Pa",
                               "Young's moduli of the bodies, with radii; one value holds for both")
                       .positive()
                       .count(1, 2),
                   number_list("poisson", "",
                               "Poisson's ratios of the bodies; one value holds for both")
                       .within(-1, 0.5)
                       .count(1, 2)
                       .defaults_to({0.3})}},
                 contact_table(all_laws("hunt-crossley")),
                 contact_run_table(),
                 samples_output_table(),
                 contact_sound_table()},
      .refusal = wall_refusal,
      .check = check_pair,
      .shortest_run = shortest_pair,
      .first_impact = first_pair,
      .advise = advise_pair,
      .run = run_pair,
      .reference_method = "exact",
      .main_signal = "force"};
}

}  // namespace carom
