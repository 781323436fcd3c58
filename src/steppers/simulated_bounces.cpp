#include <cmath>

#include <carom/core/error.hpp>
#include <carom/steppers/simulated_bounces.hpp>
#include <carom/steppers/with_method.hpp>

namespace carom {
namespace {

template <ContactLaw Law, class Method>
Bounces simulate(const Law& law, const BouncingBody& body, const BounceSettings& settings) {
  const double weight = body.mass * body.gravity;
  const WallSystem<Law> system{.law = law,
                               .mass = body.mass,
                               .force_in_contact = settings.gravity_in_contact ? weight : 0.0,
                               .force_in_flight = weight,
                               .surface = settings.surface};
  WallMarch<Law, Method, TrajectoryCorrection<Law>> march(
      system, settings.rate, -body.height, body.speed, settings.events,
      TrajectoryCorrection<Law>(settings.correct, settings.exit, settings.exit_threshold_percent));
  Bounces out;
  const double initial = march.stored() + weight * body.height;
  const auto keep = [&] {
    out.samples.push_back(
        {march.time(), -march.position(), -march.velocity(), march.contact_force()});
  };
  if (settings.keep_every > 0) keep();
  const bool for_ever = std::isinf(settings.duration);
  long long sample = 0;
  while (march.time() < settings.duration) {
    march.step();
    if (settings.keep_every > 0 && ++sample % settings.keep_every == 0) keep();
    for (const ImpactRecord& impact : march.finished())
      if (out.impacts.size() < static_cast<std::size_t>(settings.impacts))
        out.impacts.push_back(impact);
    if (out.impacts.size() == static_cast<std::size_t>(settings.impacts)) break;
    // In contact with less energy than it takes to reach the surface again, or with more contacts
    // within a sample than can be told apart: the body stays.
    out.at_rest = !march.converged() || (march.in_contact() && settings.gravity_in_contact &&
                                         march.stored() - weight * march.compression() < 0);
    if (out.at_rest && (for_ever || !march.converged())) break;
  }
  out.end_time = march.time();
  out.ledger = march.ledger();
  out.converged = march.converged() || out.at_rest;
  out.passive_kept = !Method::traits.passive || settings.correct != Correct::none ||
                     out.ledger.worst_residual() <= 1e-12 * initial;
  return out;
}

}  // namespace

Bounces simulate_bounces(const AnyLaw& law, const BouncingBody& body,
                         const BounceSettings& settings) {
  validate(law);
  require_positive("mass", body.mass);
  require_not_negative("height", body.height);
  require_not_negative("speed", body.speed);
  if (body.height == 0) require_positive("speed", body.speed);
  require_positive("gravity", body.gravity);
  require_positive("rate", settings.rate);
  if (!std::isinf(settings.duration)) require_positive("duration", settings.duration);
  if (settings.impacts < 1)
    throw InvalidInput("impacts = " + std::to_string(settings.impacts) + ": must be at least 1");
  require_accepts(settings.method, law);
  return std::visit(
      [&]<class Law>(const Law& l) {
        return with_method<Law>(settings.method, [&]<class Method>(std::type_identity<Method>) {
          return simulate<Law, Method>(l, body, settings);
        });
      },
      law);
}

}  // namespace carom
