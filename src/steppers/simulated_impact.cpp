#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <carom/core/error.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/reference_impact.hpp>
#include <carom/steppers/simulated_impact.hpp>

namespace carom {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

void check_impact(const AnyLaw& law, const Collision& collision, const ImpactSettings& settings) {
  validate(law);
  require_positive("mass", collision.mass);
  require_positive("speed", collision.speed);
  require_finite("force", collision.force);
  require_positive("rate", settings.rate);
  require_within("phase", settings.phase, 0.0, 1.0);
  require_accepts(settings.method, law);
}

/// Collects the deviations from the exact trajectory, sample by sample.
class Deviations {
 public:
  Deviations(const AnyLaw& law, const ReferenceImpact& reference, double onset)
      : law_(law), reference_(reference), onset_(onset) {}

  void add(double time, double x, double v, bool in_contact) {
    const double exact = std::max(0.0, reference_.at(time - onset_).x);
    waveform_ = std::max(waveform_, std::abs(std::max(0.0, x) - exact));
    if (!in_contact || !(x > 0)) return;
    ++in_contact_;
    if (!reference_.impact().releases) return;  // it swings: x is no function of v
    const ContactPoint same_v = reference_.at_velocity(v, x);
    dev_x_ = std::max(dev_x_, std::abs(x - same_v.x));
    // H(v) on the trajectory has the same kinetic part: only the potentials differ, except beyond
    // its ends, where the trajectory is at x = 0.
    const auto stored = [&](double compression) {
      return std::visit([&](const auto& law) { return law.potential(compression, {}); }, law_);
    };
    dev_h_ = std::max(dev_h_, std::abs(stored(x) - stored(same_v.x)));
  }

  ImpactErrors errors(const Impact& simulated, const Impact& exact) const {
    const double lost = std::abs(exact.energy_lost);
    return {.rebound_speed_percent =
                100 * (simulated.rebound_speed - exact.rebound_speed) / exact.rebound_speed,
            .dev_x_percent = exact.releases ? 100 * dev_x_ / exact.max_compression : no_number,
            .dev_energy_percent =
                exact.releases && lost > 1e-12 * exact.energy_in ? 100 * dev_h_ / lost : no_number,
            .waveform_percent = 100 * waveform_ / exact.max_compression,
            .samples_in_contact = in_contact_};
  }

 private:
  const AnyLaw& law_;
  const ReferenceImpact& reference_;
  double onset_;
  double waveform_ = 0.0, dev_x_ = 0.0, dev_h_ = 0.0;
  int in_contact_ = 0;
};

}  // namespace

SimulatedImpact simulate_impact(const AnyLaw& law, const Collision& collision,
                                const ImpactSettings& settings) {
  check_impact(law, collision, settings);
  const double m = collision.mass, v_in = collision.speed, h = 1 / settings.rate;
  const double onset = settings.phase * h;
  const ReferenceImpact reference(law, collision);
  const double expected = reference.impact().contact_time * settings.rate;
  if (reference.impact().releases && expected > settings.max_samples)
    throw InvalidInput("rate = " + number_text(settings.rate) + ": the contact would last " +
                       number_text(std::ceil(expected)) + " samples, more than " +
                       std::to_string(settings.max_samples));
  // Before first touch: back along the flight that arrives with v_in.
  const ContactPoint start = reference.at(-onset);
  WallMarchSettings on_wall = wall_march_settings(law, settings.method, m, settings);
  on_wall.force_in_contact = on_wall.force_in_flight = collision.force;
  on_wall.position = start.x;
  on_wall.velocity = start.v;
  const auto wall = make_wall_march(on_wall);

  SimulatedImpact out;
  Deviations deviations(law, reference, onset);
  struct {
    double max_compression = 0, max_compression_time = 0, max_force = 0, max_force_time = 0;
  } seen;
  const auto record = [&](const WallMarch::Sample& s) {
    deviations.add(s.time, s.position, s.velocity, s.in_contact);
    if (s.compression > seen.max_compression)
      seen.max_compression = s.compression, seen.max_compression_time = s.time - onset;
    if (s.force > seen.max_force) seen.max_force = s.force, seen.max_force_time = s.time - onset;
    if (settings.keep_samples)
      out.samples.push_back({s.time, s.position, s.velocity, s.force, s.stored});
  };
  record(wall->now());
  const double initial = wall->now().stored;
  std::optional<ImpactRecord> impact;
  const Impact& exact = reference.impact();
  // After release the waveform is compared until the exact impact has ended too. A body that is
  // held down is followed until the reference has come to rest.
  int samples = 0;
  march(*wall, infinity, [&](const WallMarch& now) {
    const WallMarch::Sample& s = now.now();
    record(s);
    if (!impact && !now.finished().empty()) impact = now.finished()[0];
    const bool at_rest = !exact.releases && std::abs(s.velocity) < 1e-6 * v_in &&
                         std::abs(s.compression - exact.equilibrium_compression) <
                             1e-6 * exact.equilibrium_compression;
    const bool over = impact && (!exact.releases || s.time - onset >= exact.contact_time);
    return ++samples < settings.max_samples && !at_rest && !over;
  });
  wall->finish();
  if (const ImpactRecord* record = wall->record()) {
    seen = {record->max_compression, wall->max_compression_time(), record->max_force,
            wall->max_force_time()};
  }
  const double speed_out = impact ? impact->speed_out : no_number;
  double contact_time = infinity;
  if (impact) contact_time = impact->contact_time;
  out.result = {.rebound_speed = speed_out,
                .restitution = speed_out / v_in,
                .max_compression = seen.max_compression,
                .max_compression_time = seen.max_compression_time,
                .max_force = seen.max_force,
                .max_force_time = seen.max_force_time,
                .contact_time = contact_time,
                .separation_compression = impact ? impact->separation_compression : 0.0,
                .energy_in = 0.5 * m * v_in * v_in,
                .energy_lost = 0.5 * m * (v_in * v_in - (impact ? speed_out * speed_out : 0.0)),
                .releases = impact.has_value(),
                .equilibrium_compression = exact.equilibrium_compression};
  out.reference = exact;
  out.error = deviations.errors(out.result, exact);
  out.ledger = wall->ledger();
  out.converged = wall->now().converged;
  out.passive_kept = wall->passive_kept(initial);
  return out;
}

}  // namespace carom
