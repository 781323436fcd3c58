#include <cmath>

#include <carom/core/error.hpp>
#include <carom/steppers/simulated_pair.hpp>

namespace carom {

PairRun simulate_pair(const AnyLaw& law, const Pair& pair, const ImpactSettings& settings,
                      double after) {
  validate(pair);
  require_positive("rate", settings.rate);
  require_not_negative("after", after);
  const double closing = pair.closing_speed(), rate = settings.rate;
  const double onset = pair.gap / closing;
  // The simulation begins at the last sample before first touch; until then the flight is known.
  const double before = std::floor(onset * rate);
  ImpactSettings timed = settings;
  timed.phase = std::min(1.0, std::max(0.0, onset * rate - before));
  PairRun run{.impact = simulate_impact(law, {pair.effective_mass(), closing}, timed),
              .velocity_a = 0.0,
              .velocity_b = 0.0,
              .onset = onset,
              .samples = {}};
  const double centre = pair.centre_velocity(), total = pair.mass_a + pair.mass_b;
  const double share_a = pair.mass_b / total, share_b = pair.mass_a / total;
  const double out = -run.impact.result.rebound_speed;
  run.velocity_a = centre + share_a * out;
  run.velocity_b = centre - share_b * out;
  if (!settings.keep_samples) return run;
  // Relative position x = a - b; the centre starts where both surfaces would be at -gap share_a.
  const auto keep = [&](double time, double x, double v, double force) {
    const double middle = centre * time - pair.gap * share_b;
    run.samples.push_back({time, middle + share_a * x, middle - share_b * x, centre + share_a * v,
                           centre - share_b * v, force});
  };
  for (double i = 0; i < before; ++i) keep(i / rate, -pair.gap + closing * i / rate, closing, 0.0);
  double last = 0.0, x = 0.0, v = 0.0;
  for (const ImpactSample& s : run.impact.samples) {
    last = before / rate + s.time, x = s.compression, v = s.rate;
    keep(last, x, v, s.force);
  }
  const double end = onset + run.impact.result.contact_time + after;
  for (double i = 1; last + i / rate <= end; ++i) keep(last + i / rate, x + v * i / rate, v, 0.0);
  return run;
}

}  // namespace carom
