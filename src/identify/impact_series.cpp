#include <algorithm>
#include <string>

#include <carom/core/error.hpp>
#include <carom/identify/impact_series.hpp>

#include "series_fit.hpp"

namespace carom {
namespace {

using detail::Candidate, detail::SeriesFit;

void refuse_unsound(std::span<const SeriesImpact> impacts) {
  if (impacts.empty()) throw InvalidInput("a series needs at least one impact");
  const SeriesImpact& first = impacts.front();
  if (!first.restitution && !first.contact_time && !first.max_force)
    throw InvalidInput("a series needs restitutions, contact times or largest forces");
  const auto same = [](const char* name, const auto& a, const auto& b) {
    if (a.has_value() != b.has_value())
      throw InvalidInput(std::string(name) + " must be given for all impacts or for none");
  };
  for (const SeriesImpact& one : impacts) {
    require_positive("speed", one.speed);
    if (one.restitution) {
      require_positive("restitution", *one.restitution);
      require_within("restitution", *one.restitution, 0, 1.1);  // noise may lift it above 1
    }
    if (one.contact_time) require_positive("contact_time", *one.contact_time);
    if (one.max_force) require_positive("max_force", *one.max_force);
    if (one.mass) require_positive("mass", *one.mass);
    if (one.restitution_sd) require_positive("restitution_sd", *one.restitution_sd);
    if (one.contact_time_sd) require_positive("contact_time_sd", *one.contact_time_sd);
    if (one.max_force_sd) require_positive("max_force_sd", *one.max_force_sd);
    if (one.speed_sd) require_not_negative("speed_sd", *one.speed_sd);
    same("restitution", one.restitution, first.restitution);
    same("contact_time", one.contact_time, first.contact_time);
    same("max_force", one.max_force, first.max_force);
    same("mass", one.mass, first.mass);
    same("restitution_sd", one.restitution_sd, first.restitution_sd);
    same("contact_time_sd", one.contact_time_sd, first.contact_time_sd);
    same("max_force_sd", one.max_force_sd, first.max_force_sd);
  }
  const int kinds = int{first.restitution.has_value()} + int{first.contact_time.has_value()} +
                    int{first.max_force.has_value()},
            deviations = int{first.restitution_sd.has_value()} +
                         int{first.contact_time_sd.has_value()} +
                         int{first.max_force_sd.has_value()};
  if (deviations != 0 && deviations != kinds)
    throw InvalidInput("standard deviations must be given for everything measured or for nothing");
}

/// The candidate at its best, as far as these weights go.
void fit_series(const SeriesFit& series, Candidate& candidate) {
  if (!candidate.family) {
    detail::search(candidate, {Eigen::VectorXd::Constant(1, 0.7)});
    return;
  }
  const std::vector<AnyLaw> starts = series.starts(*candidate.family);
  if (starts.empty()) return;
  series.hold_what_does_not_matter(candidate, starts.front());
  std::vector<Eigen::VectorXd> parameters;
  for (const AnyLaw& start : starts) parameters.push_back(candidate.searched->parameters(start));
  detail::search(candidate, parameters);
}

/// What would determine the numbers that are open or out of reach.
std::vector<std::string> advice_for(const Identification& found, const SeriesImpact& like) {
  using Status = FittedNumber::Status;
  std::vector<std::string> advice;
  const auto any = [&](Status status) {
    const auto& numbers = found.law().numbers;
    return std::any_of(numbers.begin(), numbers.end(),
                       [&](const FittedNumber& one) { return one.status == status; });
  };
  if (any(Status::open)) advice.emplace_back("impacts at other speeds");
  if (any(Status::out_of_reach)) {
    if (!like.contact_time) advice.emplace_back("contact times");
    if (!like.max_force && like.contact_time) advice.emplace_back("largest forces");
    if (!found.mass_known) advice.emplace_back("the mass");
  }
  return advice;
}

}  // namespace

Identification identify_series(std::span<const SeriesImpact> impacts, const FitSettings& settings) {
  refuse_unsound(impacts);
  detail::check_settings(settings);
  SeriesFit series(impacts, settings);
  std::vector<Candidate> candidates;
  if (series.restitution_only() && (settings.rank || settings.law == "constant-restitution"))
    candidates.push_back(series.constant_restitution());
  for (const std::string& law : detail::candidate_laws(settings)) {
    if (law == "constant-restitution") continue;
    candidates.push_back(series.candidate(law));
  }
  settings.each(candidates.size(), [&](std::size_t i) { fit_series(series, candidates[i]); });
  // Weights follow from the best law, the same for all, so that their criteria can be compared.
  const auto criterion = [](const Candidate& one) {
    return detail::akaike(one.problem, one.optimum.objective,
                          static_cast<int>(one.optimum.p.size()), one.known.rank);
  };
  settings.each(candidates.size(), [&](std::size_t i) {
    Candidate& candidate = candidates[i];
    if (std::isfinite(candidate.optimum.objective))
      candidate.known = detail::knowledge(candidate.problem, candidate.optimum);
  });
  series.weigh(*std::min_element(
      candidates.begin(), candidates.end(),
      [&](const Candidate& a, const Candidate& b) { return criterion(a) < criterion(b); }));
  settings.each(candidates.size(), [&](std::size_t i) {
    Candidate& candidate = candidates[i];
    if (!std::isfinite(candidate.optimum.objective)) return;
    candidate.optimum =
        detail::minimum(candidate.problem, candidate.optimum.p, detail::Effort::rough);
    candidate.known = detail::knowledge(candidate.problem, candidate.optimum);
    candidate.misfit = series.misfit(candidate);
  });
  // Restitutions alone cannot tell laws with many numbers apart: the simplest is taken sooner.
  FitSettings judged = settings;
  if (series.restitution_only()) judged.hardly_different = std::max(4.0, judged.hardly_different);
  Identification found = detail::ranked(std::move(candidates), judged, [&](const LawFit& fit) {
    return series.lack_of_fit(fit.parameters, fit.misfit, fit.objective);
  });
  found.reference = series.model().reference();
  found.mass_known = series.model().mass_known();
  found.advice = advice_for(found, impacts.front());
  return found;
}

std::vector<SeriesPoint> series_points(const LawFit& fit, std::span<const SeriesImpact> impacts,
                                       const FitSettings& settings) {
  std::vector<SeriesPoint> points(impacts.size());
  if (!fit.fitted) {
    for (SeriesPoint& one : points) one.restitution = *fit.restitution;
    return points;
  }
  return detail::SeriesModel(impacts, settings).all(*fit.fitted);
}

}  // namespace carom
