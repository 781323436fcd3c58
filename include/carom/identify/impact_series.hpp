#pragma once

#include <optional>
#include <span>
#include <vector>

#include <carom/identify/identified.hpp>

namespace carom {

/// One measured impact of a series: the same bodies at different speeds. Standard deviations are
/// given for all impacts of a series or for none.
struct SeriesImpact {
  double speed;                             ///< v_in [m/s], > 0
  double restitution;                       ///< e, 0 < e <= 1
  std::optional<double> contact_time{};     ///< [s], > 0; of all impacts or of none
  std::optional<double> speed_sd{};         ///< [m/s], >= 0
  std::optional<double> restitution_sd{};   ///< > 0
  std::optional<double> contact_time_sd{};  ///< [s], > 0
};

/// A law fitted to a series. Without contact times only mu can be had.
struct FittedSeries {
  FitStatus status;
  Identified law;  ///< epsilon, omega and check at the speed of the first impact
  LawUncertainty uncertainty;
  /// Root mean square of what is left: in standard deviations where these were given (about 1 when
  /// the model holds), else of the restitution and the relative contact time.
  double misfit;
  struct Point {
    double restitution;                    ///< of the fitted law at this speed
    std::optional<double> contact_time{};  ///< [s]
  };
  std::vector<Point> points;
};

/// Which law is fitted.
enum class SeriesLaw { hunt_crossley, hertz_damper };

/// Least squares over the restitutions and the logarithms of the contact times, weighted by the
/// standard deviations where they are given, else all alike. With the mass the law is complete; a
/// given exponent is kept. Throws InvalidInput when there are fewer data than unknowns.
[[nodiscard]] FittedSeries identify_series(std::span<const SeriesImpact> impacts, SeriesLaw law,
                                           std::optional<double> mass = {},
                                           std::optional<double> exponent = {},
                                           Release release = Release::zero_force);

}  // namespace carom
