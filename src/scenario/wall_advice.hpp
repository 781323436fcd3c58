#pragma once

#include <string>
#include <vector>

#include <carom/scenario/kind.hpp>

#include "wall_simulation.hpp"

namespace carom {

/// The error of the rebound speed that a method makes in an impact, relative and signed (> 0 is too
/// fast); NaN when a trial contact never ends.
struct ReboundForecast {
  double here = 0;     ///< of the first impact, at the phase the scenario gives it
  double typical = 0;  ///< root mean square over all phases between contact and sample grid
  double worst = 0;    ///< the largest of those phases, >= 0
};

/// By trial impacts of the scenario's own body at evenly spread phases.
ReboundForecast forecast_rebound(const WallSettings& settings, int phases = 16);

/// What `carom check` knows about one body and a wall.
std::vector<Advice> wall_advice(const WallSettings& settings, const std::string& rate_key);
/// The same for a run that ends with its first impact.
std::vector<Advice> one_impact_advice(const WallSettings& settings);

}  // namespace carom
