#include "wall_kind.hpp"

#include <cmath>

#include <carom/impact/any_law.hpp>
#include <carom/steppers/catalogue.hpp>

namespace carom {
namespace {

constexpr std::size_t curve_points = 400;

ContactTrace::Curve exact_curve(const AnyLaw& law, const Collision& collision) {
  ContactTrace::Curve curve;
  const ImpactHistory history = impact_history(law, collision);
  const double duration = history.summary().contact_time;
  if (!std::isfinite(duration)) return curve;
  for (std::size_t i = 0; i <= curve_points; ++i) {
    const ImpactState state = history.at(duration * double(i) / double(curve_points));
    curve.compression.push_back(state.compression);
    curve.rate.push_back(state.rate);
    curve.force.push_back(state.force);
  }
  return curve;
}

}  // namespace

std::vector<Field> method_fields(double rate) {
  return {text("method", "how time advances; without it passive, and exact for law newton")
              .one_of(wall_methods())
              .starts_with("passive"),
          number("rate", "Hz", "samples per second")
              .within(1, 1e12)
              .defaults_to(rate)
              .starts_with(rate),
          text("events", "where contacts begin and end: inside the step, or on samples only")
              .one_of({"subsample", "sample"})
              .defaults_to("subsample"),
          text("correct", "corrections of papetti2011, or projection onto the invariant")
              .one_of({correction_names.begin(), correction_names.end()})
              .defaults_to("none")};
}

std::string method_of(const Scenario& scenario) {
  if (scenario.has("run.method")) return scenario.text("run.method");
  return scenario.text("contact.law") == "newton" ? "exact" : "passive";
}

Events events_of(const Scenario& scenario) {
  return scenario.text("run.events") == "sample" ? Events::sample : Events::subsample;
}

Correct correct_of(const Scenario& scenario) { return correction(scenario.text("run.correct")); }

Json impact_json(const ImpactRecord& impact) {
  return {{"time", impact.time},
          {"speed_in", impact.speed_in},
          {"speed_out", impact.speed_out},
          {"restitution", impact.restitution()},
          {"contact_time", impact.contact_time},
          {"max_compression", impact.max_compression},
          {"max_force", impact.max_force}};
}

std::vector<Picture> contact_pictures(const LawChoice& law, const Collision& collision,
                                      const ContactTrace& trace) {
  const auto* compliant = std::get_if<AnyLaw>(&law);
  return compliant != nullptr ? trace.pictures(exact_curve(*compliant, collision))
                              : std::vector<Picture>{};
}

Json exact_json(const Impact& impact) {
  return {{"rebound_speed", impact.rebound_speed},
          {"restitution", impact.restitution},
          {"max_compression", impact.max_compression},
          {"max_force", impact.max_force},
          {"contact_time", impact.contact_time},
          {"energy_in", impact.energy_in},
          {"energy_lost", impact.energy_lost},
          {"separation_compression", impact.separation_compression},
          {"releases", impact.releases}};
}

Table contact_run_table(std::vector<Field> more) {
  Table table{"run", "How time advances.", method_fields(1e6)};
  table.fields.insert(table.fields.end(), more.begin(), more.end());
  table.fields.push_back(
      number("duration", "s", "duration of the run; without it, a little beyond the contact")
          .positive());
  return table;
}

Table samples_output_table() {
  return {"output",
          "What is written.",
          {whole_number("every", "samples per recorded row").at_least(1).defaults_to(1)}};
}

Table contact_sound_table(std::vector<Field> more) {
  Table table = sound_table(std::move(more));
  for (Field& field : table.fields) field.example = nullptr;
  return table;
}

void check_wall_method(const WallSettings& settings, Problems& problems) {
  problems.attempt("run.method", [&] { static_cast<void>(make_wall_simulation(settings)); });
}

RunOutcome WatchedContact::outcome() const {
  RunOutcome outcome;
  outcome.energy = audit(simulation->ledger());
  outcome.passive = simulation->passive();
  outcome.simulated_time = now.time;
  outcome.converged = simulation->converged();
  if (!outcome.converged) outcome.status = "not converged: an iteration reached its bound";
  return outcome;
}

}  // namespace carom
