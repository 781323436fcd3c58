#include <cmath>
#include <numbers>

#include <carom/impact/power_law.hpp>

#include "scales.hpp"

namespace carom {

using detail::Scales;
using detail::TaylorPath;

namespace {

/// Dimensionless contact time; see the header.
double lossless_time(double n) {
  const double a = 1 / (n + 1);
  return 2 * a * std::pow((n + 1) / 2, a) * std::sqrt(std::numbers::pi) * std::tgamma(a) /
         std::tgamma(a + 0.5);
}

}  // namespace

double contact_time(const PowerLaw& law, const Collision& collision) {
  validate(law);
  detail::require_no_force("contact_time", collision);
  const Scales s(law.stiffness, law.exponent, collision);
  return lossless_time(law.exponent) / s.omega;
}

Impact impact(const PowerLaw& law, const Collision& collision) {
  validate(law);
  const Scales s(law.stiffness, law.exponent, collision);
  const double n = law.exponent;
  if (s.push != 0) {
    return to_impact(s, TaylorPath({.n = n, .push = s.push}, TaylorPath::Keep::outcome));
  }
  const double deepest = std::pow((n + 1) / 2, 1 / (n + 1));
  Impact hit{};
  hit.rebound_speed = s.speed;
  hit.restitution = 1;
  hit.max_compression = deepest * s.length;
  hit.max_force = std::pow((n + 1) / 2, n / (n + 1)) * s.force;
  hit.contact_time = lossless_time(n) / s.omega;
  hit.max_compression_time = hit.max_force_time = hit.contact_time / 2;
  hit.energy_in = s.energy_in();
  hit.releases = true;
  detail::require_representable(hit);
  return hit;
}

}  // namespace carom
