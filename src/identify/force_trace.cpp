#include <algorithm>
#include <cmath>
#include <string>

#include <carom/core/error.hpp>
#include <carom/identify/force_trace.hpp>
#include <carom/impact/any_law.hpp>

#include "trace_fit.hpp"

namespace carom {
namespace {

using detail::Candidate, detail::Placed, detail::TraceFit;
using Eigen::VectorXd;

/// The shape is fitted in units of the impact: a number in SI units cannot be kept.
void refuse_sizes(const FieldValues& given) {
  for (const LawInfo& law : law_catalogue()) {
    for (const FieldInfo* field : law.fields) {
      if (field->type == FieldType::number && !field->unit.empty() && given.contains(field->name))
        throw InvalidInput(std::string(field->name) + ": the trace gives it, it cannot be chosen");
    }
  }
}

}  // namespace

FittedTrace identify_force_trace(std::span<const double> times, std::span<const double> forces,
                                 const FitSettings& settings) {
  detail::check_settings(settings);
  refuse_sizes(settings.given);
  if (settings.law == "constant-restitution")
    throw InvalidInput("law 'constant-restitution' has no force");
  if (settings.force && !settings.mass) throw InvalidInput("a force during contact needs the mass");
  FittedTrace out{.laws = {},
                  .pulse = find_pulse(times, forces),
                  .onset = 0,
                  .contact_time = 0,
                  .max_force = 0,
                  .impulse = 0,
                  .restitution = 0,
                  .outliers = 0};
  TraceFit trace(out.pulse, settings);
  const std::vector<std::string> laws = detail::candidate_laws(settings);
  std::vector<Candidate> candidates(laws.size());
  settings.each(laws.size(), [&](std::size_t i) {
    candidates[i] = trace.candidate(laws[i]);
    detail::search(candidates[i], trace.starts(laws[i]));
  });
  const auto closest = [&] {
    return std::min_element(candidates.begin(), candidates.end(),
                            [](const Candidate& a, const Candidate& b) {
                              return a.optimum.objective < b.optimum.objective;
                            });
  };
  // The noise is what the closest law leaves of most samples; all are fitted again with it.
  constexpr double finest = 1e-5;
  if (const auto best = closest(); std::isfinite(best->optimum.objective)) {
    VectorXd r(trace.values());
    best->problem.residuals(best->optimum.p, r);
    const double noise = trace.noise() * TraceFit::middling(r);
    trace.set_noise(std::max(noise, finest));
    const detail::Effort effort = noise < finest
                                      ? detail::Effort::full
                                      : detail::Effort::rough;  // nothing else tells them apart
    settings.each(candidates.size(), [&](std::size_t i) {
      Candidate& one = candidates[i];
      if (std::isfinite(one.optimum.objective))
        one.optimum = detail::minimum(one.problem, one.optimum.p, effort);
    });
  }
  const auto best = closest();
  const double correlation = std::isfinite(best->optimum.objective)
                                 ? detail::knowledge(best->problem, best->optimum).correlation
                                 : 1;
  // Noise that neighbours share makes the samples worth fewer; what a wrong law leaves is no noise,
  // however long it stays on one side.
  constexpr double max_shared = 4;
  for (Candidate& one : candidates) {
    one.problem.worth = trace.values() / std::min(correlation, max_shared);
    if (!std::isfinite(one.optimum.objective)) continue;
    one.misfit = trace.robust_rms(one);
  }
  const std::vector<Candidate> kept = candidates;
  const auto why_rejected = [&](const LawFit& fit) -> std::string {
    // Beyond a fortieth of the peak people see the difference; noise may explain it.
    constexpr double tolerated = 0.025;
    const double noise = std::isfinite(out.pulse.noise) ? out.pulse.noise / out.pulse.peak : 0;
    if (!(fit.misfit > std::max(tolerated, 2 * noise))) return "";
    return "it misses the trace by " + number_text(std::round(1e4 * fit.misfit) / 100) +
           " % of its peak, the noise is " + number_text(std::round(1e4 * noise) / 100) + " %";
  };
  FitSettings judged = settings;
  judged.hardly_different = 4;
  out.laws = detail::ranked(std::move(candidates), judged, why_rejected);
  const auto chosen = std::find_if(kept.begin(), kept.end(), [&](const Candidate& one) {
    return one.law == out.laws.law().law;
  });
  const Placed at = trace.placed(*chosen);
  const Impact& hit = at.hit();
  out.onset = at.onset;
  out.contact_time = at.duration;
  out.max_force = at.size;
  out.restitution = hit.restitution;
  out.impulse = at.momentum() * (1 + hit.restitution) + trace.weight(at) * at.duration;
  out.laws.mass_known = settings.mass || settings.speed;
  out.laws.reference = {trace.mass(at), at.momentum() / trace.mass(at), trace.weight(at)};
  const double missed = chosen->optimum.p[trace.baseline()] * out.pulse.peak;
  VectorXd r(trace.values());
  chosen->problem.residuals(chosen->optimum.p, r);
  const double far = 5 * TraceFit::middling(r);
  out.outliers = static_cast<int>((r.array().abs() > far).count());
  out.pulse.offset += out.pulse.sign * missed;
  for (double& value : out.pulse.values) value -= missed;
  if (!out.laws.mass_known) out.laws.advice.emplace_back("the mass or the speed");
  return out;
}

std::vector<double> fitted_forces(const FittedTrace& trace, std::span<const double> times) {
  const ImpactHistory history = impact_history(*trace.laws.law().fitted, trace.laws.reference);
  const double end = history.summary().contact_time;
  std::vector<double> forces;
  for (const double t : times) {
    const double own = t - trace.onset;
    forces.push_back(own > 0 && own < end ? history.at(own).force : 0);
  }
  return forces;
}

}  // namespace carom
