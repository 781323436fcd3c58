#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include <carom/core/error.hpp>
#include <carom/steppers/simulated_impact.hpp>
#include <carom/steppers/with_method.hpp>

namespace carom {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void validate(const AnyLaw& law, const Collision& collision, const ImpactSettings& settings) {
  carom::validate(law);
  require_positive("mass", collision.mass);
  require_positive("speed", collision.speed);
  require_finite("force", collision.force);
  require_positive("rate", settings.rate);
  require_within("phase", settings.phase, 0.0, 1.0);
  require_accepts(settings.method, law);
}

/// Collects the deviations from the exact trajectory, sample by sample.
template <ContactLaw Law>
class Deviations {
 public:
  Deviations(const ContactProblem<Law>& problem, const ReferenceImpact<Law>& reference,
             double onset)
      : problem_(problem), reference_(reference), onset_(onset) {}

  void add(double time, double x, double v, bool in_contact) {
    const double exact = std::max(0.0, reference_.at(time - onset_).x);
    waveform_ = std::max(waveform_, std::abs(std::max(0.0, x) - exact));
    if (!in_contact || !(x > 0)) return;
    ++in_contact_;
    const ContactPoint same_v = reference_.at_velocity(v, x);
    dev_x_ = std::max(dev_x_, std::abs(x - same_v.x));
    // H(v) on the trajectory has the same kinetic part: only the potentials differ, except beyond
    // its ends, where the trajectory is at x = 0.
    dev_h_ =
        std::max(dev_h_, std::abs(problem_.law.potential(x) - problem_.law.potential(same_v.x)));
  }

  ImpactErrors errors(const Impact& simulated, const Impact& exact) const {
    const double lost = std::abs(exact.energy_lost);
    return {.rebound_speed_percent =
                100 * (simulated.rebound_speed - exact.rebound_speed) / exact.rebound_speed,
            .dev_x_percent = 100 * dev_x_ / exact.max_compression,
            .dev_energy_percent = lost > 1e-12 * exact.energy_in ? 100 * dev_h_ / lost : nan,
            .waveform_percent = 100 * waveform_ / exact.max_compression,
            .samples_in_contact = in_contact_};
  }

 private:
  const ContactProblem<Law>& problem_;
  const ReferenceImpact<Law>& reference_;
  double onset_;
  double waveform_ = 0.0, dev_x_ = 0.0, dev_h_ = 0.0;
  int in_contact_ = 0;
};

template <ContactLaw Law, class Method>
SimulatedImpact simulate(const Law& law, const Collision& collision,
                         const ImpactSettings& settings) {
  const double m = collision.mass, v_in = collision.speed, h = 1 / settings.rate;
  const double onset = settings.phase * h;
  const WallSystem<Law> system{.law = law,
                               .mass = m,
                               .force_in_contact = collision.force,
                               .force_in_flight = collision.force};
  const ContactProblem<Law> problem{law, m, collision.force};
  const ReferenceImpact<Law> reference(problem, v_in);
  const double expected = reference.impact().contact_time * settings.rate;
  if (reference.impact().releases && expected > settings.most_samples)
    throw InvalidInput("rate = " + number_text(settings.rate) + ": the contact would last " +
                       number_text(std::ceil(expected)) + " samples, more than " +
                       std::to_string(settings.most_samples));
  // Before first touch: back along the flight that arrives with v_in.
  const ContactPoint start = reference.at(-onset);
  WallMarch<Law, Method, TrajectoryCorrection<Law>> march(
      system, settings.rate, start.x, start.v, settings.events,
      TrajectoryCorrection<Law>(settings.correct, settings.exit, settings.exit_threshold_percent));

  SimulatedImpact out;
  Deviations<Law> deviations(problem, reference, onset);
  double max_x = 0.0, max_x_time = 0.0, max_f = 0.0, max_f_time = 0.0;
  const auto record = [&] {
    const double x = march.compression(), f = march.contact_force();
    deviations.add(march.time(), march.position(), march.velocity(), march.in_contact());
    if (x > max_x) max_x = x, max_x_time = march.time() - onset;
    if (f > max_f) max_f = f, max_f_time = march.time() - onset;
    if (settings.keep_samples)
      out.samples.push_back({march.time(), march.position(), march.velocity(), f, march.stored()});
  };
  record();
  const double initial = march.stored();
  std::optional<ImpactRecord> impact;
  const Impact& exact = reference.impact();
  // After release the waveform is compared until the exact impact has ended too. A body that is
  // held down is followed until the reference has come to rest.
  for (int i = 0; i < settings.most_samples; ++i) {
    march.step();
    record();
    if (!impact && !march.finished().empty()) impact = march.finished()[0];
    if (impact && (!exact.releases || march.time() - onset >= exact.contact_time)) break;
    if (!exact.releases && std::abs(march.velocity()) < 1e-6 * v_in &&
        std::abs(march.compression() - exact.equilibrium_compression) <
            1e-6 * exact.equilibrium_compression)
      break;
  }
  const double speed_out = impact ? impact->speed_out : nan;
  out.result = {
      .rebound_speed = speed_out,
      .restitution = speed_out / v_in,
      .max_compression = max_x,
      .max_compression_time = max_x_time,
      .max_force = max_f,
      .max_force_time = max_f_time,
      .contact_time = impact ? impact->contact_time : std::numeric_limits<double>::infinity(),
      .separation_compression = impact ? impact->separation_compression : 0.0,
      .energy_in = 0.5 * m * v_in * v_in,
      .energy_lost = 0.5 * m * (v_in * v_in - (impact ? speed_out * speed_out : 0.0)),
      .releases = impact.has_value(),
      .equilibrium_compression = exact.equilibrium_compression};
  if constexpr (requires { march.method().extremes(); }) {
    const ContactExtremes& e = march.method().extremes();
    out.result.max_compression = e.max_compression;
    out.result.max_compression_time = e.max_compression_time;
    out.result.max_force = e.max_force;
    out.result.max_force_time = e.max_force_time;
  }
  out.reference = exact;
  out.error = deviations.errors(out.result, exact);
  out.ledger = march.ledger();
  out.converged = march.converged();
  out.passive_kept = !Method::traits.passive || settings.correct != Correct::none ||
                     out.ledger.worst_residual() <= 1e-12 * initial;
  return out;
}

}  // namespace

SimulatedImpact simulate_impact(const AnyLaw& law, const Collision& collision,
                                const ImpactSettings& settings) {
  validate(law, collision, settings);
  return std::visit(
      [&]<class Law>(const Law& l) {
        return with_method<Law>(settings.method, [&]<class Method>(std::type_identity<Method>) {
          return simulate<Law, Method>(l, collision, settings);
        });
      },
      law);
}

}  // namespace carom
