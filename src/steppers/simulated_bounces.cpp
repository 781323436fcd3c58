#include <cmath>

#include <carom/core/error.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/simulated_bounces.hpp>

namespace carom {

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
  if (settings.keep_every < 0)
    throw InvalidInput("keep_every = " + std::to_string(settings.keep_every) +
                       ": must not be negative");
  if (settings.impacts < 1)
    throw InvalidInput("impacts = " + std::to_string(settings.impacts) + ": must be at least 1");
  const double weight = body.mass * body.gravity;
  WallMarchSettings on_floor = wall_march_settings(law, settings.method, body.mass, settings);
  on_floor.force_in_contact = settings.gravity_in_contact ? weight : 0.0;
  on_floor.force_in_flight = weight;
  on_floor.surface = settings.surface;
  on_floor.position = -body.height;
  on_floor.velocity = body.speed;
  const auto floor = make_wall_march(on_floor);
  Bounces out;
  const WallMarch::Sample& now = floor->now();
  const double initial = now.stored + weight * body.height;
  const auto keep = [&] {
    out.samples.push_back({now.time, -now.position, -now.velocity, now.force});
  };
  if (settings.keep_every > 0) keep();
  const bool for_ever = std::isinf(settings.duration);
  const auto wanted = static_cast<std::size_t>(settings.impacts);
  constexpr long long between_questions = 65536;  // samples
  long long sample = 0;
  march(*floor, settings.duration, [&](const WallMarch& body_now) {
    ++sample;
    if (settings.keep_every > 0 && sample % settings.keep_every == 0) keep();
    if (settings.keep_going && sample % between_questions == 0 && !settings.keep_going()) {
      return false;
    }
    for (const ImpactRecord& impact : body_now.finished()) {
      if (out.impacts.size() < wanted) out.impacts.push_back(impact);
    }
    // With more contacts within a sample than can be told apart the body stays, too.
    out.at_rest = body_now.held() || !now.converged;
    return out.impacts.size() < wanted && now.converged && !(out.at_rest && for_ever);
  });
  out.end_time = now.time;
  out.ledger = floor->ledger();
  out.converged = now.converged || out.at_rest;
  out.passive_kept = floor->passive_kept(initial);
  return out;
}

}  // namespace carom
