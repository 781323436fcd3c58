#include "spring_match.hpp"

#include <cmath>
#include <numbers>

#include <boost/math/tools/toms748_solve.hpp>

#include <carom/identify/single_impact.hpp>

namespace carom {
namespace {

constexpr double smallest = 1e-6;  ///< below it nothing rebounds that anybody could see

/// The place of the poles of one step, 2 rho cos(theta) and rho^2: those of the exact motion.
struct Poles {
  double trace, determinant;
};

Poles poles_of(const UnitSpring& spring, double timestep) {
  // x'' = -K x - B x': exponents -B/2 +- sqrt(B^2/4 - K).
  const double half = spring.B / 2, under = spring.K - half * half;
  const double rho = std::exp(-half * timestep);
  const double turn =
      under >= 0 ? std::cos(std::sqrt(under) * timestep) : std::cosh(std::sqrt(-under) * timestep);
  return {2 * rho * turn, rho * rho};
}

UnitSpring placed(Scheme scheme, const UnitSpring& continuous, double h) {
  const auto [trace, determinant] = poles_of(continuous, h);
  if (scheme == Scheme::at_begin) {
    // v' = v - h (K x + B v), x' = x + h v': determinant 1 - h B, trace 2 - h B - h^2 K.
    return {(1 - trace + determinant) / (h * h), (1 - determinant) / h};
  }
  // v' = (v - h K x)/s, x' = x + h v' with s = 1 + h B + h^2 K: determinant 1/s, trace (2 + h B)/s.
  const double s = 1 / determinant;
  return {(s + 1 - trace * s) / (h * h), (trace * s - 2) / h};
}

}  // namespace

UnitSpring continuous_spring(double restitution, double contact_time) {
  const double e = std::max(restitution, smallest);
  const Identified found = identify_hertz_damper(
      {.mass = 1.0, .restitution = e, .contact_time = contact_time, .exponent = 1.0});
  return {*found.stiffness, *found.damping};
}

UnitSpring textbook_spring(double restitution, double contact_time) {
  const double L = -std::log(std::max(restitution, smallest)), T = contact_time;
  return {(std::numbers::pi * std::numbers::pi + L * L) / (T * T), 2 * L / T};
}

EngineStep spring_step(Scheme scheme, const UnitSpring& spring, double timestep) {
  return scheme == Scheme::at_begin ? explicit_spring(spring.K, spring.B, timestep)
                                    : implicit_spring(spring.K, spring.B, timestep);
}

UnitSpring discrete_spring(Scheme scheme, double restitution, double contact_time,
                           double timestep) {
  const auto aimed = [&](double e) {
    return placed(scheme, continuous_spring(e, contact_time), timestep);
  };
  if (restitution < smallest || restitution >= 1) return aimed(restitution);
  const auto miss = [&](double e) {
    return over_phases(spring_step(scheme, aimed(e), timestep), timestep, 1, contact_time)
               .restitution -
           restitution;
  };
  // Poles alone are right to a few percent from five steps in contact on.
  double low = std::pow(restitution, 1.5), high = std::sqrt(restitution);
  const double at_low = miss(low), at_high = miss(high);
  if (!(at_low < 0 && at_high > 0)) return aimed(restitution);
  std::uintmax_t trials = 30;
  const auto [a, b] = boost::math::tools::toms748_solve(
      miss, low, high, at_low, at_high, boost::math::tools::eps_tolerance<double>(30), trials);
  return aimed(0.5 * (a + b));
}

double loss_with_restitution(const std::function<double(double)>& restitution_of, double wanted,
                             double start) {
  if (restitution_of(0) <= wanted) return 0;
  double low = 0, high = start;
  for (int i = 0; i < 60 && restitution_of(high) > wanted; ++i) {
    low = high;
    high *= 2;
  }
  std::uintmax_t trials = 40;
  const auto [a, b] = boost::math::tools::toms748_solve(
      [&](double loss) { return restitution_of(loss) - wanted; }, low, high,
      boost::math::tools::eps_tolerance<double>(30), trials);
  return 0.5 * (a + b);
}

}  // namespace carom
