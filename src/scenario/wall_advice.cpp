#include "wall_advice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/core/interrupt.hpp>
#include <carom/steppers/march.hpp>

namespace carom {
namespace {

constexpr double longest_trial = 2e5;  ///< samples of one trial impact
constexpr double promised_error = 1e-3;

/// Where in a sample the first contact of the scenario begins, 0..1.
double onset_phase(const WallSettings& s) {
  const double samples = std::max(0.0, -s.position) / s.velocity * s.rate;
  return samples - std::floor(samples);
}

class Trials {
 public:
  explicit Trials(const WallSettings& settings)
      : trial_(settings),
        force_in_flight_(settings.force_in_flight),
        exact_(exact_impact(settings.law,
                            {settings.mass, settings.velocity, settings.force_in_contact})) {}

  bool releases() const { return exact_.releases; }
  double samples() const { return exact_.contact_time * trial_.rate; }

  double error(double phase) {
    trial_.position = -phase * trial_.velocity / trial_.rate;
    // On the way to the contact it would change the speed of the impact.
    trial_.force_in_flight = phase == 0 ? force_in_flight_ : 0;
    const auto simulation = make_wall_simulation(trial_);
    const double longest = (4 * samples() + 256) / trial_.rate;  // then it never ends
    double out = std::numeric_limits<double>::quiet_NaN();
    march(*simulation, longest, [&](const WallSimulation& now) {
      answer_interrupt();
      if (now.finished().empty()) return true;
      out = now.finished().front().speed_out;
      return false;
    });
    return out / exact_.rebound_speed - 1;
  }

 private:
  WallSettings trial_;
  double force_in_flight_;
  Impact exact_;
};

/// The first doubling of the rate at which the method's error falls below the bound; 0: none.
double better_rate(WallSettings settings, double bound) {
  for (int doublings = 0; doublings < 14; ++doublings) {
    const ReboundForecast forecast = forecast_rebound(settings, 8);
    if (std::max(std::abs(forecast.here), forecast.typical) < bound) return settings.rate;
    settings.rate *= 2;
  }
  return 0;
}

std::vector<Advice> error_advice(const WallSettings& settings, const std::string& rate_key) {
  using enum Advice::Verdict;
  const ReboundForecast forecast =
      settings.method == "exact" ? ReboundForecast{} : forecast_rebound(settings);
  Advice first{good, "expected error", "", "", forecast.here, "expected_rebound_error"};
  Advice any{note, "error over all phases", "", "", forecast.typical, "typical_rebound_error"};
  // A start that happens to be lucky does not make a setting good.
  const double size = std::max(std::abs(forecast.here), forecast.typical);
  if (std::isnan(forecast.here + forecast.typical)) {
    first.verdict = poor;
    first.message = "by this method some contacts never end at this rate.";
  } else if (size < 1e-9) {
    first.message = fmt::format("of the rebound speed by {}: below 1e-9.", settings.method);
  } else {
    first.verdict = size < promised_error ? good : size < 1e-2 ? note : poor;
    first.message = fmt::format("of the rebound speed of the first impact by {}: {:+.2g} %.",
                                settings.method, 100 * forecast.here);
    any.message = fmt::format(
        "where a contact begins within a sample determines the error: {:.2g} % in the mean (rms), "
        "{:.2g} % at worst.",
        100 * forecast.typical, 100 * forecast.worst);
  }
  if (first.verdict == poor) {
    const double rate = better_rate(settings, promised_error);
    first.proposal = "--set run.method=passive";
    if (rate > 0) first.proposal += fmt::format("  or  --set {}={:.0f}", rate_key, rate);
  }
  if (any.message.empty()) return {first};
  return {first, any};
}

Advice stability_advice(const WallSettings& settings, double max_compression, bool no_limit) {
  using enum Advice::Verdict;
  // The elastic frequency at full compression bounds explicit steps: omega dt < 2.
  const double stiffness = std::visit(
      [&](const auto& law) {
        const double dx = 1e-6 * max_compression;
        return (law.force(max_compression + dx, 0.0, {}).total() -
                law.force(max_compression - dx, 0.0, {}).total()) /
               (2 * dx);
      },
      std::get<AnyLaw>(settings.law));
  const double limit = std::sqrt(stiffness / settings.mass) / 2;
  return {no_limit || settings.rate > limit ? good : poor,
          "stability limit",
          fmt::format("explicit methods need more than {:.4g} Hz at full compression{}", limit,
                      no_limit ? "; this method has no such limit." : "."),
          "",
          limit,
          "stability_limit_rate"};
}

}  // namespace

ReboundForecast forecast_rebound(const WallSettings& settings, int phases) {
  Trials trials(settings);
  constexpr double never = std::numeric_limits<double>::quiet_NaN();
  if (!trials.releases()) return {never, never, never};
  if (trials.samples() > longest_trial) return {};  // beyond what any method here can get wrong
  ReboundForecast forecast{.here = trials.error(onset_phase(settings))};
  double sum = 0;
  for (int i = 0; i < phases; ++i) {
    if (!std::isfinite(forecast.here + sum)) return {never, never, never};
    // Odd fractions: a grid that no run is likely to share.
    const double error = trials.error((i + 0.37) / phases);
    sum += error * error;
    forecast.worst = std::max(forecast.worst, std::abs(error));
  }
  if (!std::isfinite(sum)) return {never, never, never};
  forecast.typical = std::sqrt(sum / phases);
  return forecast;
}

std::vector<Advice> wall_advice(const WallSettings& settings, const std::string& rate_key) {
  using enum Advice::Verdict;
  if (std::holds_alternative<NewtonRestitution>(settings.law)) {
    return {{good, "resolution",
             "Newton's law answers impacts in closed form; the rate only sets how often the motion "
             "is sampled."}};
  }
  const Collision collision{settings.mass, settings.velocity, settings.force_in_contact};
  const Impact exact = exact_impact(settings.law, collision);
  if (!exact.releases) {
    return {{poor, "release", "the external force holds the body down: it never leaves."}};
  }
  std::vector<Advice> advice;
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
  advice.back().message += free_of_steps ? " The step size of this method adapts to the contact."
                           : samples < 4
                               ? " Below four samples the classical methods often gain energy."
                               : "";
  for (Advice& each : error_advice(settings, rate_key)) advice.push_back(std::move(each));
  const bool no_limit =
      free_of_steps || settings.method == "trapezoid" || settings.method == "discrete-gradient";
  advice.push_back(stability_advice(settings, exact.max_compression, no_limit));
  const double mu = std::visit(
      []<class Law>(const Law& law) {
        if constexpr (ProportionalLaw<Law>) return law.proportional_damping();
        return 0.0;
      },
      std::get<AnyLaw>(settings.law));
  if (mu > 0) {
    advice.push_back({note, "bound on the rebound",
                      fmt::format("no impact of this contact leaves faster than 1/mu = {:.4g} m/s "
                                  "(mu v = {:.3g}).",
                                  1 / mu, mu * settings.velocity),
                      "", 1 / mu, "rebound_speed_bound"});
  }
  return advice;
}

std::vector<Advice> one_impact_advice(const WallSettings& settings) {
  std::vector<Advice> advice = wall_advice(settings, "run.rate");
  advice.push_back(predictability(false, "one impact: the result depends smoothly on the input."));
  return advice;
}

}  // namespace carom
