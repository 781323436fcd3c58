#pragma once

#include <optional>
#include <span>
#include <vector>

#include <carom/identify/fit.hpp>

namespace carom {

/// One measured impact of a series: the same bodies at different speeds, or the same contact under
/// different masses. Each of restitution, contact time and largest force is given for all impacts
/// of a series or for none; standard deviations likewise, of all of them or of none.
struct SeriesImpact {
  double speed;                             ///< v_in [m/s], > 0
  std::optional<double> restitution{};      ///< e, > 0; noise may take it above 1
  std::optional<double> contact_time{};     ///< [s], > 0
  std::optional<double> max_force{};        ///< [N], > 0
  std::optional<double> mass{};             ///< [kg], > 0
  std::optional<double> speed_sd{};         ///< [m/s], >= 0
  std::optional<double> restitution_sd{};   ///< > 0
  std::optional<double> contact_time_sd{};  ///< [s], > 0
  std::optional<double> max_force_sd{};     ///< [N], > 0
};

/// What a law gives for one of the impacts.
struct SeriesPoint {
  double restitution, contact_time, max_force;
};

/// Laws fitted to a series, by least squares over the restitutions and the logarithms of the
/// contact times and largest forces, weighted by the standard deviations where they are given, else
/// by the scatter of each kind. Throws InvalidInput for data that no impact can have, and for fewer
/// data than unknowns.
[[nodiscard]] Identification identify_series(std::span<const SeriesImpact> impacts,
                                             const FitSettings& settings = {});

/// The fitted law at the speeds and masses of the data.
std::vector<SeriesPoint> series_points(const LawFit& fit, std::span<const SeriesImpact> impacts,
                                       const FitSettings& settings = {});

}  // namespace carom
