#pragma once

#include <span>

#include <carom/identify/fit.hpp>
#include <carom/identify/pulse.hpp>

namespace carom {

/// Laws fitted to the force of one impact over time. The shape alone gives the dimensionless
/// numbers of a law, the duration its frequency, the size the product m v: with the mass or the
/// speed the law is complete, with both the impulse m v (1 + e) gives the restitution a second
/// time.
struct FittedTrace {
  Identification laws;
  Pulse pulse;
  // Of the chosen law.
  double onset;         ///< time of first touch [s]
  double contact_time;  ///< [s]
  double max_force;     ///< [N]
  double impulse;       ///< integral of the force, m v (1 + e) [N s]
  double restitution;
  int outliers;  ///< samples five standard deviations or more away from the fit
};

/// Residuals count by a robust loss: ringing and outliers do not decide.
[[nodiscard]] FittedTrace identify_force_trace(std::span<const double> times,
                                               std::span<const double> forces,
                                               const FitSettings& settings = {});

/// The force [N] of a fitted law at these times, 0 before touch and after release.
std::vector<double> fitted_forces(const FittedTrace& trace, std::span<const double> times);

}  // namespace carom
