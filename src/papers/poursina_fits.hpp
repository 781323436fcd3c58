#pragma once

#include <cmath>
#include <span>

#include <boost/math/special_functions/beta.hpp>

namespace carom::poursina {

/// c (in units of (k v^(n-1) m^n)^(1/(n+1))) with both limits exact:
///   c = (1-e) e^(-1/(n+1)) [1 - (1 - s) e^a (1 + b (1-e)^(1/n) + d (1-e))],
/// s = (n+1)/(2 x_m B(1/(n+1), 3/2)), x_m = ((n+1)/2)^(1/(n+1)). As e -> 0 the motion gives
/// c -> e^(-1/(n+1)), as e -> 1 it gives c -> s (1-e) with a correction of order (1-e)^(1/n), from
/// the penetration left at separation. a, b, d are linear in 1/n: six constants.
inline double better_damping(double e, double n, double s, std::span<const double> p) {
  const double a = p[0] + p[1] / n, b = p[2] + p[3] / n, d = p[4] + p[5] / n, q = 1 - e;
  const double bend = (1 - s) * std::pow(e, a) * (1 + b * std::pow(q, 1 / n) + d * q);
  return q * std::pow(e, -1 / (n + 1)) * (1 - bend);
}

/// s above.
inline double slope_at_one(double n) {
  const double x_m = std::pow((n + 1) / 2, 1 / (n + 1));
  return (n + 1) / (2 * x_m * boost::math::beta(1 / (n + 1), 1.5));
}

}  // namespace carom::poursina
