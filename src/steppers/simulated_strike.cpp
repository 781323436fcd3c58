#include <cmath>
#include <string>

#include <carom/core/error.hpp>
#include <carom/steppers/event_driven_strike.hpp>
#include <carom/steppers/simulated_strike.hpp>
#include <carom/steppers/stepped_law.hpp>

namespace carom {
namespace {

template <Stepper S>
StrikeRun run_strike(S stepper, double duration, const StrikeObserver& observer) {
  StrikeRun run;
  const double initial = stepper.stored();
  march(stepper, duration, [&](const S& s) {
    for (const ImpactRecord& impact : s.finished()) run.impacts.push_back(impact);
    const ModalBank::Sums& r = s.resonator();
    return !observer || observer({s.time(), s.position(), s.velocity(), s.mean_force(), r.hit,
                                  r.heard, r.heard_velocity});
  });
  run.ledger = stepper.ledger();
  run.end_time = stepper.time();
  run.converged = stepper.converged();
  run.passive_kept = !S::traits.passive || run.ledger.worst_residual() <=
                                               1e-12 * (initial + std::abs(run.ledger.injected()));
  return run;
}

}  // namespace

StrikeRun simulate_strike(const AnyLaw& law, const Striker& striker, const ModalBody& resonator,
                          const StrikeSettings& settings, double duration,
                          const StrikeObserver& observer) {
  validate(law);
  validate(resonator);
  require_positive("mass", striker.mass);
  require_finite("speed", striker.speed);
  require_not_negative("gap", striker.gap);
  require_finite("force", striker.force);
  require_positive("rate", settings.rate);
  require_positive("duration", duration);
  if (settings.steps_per_contact < 1)
    throw InvalidInput("steps_per_contact = " + std::to_string(settings.steps_per_contact) +
                       ": must be at least 1");
  require_within("tolerance", settings.tolerance, 1e-14, 1e-3);
  if (settings.method == StrikeMethod::event_driven)
    return run_strike(EventDrivenStrike(law, striker, resonator, settings), duration, observer);
  return std::visit(
      [&]<class Law>(const Law& chosen) {
        return run_strike(StrikeMarch<Law>(chosen, striker, resonator, settings), duration,
                          observer);
      },
      stepped_law(law));
}

}  // namespace carom
