#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace carom::detail {

/// The Langevin function L(h) = coth h - 1/h and its complement, each to full relative accuracy.
///
/// It solves Hunt-Crossley. Put A = 1 + eps and B = 1 - eps e for the factor 1 + mu v at touch and
/// at release; papetti2011 eq. (6) says A - ln A = B - ln B. With A/B = exp(2h) this gives
///     eps = h (1 + L(h)),   e = (1 - L(h)) / (1 + L(h)),   so   L(h) = (1 - e)/(1 + e):
/// damping from restitution is an inverse Langevin function, restitution from damping its sibling.
struct Langevin {
  double value;       ///< L
  double complement;  ///< 1 - L
  double slope;       ///< L'
};

inline Langevin langevin(double h) noexcept {
  if (h < 0.5) {
    // h coth h - 1 = h^2/(3 + h^2/(5 + h^2/(7 + ...))): all terms positive, no cancellation; nine
    // levels leave less than 1e-18 at h = 1/2.
    const double z = h * h;
    double numerator = 1, denominator = 3, last_numerator = 0, last_denominator = 1;
    for (int odd = 5; odd <= 19; odd += 2) {
      const double next_numerator = odd * numerator + z * last_numerator;
      const double next_denominator = odd * denominator + z * last_denominator;
      last_numerator = numerator;
      last_denominator = denominator;
      numerator = next_numerator;
      denominator = next_denominator;
    }
    const double over_h = numerator / denominator;  // L/h
    const double l = h * over_h;
    return {l, 1 - l, 1 - l * l - 2 * over_h};
  }
  const double inverse = 1 / h;
  const double expm1_2h = std::expm1(2 * h);  // infinite for h > 354, which is exact below
  const double tail = 2 / expm1_2h;           // coth h - 1
  const double complement = inverse - tail;
  return {1 + tail - inverse, complement, inverse * inverse - tail * (2 + tail)};
}

/// The h with h (1 + L(h)) = epsilon, to rounding. epsilon >= 0.
inline double langevin_of_epsilon(double epsilon) noexcept {
  if (!(epsilon > 0)) return 0;
  if (epsilon > 80) return (1 + epsilon) / 2;  // h coth h = h to all digits
  // A rational fit with both limits built in, good to 3e-6 over all epsilon; one Halley step cubes
  // that.
  const double x = epsilon;
  constexpr std::array top{1.0,
                           0.7109733940787625,
                           0.20237603675350493,
                           0.043366242074411684,
                           0.004105141325607343,
                           0.0012850080706980063};
  constexpr std::array bottom{1.0,
                              1.0442142739334186,
                              0.3291194626738268,
                              0.08089141665566665,
                              0.005642494036886359,
                              0.0025700161413960126};
  double numerator = 0, denominator = 0;
  for (int k = 5; k >= 0; --k) {
    numerator = numerator * x + top[k];
    denominator = denominator * x + bottom[k];
  }
  const double h = x * numerator / denominator;
  const Langevin l = langevin(h);
  const double value = h * (1 + l.value);
  const double slope = l.complement * (1 + value);
  const double curvature = l.complement * slope - l.slope * (1 + value);
  const double newton = (value - epsilon) / slope;
  return h - newton / (1 - 0.5 * newton * curvature / slope);
}

/// Restitution e of epsilon >= 0.
inline double restitution_of(double epsilon) noexcept {
  if (!(epsilon > 0)) return 1;
  const double h = langevin_of_epsilon(epsilon);
  // 2h = eps (1 + e) loses digits where e is small; there eps e = 1 - B, B = 2h/(exp(2h) - 1).
  return epsilon < 1 ? 2 * h / epsilon - 1 : (1 - 2 * h / std::expm1(2 * h)) / epsilon;
}

/// The h with L(h) = l, given both l and its complement 1 - l; 0 <= l < 1.
inline double inverse_langevin(double l, double complement) noexcept {
  if (!(l > 0)) return 0;
  if (complement < 0.025) return 1 / complement;  // coth h = 1 to all digits
  const double y2 = l * l;
  // A rational fit, good to 3e-3, then two Halley steps; L'' = -2 (L L' + L'/h - L/h^2).
  double h = l * (3 - y2 / 5 * (6 + y2 * (1 - 2 * y2))) / (complement * (1 + l));
  for (int i = 0; i < 2; ++i) {
    const Langevin at = langevin(h);
    const double residual = h < 1 ? at.value - l : complement - at.complement;
    const double curvature = -2 * (at.value * at.slope + (at.slope - at.value / h) / h);
    const double newton = residual / at.slope;
    h -= newton / (1 - 0.5 * newton * curvature / at.slope);
  }
  return h;
}

/// z - ln(1 + z) without cancellation, z > -1.
inline double phi(double z) noexcept {
  if (std::abs(z) > 0.3) return z - std::log1p(z);
  // ln(1+z) = 2 artanh r, r = z/(2+z): z - 2r = z r exactly, the rest is an odd series in r.
  const double r = z / (2 + z), r2 = r * r;
  double sum = 0;
  for (int odd = 23; odd >= 3; odd -= 2) sum = sum * r2 + 1.0 / odd;
  return r * (z - 2 * r2 * sum);
}

/// 1/(k+2)!, the Taylor coefficients of the next function.
inline constexpr std::array<double, 14> remainder_coefficients = [] {
  std::array<double, 14> c{0.5};
  for (std::size_t k = 1; k < c.size(); ++k) c[k] = c[k - 1] / static_cast<double>(k + 2);
  return c;
}();

/// (e^z - 1 - z)/z^2 without cancellation; 1/2 at z = 0.
inline double expm1_remainder(double z) noexcept {
  if (std::abs(z) > 0.5) return (std::expm1(z) - z) / (z * z);
  double sum = 0;
  for (int k = 13; k >= 0; --k) sum = sum * z + remainder_coefficients[k];
  return sum;
}

}  // namespace carom::detail
