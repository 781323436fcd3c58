#include <cmath>

#include <carom/core/error.hpp>
#include <carom/steppers/simulated_strike.hpp>

namespace carom {

StrikeRun simulate_strike(const AnyLaw& law, const Striker& striker, const ModalBody& resonator,
                          const StrikeSettings& settings, double duration,
                          const StrikeObserver& observer) {
  validate(law);
  require_positive("duration", duration);
  Strike strike(law, striker, resonator, settings);
  StrikeRun run;
  march(strike, duration, [&](const Strike& s) {
    for (const FinishedImpact& finished : s.finished()) run.impacts.push_back(finished.impact);
    return s.converged() &&
           (!observer || observer({s.time(), s.position(), s.velocity(), s.mean_force(), s.hit(),
                                   s.heard(), s.heard_velocity()}));
  });
  strike.finish();
  run.ledger = strike.ledger();
  run.end_time = strike.time();
  run.converged = strike.converged();
  run.passive_kept = !settings.closes_energy ||
                     run.ledger.worst_residual() <=
                         1e-12 * (run.ledger.initial() + std::abs(run.ledger.injected()));
  return run;
}

}  // namespace carom
