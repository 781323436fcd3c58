#pragma once

#include <functional>
#include <vector>

#include <carom/laws/catalogue.hpp>
#include <carom/steppers/strike.hpp>

namespace carom {

/// One sample of a strike, taken after its step.
struct StrikeSample {
  double time;            ///< [s]
  double body_position;   ///< [m], > 0 beyond the resonator's rest position
  double body_velocity;   ///< [m/s]
  double force;           ///< mean contact force over the sample [N]
  double hit;             ///< displacement of the hit point [m]
  double heard;           ///< displacement of the heard point [m]
  double heard_velocity;  ///< [m/s]
};

struct StrikeRun {
  std::vector<ImpactRecord> impacts;  ///< relative speeds
  Ledger ledger;
  double end_time = 0.0;
  bool converged = true;
  bool passive_kept = true;  ///< false: a passive step gained more than 1e-12 of the energy
};

/// Called after every sample; returning false ends the run.
using StrikeObserver = std::function<bool(const StrikeSample&)>;

/// Runs a strike for `duration` [s]. `resonator.shapes` has the hit point in row 0 and the heard
/// point in row 1. Memory does not grow with time beyond the list of impacts.
///   simulate_strike(HuntCrossley{.stiffness = 5e8, .exponent = 1.5, .mu = 0.3},
///                   {.mass = 0.02, .speed = 1.5}, plate, {.rate = 44100}, 1.0,
///                   [&](const StrikeSample& s) { sound.push_back(s.heard_velocity); return true;
///                   });
/// Throws InvalidInput for parameters outside their range.
StrikeRun simulate_strike(const AnyLaw& law, const Striker& striker, const ModalBody& resonator,
                          const StrikeSettings& settings, double duration,
                          const StrikeObserver& observer = {});

}  // namespace carom
