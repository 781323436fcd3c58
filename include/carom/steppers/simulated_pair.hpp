#pragma once

#include <vector>

#include <carom/steppers/simulated_impact.hpp>
#include <carom/systems/pair.hpp>

namespace carom {

/// One sample of two free bodies. Positions are those of the facing surfaces where they are not
/// compressed; the first touches the second at position_a = position_b.
struct PairSample {
  double time;                    ///< [s]
  double position_a, position_b;  ///< [m]
  double velocity_a, velocity_b;  ///< [m/s]
  double force;                   ///< [N]
};

struct PairRun {
  SimulatedImpact impact;         ///< of the relative motion, with its errors
  double velocity_a, velocity_b;  ///< after the impact [m/s]
  double onset;                   ///< time of first touch [s]
  std::vector<PairSample> samples;
};

/// Two free bodies: the relative motion is that of the effective mass on a wall, the common centre
/// moves on uniformly. settings.phase is ignored: the gap decides. Samples run from the start to
/// `after` [s] past the release. Throws InvalidInput.
PairRun simulate_pair(const AnyLaw& law, const Pair& pair, const ImpactSettings& settings,
                      double after = 0.0);

}  // namespace carom
