#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <carom/core/error.hpp>
#include <carom/impact/hertz_damper.hpp>

#include "scales.hpp"

namespace carom {

using detail::Scales;
using detail::TaylorPath;

Impact impact(const HertzDamper& law, const Collision& collision) {
  validate(law);
  const Scales s(law.stiffness, law.exponent, collision);
  const double c = s.damping(law.damping);
  require_finite("damping in units of m omega_i", c);
  return to_impact(s, TaylorPath({.n = law.exponent,
                                  .c = c,
                                  .push = s.push,
                                  .release_at_zero_force = law.release == Release::zero_force},
                                 TaylorPath::Keep::outcome));
}

DimensionlessRebound hertz_damper_rebound(double damping, double exponent, Release release,
                                          double tolerance) {
  require_not_negative("damping", damping);
  require_within("exponent", exponent, 1, 20);
  const TaylorPath path(
      {.n = exponent, .c = damping, .release_at_zero_force = release == Release::zero_force},
      TaylorPath::Keep::rebound, std::max(tolerance, TaylorPath::finest));
  const TaylorPath::Outcome& out = path.outcome();
  if (!out.releases) {
    return {std::numeric_limits<double>::quiet_NaN(), 1, std::numeric_limits<double>::infinity(),
            false};
  }
  return {-out.v, out.loss, out.time, true};
}

DimensionlessRebound kelvin_voigt_rebound(double xi, Release release) {
  require_not_negative("damping ratio", xi);
  if (release == Release::zero_compression) {
    if (xi >= 1) {
      return {std::numeric_limits<double>::quiet_NaN(), 1, std::numeric_limits<double>::infinity(),
              false};
    }
    const double time = std::numbers::pi / std::sqrt((1 - xi) * (1 + xi));
    return {std::exp(-xi * time), -std::expm1(-2 * xi * time), time, true};
  }
  // acos(xi)/sqrt(1 - xi^2), continued by acosh above 1. Near 1 the series in w = 1 - xi:
  // 1 + w/3 + 2 w^2/15 + 2 w^3/35 + 8 w^4/315 + ..., ratio of terms (k+1)/(2k+3).
  const double w = 1 - xi;
  double quotient = 0;
  if (std::abs(w) < 0.05) {
    double term = 1;
    for (int k = 0; k < 14; ++k) {
      quotient += term;
      term *= w * (k + 1) / (2 * k + 3);
    }
  } else if (xi < 1) {
    quotient = std::acos(xi) / std::sqrt(w * (1 + xi));
  } else {
    quotient = std::acosh(xi) / std::sqrt(-w * (1 + xi));
  }
  return {std::exp(-2 * xi * quotient), -std::expm1(-4 * xi * quotient), 2 * quotient, true};
}

}  // namespace carom
