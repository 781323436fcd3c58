#include <cmath>

#include <carom/core/error.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/identify/two_speeds.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/laws/conversions.hpp>

#include "root.hpp"

namespace carom {

TwoSpeeds identify_two_speeds(const TimedImpact& first, const TimedImpact& second,
                              std::optional<double> mass) {
  for (const TimedImpact& hit : {first, second}) {
    require_positive("speed", hit.speed);
    require_positive("restitution", hit.restitution);
    require_within("restitution", hit.restitution, 0, 1);
    require_positive("contact_time", hit.contact_time);
  }
  if (mass) require_positive("mass", *mass);
  if (std::abs(std::log(second.speed / first.speed)) < 1e-6) {
    throw InvalidInput("two speeds are needed; both are " + number_text(first.speed));
  }
  const double first_eps = epsilon_of_restitution(first.restitution);
  const double second_eps = epsilon_of_restitution(second.restitution);
  // omega_i = tau/t grows as v^((n-1)/(n+1)).
  const double times = std::log(first.contact_time / second.contact_time);
  const double speeds = std::log(first.speed / second.speed);
  const auto disagreement = [&](double n) {
    const double shapes = std::log(dimensionless_impact(first_eps, n).contact_time /
                                   dimensionless_impact(second_eps, n).contact_time);
    return shapes - times - (n - 1) / (n + 1) * speeds;
  };
  const auto n = detail::bracketed_root(disagreement, 1, 20, 1e-11);
  if (!n) {
    throw InvalidInput("contradictory: no exponent from 1 to 20 gives contact times " +
                       number_text(first.contact_time) + " and " +
                       number_text(second.contact_time) + " at speeds " + number_text(first.speed) +
                       " and " + number_text(second.speed) + " with these restitutions");
  }
  TwoSpeeds out{};
  out.first_mu = first_eps / first.speed;
  out.second_mu = second_eps / second.speed;
  out.mismatch = out.second_mu / out.first_mu - 1;
  // Where both agree this is that value; where not, it errs equally on both sides.
  const double mu = std::sqrt(out.first_mu) * std::sqrt(out.second_mu);
  Identified& law = out.law;
  law.problem = "two speeds with restitution and contact_time each";
  law.exponent = *n;
  law.mu = mu;
  law.epsilon = mu * first.speed;
  law.omega = dimensionless_impact(first_eps, *n).contact_time / first.contact_time;
  law.mass = mass;
  law.speed = first.speed;
  law.check.restitution = restitution_of_epsilon(law.epsilon);
  law.check.contact_time = dimensionless_impact(law.epsilon, *n).contact_time / *law.omega;
  if (mass) {
    law.stiffness = stiffness_of_impact_frequency(*law.omega, *n, *mass, first.speed);
    law.lambda = lambda_of_mu(mu, *law.stiffness);
    const Impact hit = impact(law.hunt_crossley(), {.mass = *mass, .speed = first.speed});
    law.check.max_force = hit.max_force;
    law.check.max_compression = hit.max_compression;
  }
  out.first_check = restitution_of_epsilon(mu * first.speed);
  out.second_check = restitution_of_epsilon(mu * second.speed);
  return out;
}

}  // namespace carom
