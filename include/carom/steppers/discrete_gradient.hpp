#pragma once

#include <algorithm>
#include <cmath>

#include <carom/steppers/contact_problem.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// Mean of k x^n over the path from a to b, (V(b) - V(a))/(b - a), without cancellation for a
/// short path (series in (b - a)^2).
template <ContactLaw Law>
double mean_elastic_force(const Law& law, double a, double b) noexcept {
  const double middle = 0.5 * (a + b), n = law.exponent;
  if (middle > 0 && std::abs(b - a) < 0.06 * middle) {
    const double q = (b - a) * (b - a) / (middle * middle);
    // Terms 2j of the mean of (1 + s)^n over |s| <= d/2: C(n, 2j) (d/2)^(2j)/(2j + 1).
    const double c2 = n * (n - 1) / 24;
    const double c4 = n * (n - 1) * (n - 2) * (n - 3) / 1920;
    const double c6 = n * (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5) / 322560;
    return law.elastic_force(middle) * (1 + q * (c2 + q * (c4 + q * c6)));
  }
  const double difference = b - a;
  return difference == 0 ? law.elastic_force(a)
                         : (law.potential(b) - law.potential(a)) / difference;
}

/// (e^z - 1)/z and (e^z - 1 - z)/z^2, to rounding for every z.
inline double exponential_mean(double z) noexcept { return z == 0 ? 1.0 : std::expm1(z) / z; }
inline double exponential_second_mean(double z) noexcept {
  if (std::abs(z) > 0.5) return (std::expm1(z) - z) / (z * z);
  double sum = 0.0, term = 0.5;
  for (int j = 3; j < 20; ++j) {
    sum += term;
    term *= z / j;
  }
  return sum;
}

/// The discrete gradient method. For Hunt-Crossley (and mu = 0) it is taken in the variables (x, w)
/// of symplectic.hpp, where the motion conserves K(w) + U(x), K = (e^(mu w) - 1 - mu w)/mu^2,
/// U = V/m: the step
///   w' - w = d = -h g/m,  x' - x = h (K(w') - K(w))/(w' - w),  g = (V(x') - V(x))/(x' - x)
/// conserves it exactly for every h. On a level of it the energy falls with v, and v falls in every
/// step, hence no step gains energy, and the speed at x = 0 is the exact one at any step size.
/// For the Hertz-damper: m (v' - v)/h = -g - c (x' - x)/h + f_e, x' - x = h (v + v')/2, which loses
/// c (x' - x)^2/h a step. One scalar equation for x', monotone, solved by Newton within a bracket.
struct DiscreteGradient {
  static constexpr StepperTraits traits{.name = "discrete-gradient", .order = 2, .passive = true};
  static constexpr int most_iterations = 240;

  template <ContactLaw Law>
  ContactPoint step(const ContactProblem<Law>& problem, ContactPoint s, double h) const noexcept {
    const double m = problem.mass;
    const Damping damper = damping(problem.law);
    const double kick = h / 2 * problem.force / m;
    const double v0 = s.v + kick;
    // x' as a function of the kick d of w, and d as a function of x'.
    const auto position = [&](double d) {
      const double z = damper.mu * d;
      return s.x + h * (v0 * exponential_mean(z) + d * exponential_second_mean(z));
    };
    const auto kick_of = [&](double x) {
      return -h / m * mean_elastic_force(problem.law, s.x, x) - damper.linear / m * (x - s.x);
    };
    // mismatch(x) = x - position(kick_of(x)) grows with x; with no force x is the free position.
    double high = std::max(s.x, position(0.0)), low = std::min(s.x, position(kick_of(high)));
    double x = std::min(position(-h / m * s.f), high);
    if (!(x >= low)) x = 0.5 * (low + high);
    double d = kick_of(x);
    double previous_x = 0.0, previous_r = 0.0;
    for (int i = 0; i < most_iterations; ++i) {
      const double r = x - position(d);
      if (r == 0) break;
      (r > 0 ? high : low) = x;
      double next = i == 0 ? x - r : x - r * (x - previous_x) / (r - previous_r);
      if (!(next > low && next < high) || i % 4 == 3) next = 0.5 * (low + high);
      previous_x = x, previous_r = r;
      const double change = std::abs(next - x);
      x = next;
      d = kick_of(x);
      if (change <= 1e-16 * std::abs(x)) break;
    }
    const double z = damper.mu * d;
    const double v = v0 + (1 + damper.mu * v0) * d * exponential_mean(z) + kick;
    return {x, v, problem.contact_force(x, v)};
  }
};

}  // namespace carom
