#include "papetti_methods.hpp"

#include <algorithm>
#include <cmath>

namespace carom::papetti {
namespace {

// The paper writes +f for the force on the mass; here f pushes apart and enters with a minus.

State step_verlet(const Case& impact, const State& s, double h) {
  const double half_velocity = s.v - h / 2 * s.force / impact.mass;
  const double x = s.x + h * s.v - h * h / 2 * s.force / impact.mass;
  const double force = impact.law.force(x, half_velocity);
  const double v = half_velocity - h / 2 * force / impact.mass;
  return {x, v, force, v};
}

State step_heun(const Case& impact, const State& s, double h) {
  const double predicted = s.v - h * s.force / impact.mass;
  const double x = s.x + h / 2 * (s.v + predicted);
  const double force = impact.law.force(x, predicted);
  return {x, s.v - h / 2 * (s.force + force) / impact.mass, force, predicted};
}

State step_rk4(const Case& impact, const State& s, double h) {
  const auto rate = [&](double x, double v) { return -h * impact.law.force(x, v) / impact.mass; };
  const double l1 = h * s.v, k1 = rate(s.x, s.v);
  const double l2 = h * (s.v + k1 / 2), k2 = rate(s.x + l1 / 2, s.v + k1 / 2);
  const double l3 = h * (s.v + k2 / 2), k3 = rate(s.x + l2 / 2, s.v + k2 / 2);
  const double l4 = h * (s.v + k3), k4 = rate(s.x + l3, s.v + k3);
  const double v = s.v + (k1 + 2 * k2 + 2 * k3 + k4) / 6;
  return {s.x + (l1 + 2 * l2 + 2 * l3 + l4) / 6, v, 0.0, v};
}

/// Eq. (23) by the K-method: one unknown, the new force, by Newton's method run to rounding.
State step_am1(const Case& impact, const State& s, double h) {
  const auto& [k, alpha, mu] = impact.law;
  const double to_x = -h * h / (4 * impact.mass), to_v = -h / (2 * impact.mass);
  const double x0 = s.x + h * s.v + to_x * s.force, v0 = s.v + to_v * s.force;
  double force = s.force, x = 0, v = 0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    x = x0 + to_x * force;
    v = v0 + to_v * force;
    const double value = impact.law.force(x, v);
    const double slope =
        x > 0 ? k * std::pow(x, alpha - 1) * (alpha * (1 + mu * v) * to_x + x * mu * to_v) : 0.0;
    const double change = (value - force) / (1 - slope);
    force += change;
    if (std::abs(change) <= 1e-15 * std::abs(force)) break;
  }
  x = x0 + to_x * force;
  v = v0 + to_v * force;
  return {x, v, impact.law.force(x, v), v};
}

}  // namespace

State step(const Case& impact, Method method, const State& state, double h) {
  switch (method) {
    case Method::am1:
      return step_am1(impact, state, h);
    case Method::verlet:
      return step_verlet(impact, state, h);
    case Method::heun:
      return step_heun(impact, state, h);
    case Method::rk4:
      break;
  }
  return step_rk4(impact, state, h);
}

Contact simulate(const Case& impact, Method method, double rate, const Corrections& corrections,
                 int step_limit) {
  State state{0.0, impact.speed};
  Contact contact{{{state.x, state.v}}};
  for (int n = 0; n < step_limit; ++n) {
    state = step(impact, method, state, 1 / rate);
    contact.predicted_exit = state.predicted;
    // Release is tested before the correction: x(v) of eq. (3) never becomes negative.
    if (!(state.x > 0)) {
      if (corrections.exit) state = {0.0, approximate_exit_velocity(impact)};
      contact.samples.push_back({state.x, state.v});
      break;
    }
    if (corrections.hybrid) state.x = compression(impact, state.v);
    contact.samples.push_back({state.x, state.v});
  }
  return contact;
}

double deviation_x(const Case& impact, const Contact& contact) {
  double worst = 0;
  for (const auto& [x, v] : contact.samples) {
    if (x > 0) worst = std::max(worst, std::abs(x - compression(impact, v)));
  }
  return 100 * worst / max_compression(impact);
}

double deviation_energy(const Case& impact, const Contact& contact, double exit_velocity) {
  const double lost =
      impact.mass / 2 * (impact.speed * impact.speed - exit_velocity * exit_velocity);
  double worst = 0;
  for (const auto& [x, v] : contact.samples) {
    if (x > 0) worst = std::max(worst, std::abs(energy(impact, x, v) - energy_on_path(impact, v)));
  }
  return 100 * worst / lost;
}

}  // namespace carom::papetti
