#include "wall_kind.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/impact/history.hpp>
#include <carom/steppers/catalogue.hpp>

#include "contact_trace.hpp"

namespace carom {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

constexpr std::size_t curve_points = 400;
constexpr double longest_trial = 2e5;  ///< samples of one trial impact

template <class Law>
ContactTrace::Curve exact_curve(const Law& law, const Collision& collision) {
  ContactTrace::Curve curve;
  const ImpactHistory history(law, collision);
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

bool is_compliant(const WallLaw& law) { return !std::holds_alternative<NewtonRestitution>(law); }

std::string percent(double fraction) { return fmt::format("{:.2g} %", 100 * std::abs(fraction)); }

/// The first doubling of the rate at which the method's error falls below the bound; 0: none.
double better_rate(WallSettings settings, double bound) {
  for (int doublings = 0; doublings < 14; ++doublings) {
    if (expected_rebound_error(settings, 8) < bound) return settings.rate;
    settings.rate *= 2;
  }
  return 0;
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
          text("correct", "corrections of papetti2011, and the projection onto the invariant")
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

std::vector<Picture> contact_pictures(const WallLaw& law, const Collision& collision,
                                      const ContactTrace& trace) {
  return std::visit(
      [&](const auto& one) -> std::vector<Picture> {
        if constexpr (std::is_same_v<std::decay_t<decltype(one)>, NewtonRestitution>) {
          return {};
        } else {
          return trace.pictures(exact_curve(one, collision));
        }
      },
      law);
}

double expected_rebound_error(const WallSettings& settings, int phases) {
  const Collision collision{settings.mass, settings.velocity, settings.force_in_contact};
  const Impact exact = exact_impact(settings.law, collision);
  if (!exact.releases) return not_a_number;
  const double samples = exact.contact_time * settings.rate;
  if (samples > longest_trial) return 0;  // far beyond what any method here can get wrong
  double sum = 0;
  for (int i = 0; i < phases; ++i) {
    WallSettings trial = settings;
    trial.force_in_flight = 0;
    // Odd fractions: a grid that no run is likely to share.
    trial.position = -(i + 0.37) / phases * settings.velocity / settings.rate;
    const auto simulation = make_wall_simulation(trial);
    std::vector<WallSample> block(64);
    std::vector<WallSimulation::Ended> ended;
    const auto blocks = static_cast<int>(20 * samples / 64) + 16;
    for (int done = 0; ended.empty() && done < blocks; ++done) simulation->advance(block, ended);
    if (ended.empty()) return not_a_number;
    const double error = ended.front().impact.speed_out / exact.rebound_speed - 1;
    sum += error * error;
  }
  return std::sqrt(sum / phases);
}

std::vector<Advice> wall_advice(const WallSettings& settings, const std::string& rate_key) {
  using enum Advice::Verdict;
  std::vector<Advice> advice;
  if (!is_compliant(settings.law)) {
    advice.push_back({good, "resolution",
                      "Newton's law answers impacts in closed form; the rate only sets how densely "
                      "the motion is read."});
    return advice;
  }
  const Collision collision{settings.mass, settings.velocity, settings.force_in_contact};
  const Impact exact = exact_impact(settings.law, collision);
  if (!exact.releases) {
    advice.push_back({poor, "release", "the outside force holds the body down: it never leaves."});
    return advice;
  }
  const double samples = exact.contact_time * settings.rate;
  const bool free_of_steps = settings.method == "exact" || settings.method == "event-driven" ||
                             settings.method == "passive";
  advice.push_back({samples >= 10 || free_of_steps ? good
                    : samples >= 4                 ? note
                                                   : poor,
                    "contact time in samples",
                    fmt::format("the contact lasts {:.4g} s, {:.3g} samples at {:g} Hz.",
                                exact.contact_time, samples, settings.rate),
                    "", samples, "samples_in_contact"});
  advice.back().message += free_of_steps ? " The method takes steps of the contact's own size."
                           : samples < 4
                               ? " Below four samples the classical methods often gain energy."
                               : "";
  const double error = settings.method == "exact" ? 0.0 : expected_rebound_error(settings);
  Advice expected{good, "expected error", "", "", error, "expected_rebound_error"};
  if (std::isnan(error)) {
    expected.verdict = poor;
    expected.message = "by this method some contacts never end at this rate.";
  } else {
    expected.message = fmt::format("of the rebound speed by {}: {}, over all phases of the grid.",
                                   settings.method, error < 1e-9 ? "below 1e-9" : percent(error));
    expected.verdict = error < 1e-3 ? good : error < 1e-2 ? note : poor;
  }
  if (expected.verdict == poor) {
    const double rate = better_rate(settings, 1e-3);
    expected.proposal = "--set run.method=passive";
    if (rate > 0) expected.proposal += fmt::format("  or  --set {}={:.0f}", rate_key, rate);
  }
  advice.push_back(expected);
  // The elastic frequency at full compression bounds explicit steps: omega dt < 2.
  const double stiffness = std::visit(
      [&](const auto& law) {
        if constexpr (std::is_same_v<std::decay_t<decltype(law)>, NewtonRestitution>) {
          return 0.0;
        } else {
          return law.stiffness * law.exponent * std::pow(exact.max_compression, law.exponent - 1);
        }
      },
      settings.law);
  const double limit = std::sqrt(stiffness / settings.mass) / 2;
  const bool implicit =
      free_of_steps || settings.method == "trapezoid" || settings.method == "discrete-gradient";
  advice.push_back({implicit || settings.rate > limit ? good : poor, "stability limit",
                    fmt::format("explicit methods need more than {:.4g} Hz at full compression{}",
                                limit, implicit ? "; this method has no such limit." : "."),
                    "", limit, "stability_limit_rate"});
  if (const auto* law = std::get_if<HuntCrossley>(&settings.law); law != nullptr && law->mu > 0) {
    advice.push_back({note, "bound on the rebound",
                      fmt::format("no impact of this contact leaves faster than 1/mu = {:.4g} m/s "
                                  "(mu v = {:.3g}).",
                                  1 / law->mu, law->mu * settings.velocity),
                      "", 1 / law->mu, "rebound_speed_bound"});
  }
  return advice;
}

}  // namespace carom
