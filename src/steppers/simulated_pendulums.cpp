#include <algorithm>
#include <cmath>

#include <carom/contacts/system_march.hpp>
#include <carom/core/error.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/simulated_pendulums.hpp>

namespace carom {
namespace {

void check(const PendulumContact& contact, const PendulumSettings& settings) {
  require_positive("duration", settings.duration);
  require_within("tolerance", settings.tolerance, 1e-13, 1e-3);
  require_not_negative("interval", settings.interval);
  require_not_negative("step", settings.step);
  if (const auto* law = std::get_if<AnyLaw>(&contact)) validate(*law);
  if (const auto* newton = std::get_if<NewtonRestitution>(&contact)) validate(*newton);
}

}  // namespace

MotionState motion_of(const PendulumState& state) {
  return {Eigen::Vector2d(state.angles[0], state.angles[1]),
          Eigen::Vector2d(state.rates[0], state.rates[1])};
}

PendulumState state_of(const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  return {{q[0], q[1]}, {v[0], v[1]}};
}

SystemMarch pendulum_march(const PendulumRods& rods, const PendulumState& start,
                           const PendulumContact& contact, const PendulumSettings& settings) {
  validate(rods);
  check(contact, settings);
  SystemMarchSettings march{
      .scheme = settings.step > 0 ? settings.scheme : SystemScheme::collocation,
      .rate = settings.step > 0       ? 1 / settings.step
              : settings.interval > 0 ? 1 / settings.interval
                                      : 1 / settings.duration,
      .tolerance = settings.tolerance,
      .closes_energy = settings.closes_energy,
      .end = settings.duration};
  LawChoice law = NewtonRestitution{};
  if (const auto* one = std::get_if<AnyLaw>(&contact)) law = *one;
  if (const auto* one = std::get_if<NewtonRestitution>(&contact)) law = *one;
  if (const auto* each = std::get_if<LawOfImpact>(&contact)) {
    march.law_of_impact = [each = *each](int, const Collision& hit) { return each(hit); };
  }
  if (const auto* each = std::get_if<RestitutionOfImpact>(&contact)) {
    march.law_of_impact = [each = *each](int, const Collision& hit) { return each(hit); };
  }
  return {AnySystem(rods), {law}, settings.surface, motion_of(start), march};
}

PendulumImpact pendulum_impact(const PendulumRods& rods, const SystemImpact& impact) {
  const PendulumState before = state_of(impact.before.q, impact.before.v);
  return {.record = impact.record,
          .tip = impact.contact,
          .along = tip_contact(rods, before.angles, impact.contact).along,
          .effective_mass = impact.effective_mass,
          .impulse = impact.impulse,
          .before = before,
          .after = state_of(impact.after.q, impact.after.v)};
}

PendulumSample pendulum_sample(const SystemMarch& march) {
  PendulumSample sample{.time = march.time(),
                        .state = state_of(march.position(), march.velocity()),
                        .force = 0.0,
                        .compression = 0.0,
                        .impulse = march.impulse()};
  for (const int tip : {0, 1}) {
    if (march.phase(tip) == Phase::apart) continue;
    sample.force += march.force(tip);
    sample.compression = std::max(sample.compression, march.compression(tip));
  }
  return sample;
}

PendulumRun simulate_pendulums(const PendulumRods& rods, const PendulumState& start,
                               const PendulumContact& contact, const PendulumSettings& settings) {
  SystemMarch pendulums = pendulum_march(rods, start, contact, settings);
  PendulumRun run;
  const auto every = settings.step > 0 && settings.interval > 0
                         ? std::max(1LL, std::llround(settings.interval / settings.step))
                         : 1LL;
  if (settings.interval > 0) run.samples.push_back(pendulum_sample(pendulums));
  long long count = 0;
  march(pendulums, settings.duration, [&](const SystemMarch& now) {
    if (!now.sampled()) return now.status() == MarchStatus::going;
    for (const SystemImpact& impact : now.finished()) {
      run.impacts.push_back(pendulum_impact(rods, impact));
    }
    if (settings.interval > 0 && ++count % every == 0) run.samples.push_back(pendulum_sample(now));
    return now.status() == MarchStatus::going || now.status() == MarchStatus::at_rest;
  });
  pendulums.finish();
  run.ledger = pendulums.ledger();
  run.end = state_of(pendulums.position(), pendulums.velocity());
  run.status = pendulums.status();
  return run;
}

}  // namespace carom
