#include "papetti_model.hpp"

#include <algorithm>
#include <cmath>

#include <carom/impact/hunt_crossley.hpp>

namespace carom::papetti {
namespace {

/// The bracket of eq. (3) times m(alpha+1)/(k mu^2): x^(alpha+1).
double compression_power(const Case& impact, double velocity) {
  const auto& [k, alpha, mu] = impact.law;
  const double bracket = -mu * (velocity - impact.speed) +
                         std::log(std::abs((1 + mu * velocity) / (1 + mu * impact.speed)));
  return impact.mass * (alpha + 1) / (k * mu * mu) * bracket;
}

}  // namespace

double compression(const Case& impact, double velocity) {
  return std::pow(std::max(0.0, compression_power(impact, velocity)),
                  1 / (impact.law.exponent + 1));
}

std::complex<double> complex_compression(const Case& impact, double velocity) {
  return std::pow(std::complex<double>(compression_power(impact, velocity)),
                  1 / (impact.law.exponent + 1));
}

double max_compression(const Case& impact) { return compression(impact, 0.0); }

double exit_velocity(const Case& impact) { return -rebound_speed(impact.law.mu, impact.speed); }

double approximate_exit_velocity(const Case& impact) {
  const double u = impact.law.mu * impact.speed;
  const double polynomial = 1 + u * (1 + u * (2. / 3 + u * (2. / 9 + u * 14. / 135)));
  return -(1 - polynomial * std::exp(-2 * u)) / impact.law.mu;
}

double energy(const Case& impact, double compression, double velocity) {
  return impact.law.potential(compression) + impact.mass * velocity * velocity / 2;
}

double energy_on_path(const Case& impact, double velocity) {
  const double mu = impact.law.mu;
  return impact.mass / 2 * velocity * velocity - impact.mass / mu * (velocity - impact.speed) +
         impact.mass / (mu * mu) *
             std::log(std::abs((1 + mu * velocity) / (1 + mu * impact.speed)));
}

}  // namespace carom::papetti
