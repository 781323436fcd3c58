#include "paoli_theory.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace carom::paoli2007 {
namespace {

constexpr double pi = std::numbers::pi;

/// The kth positive root of cos(x) = 1/cosh(x), by Newton's method from where the right side is 0.
double free_root(int k) {
  double x = (2 * k + 1) * pi / 2;
  for (int i = 0; i < 4; ++i) {
    const double small = 1 / std::cosh(x);
    x -= (std::cos(x) - small) / (std::tanh(x) * small - std::sin(x));
  }
  return x;
}

struct BendingMode {
  double omega;         ///< [rad/s]
  double cosine, sine;  ///< of omega dt
  double q = 0, w = 0;  ///< displacement and velocity of the tip in this mode
};

}  // namespace

SlenderRebound slender_rebound(const BarSettings& bar, double speed, double angle, double averaging,
                               const SlenderSettings& settings) {
  const double sine = std::sin(angle * pi / 180), cosine = std::cos(angle * pi / 180);
  const double length = bar.length - bar.radius, area = pi * bar.radius * bar.radius;
  const double c = std::sqrt(bar.young / bar.density), mass = bar.density * area * length;
  const double impedance = bar.density * c * area;
  const double dt = 2 * length / c / settings.steps;
  std::vector<BendingMode> modes;
  // Per unit of transverse force held for a step, what the tip moves. 4 = 1 + 3: translation and
  // rotation; each mode has phi(tip)^2 = 4 of the mean of phi^2 as well.
  double bent = 4 / mass * dt * dt / 2;
  for (int k = 1; k <= settings.modes; ++k) {
    const double number = free_root(k) / length;
    const double omega = 0.5 * c * bar.radius * number * number;  // EI/(rho A) = (c R/2)^2
    modes.push_back({omega, std::cos(omega * dt), std::sin(omega * dt)});
    bent += 4 / mass * (1 - modes.back().cosine) / (omega * omega);
  }
  const double yields = sine * sine * dt / impedance + cosine * cosine * bent;
  // Twice the axial wave that was sent up one round trip ago, and those before it, at the tip.
  std::vector<double> echo(static_cast<std::size_t>(settings.steps), 0.0);
  SlenderRebound result;
  double height = 0, turning = 0, left_at = 0;
  bool touching = false;
  const auto average = static_cast<long long>(averaging / dt);
  long long last = 0, n = 0;
  for (; n - last <= average; ++n) {
    double& returning = echo[static_cast<std::size_t>(n % settings.steps)];
    double swung = turning * dt;
    for (const BendingMode& mode : modes) {
      swung += mode.q * (mode.cosine - 1) + mode.w * mode.sine / mode.omega;
    }
    const double free = height + dt * (sine * returning - speed) + cosine * swung;
    const double force = std::max(0.0, -free / yields);
    height = free + yields * force;
    returning += 2 * sine * force / impedance;
    turning += 4 / mass * cosine * force * dt;
    for (BendingMode& mode : modes) {
      const double rest = 4 / mass * cosine * force / (mode.omega * mode.omega);
      const double q = mode.q - rest;
      mode.q = q * mode.cosine + mode.w * mode.sine / mode.omega + rest;
      mode.w = -q * mode.omega * mode.sine + mode.w * mode.cosine;
    }
    if (force > 0) {
      result.intervals += touching ? 0 : 1;
      last = n;
      left_at = height;
    }
    touching = force > 0;
  }
  result.contact_time = static_cast<double>(last + 1) * dt;
  result.restitution = (height - left_at) / (static_cast<double>(n - 1 - last) * dt) / speed;
  return result;
}

}  // namespace carom::paoli2007
