#include <algorithm>
#include <cmath>

#include <carom/core/error.hpp>
#include <carom/laws/conversions.hpp>

namespace carom {

double mu_of_lambda(double lambda, double stiffness) {
  require_not_negative("lambda", lambda);
  require_positive("stiffness", stiffness);
  return lambda / stiffness;
}

double lambda_of_mu(double mu, double stiffness) {
  require_not_negative("mu", mu);
  require_positive("stiffness", stiffness);
  return mu * stiffness;
}

double mu_of_simbody_dissipation(double c) {
  require_not_negative("dissipation", c);
  return 1.5 * c;
}

double simbody_dissipation_of_mu(double mu) {
  require_not_negative("mu", mu);
  return mu / 1.5;
}

double mu_of_drake_dissipation(double d) {
  require_not_negative("dissipation", d);
  return d;
}

double drake_dissipation_of_mu(double mu) {
  require_not_negative("mu", mu);
  return mu;
}

double mu_of_epsilon(double epsilon, double speed) {
  require_not_negative("epsilon", epsilon);
  require_positive("speed", speed);
  return epsilon / speed;
}

double epsilon_of_mu(double mu, double speed) {
  require_not_negative("mu", mu);
  require_positive("speed", speed);
  return mu * speed;
}

double impact_frequency(double stiffness, double exponent, double mass, double speed) {
  require_positive("stiffness", stiffness);
  require_within("exponent", exponent, 1, 20);
  require_positive("mass", mass);
  require_positive("speed", speed);
  const double n = exponent;
  return std::pow(stiffness / mass, 1 / (n + 1)) * std::pow(speed, (n - 1) / (n + 1));
}

double stiffness_of_impact_frequency(double omega, double exponent, double mass, double speed) {
  require_positive("impact frequency", omega);
  require_within("exponent", exponent, 1, 20);
  require_positive("mass", mass);
  require_positive("speed", speed);
  // m omega^2 (omega/v)^(n-1): the same, with less risk of overflow on the way.
  const double k = mass * omega * omega * std::pow(omega / speed, exponent - 1);
  require_positive("stiffness that results", k);
  return k;
}

double AccelerationForm::acceleration(double x, double v) const noexcept {
  if (!(x > 0)) return 0;
  // omega v_in (omega x/v_in)^n (1 + eps v/v_in)
  return -omega * speed * std::pow(omega * x / speed, exponent) *
         std::max(0.0, 1 + epsilon * v / speed);
}

AccelerationForm acceleration_form(const HuntCrossley& law, double mass, double speed) {
  validate(law);
  return {.omega = impact_frequency(law.stiffness, law.exponent, mass, speed),
          .epsilon = epsilon_of_mu(law.mu, speed),
          .exponent = law.exponent,
          .speed = speed};
}

HuntCrossley hunt_crossley_of(const AccelerationForm& form, double mass) {
  const HuntCrossley law{
      .stiffness = stiffness_of_impact_frequency(form.omega, form.exponent, mass, form.speed),
      .exponent = form.exponent,
      .mu = mu_of_epsilon(form.epsilon, form.speed)};
  validate(law);
  return law;
}

}  // namespace carom
