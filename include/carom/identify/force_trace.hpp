#pragma once

#include <optional>
#include <span>

#include <carom/identify/identified.hpp>

namespace carom {

/// A Hunt-Crossley impact fitted to a force trace. The shape alone gives epsilon and n, the
/// duration omega_i, the size the product m v; with the mass or the speed the law is complete.
struct FittedTrace {
  FitStatus status;
  Identified law;       ///< stiffness, mu and lambda only with a mass or a speed
  double onset;         ///< time of first touch [s]
  double contact_time;  ///< [s]
  double max_force;     ///< [N]
  double impulse;       ///< integral of the force, m v (1 + e) [N s]
  double restitution;
  double residual;             ///< root mean square of the misfit over max_force
  LawUncertainty uncertainty;  ///< from the misfit, taken for independent noise on every sample
};

/// `times` [s] increasing, `forces` [N] of one impact; at least 8 samples in contact. Samples
/// before touch and after release may be included (force near zero). Give the mass or the speed,
/// not both.
[[nodiscard]] FittedTrace identify_force_trace(std::span<const double> times,
                                               std::span<const double> forces,
                                               std::optional<double> mass = {},
                                               std::optional<double> speed = {});

}  // namespace carom
