#include <cmath>
#include <numbers>
#include <string>

#include <carom/core/error.hpp>
#include <carom/systems/modal_body.hpp>

namespace carom {
namespace {

/// sin(x)/x, and its hyperbolic twin for x^2 < 0, from x^2.
double sine_over_argument(double squared) {
  if (std::abs(squared) < 1e-6) return 1 - squared / 6 * (1 - squared / 20);
  const double x = std::sqrt(std::abs(squared));
  return squared > 0 ? std::sin(x) / x : std::sinh(x) / x;
}

}  // namespace

void validate(const ModalBody& body) {
  if (body.modes.empty()) throw InvalidInput("modes: at least one is needed");
  for (std::size_t j = 0; j < body.modes.size(); ++j) {
    const std::string name = "mode " + std::to_string(j + 1) + " ";
    require_not_negative(name + "frequency", body.modes[j].frequency);
    require_not_negative(name + "damping", body.modes[j].damping);
    require_positive(name + "mass", body.modes[j].mass);
  }
  if (body.shapes.size() == 0) return;
  if (body.shapes.cols() != body.mode_count()) {
    throw InvalidInput("shapes = " + std::to_string(body.shapes.cols()) +
                       " columns: must be one per mode, " + std::to_string(body.modes.size()));
  }
  if (!body.shapes.allFinite()) throw InvalidInput("shapes: must be finite");
}

double energy(const ModalBody& body, const ModalState& state) {
  double sum = 0;
  for (Eigen::Index j = 0; j < body.mode_count(); ++j) {
    const Mode& mode = body.modes[static_cast<std::size_t>(j)];
    const double omega_q = 2 * std::numbers::pi * mode.frequency * state.position[j];
    const double v = state.velocity[j];
    sum += mode.mass * (v * v + omega_q * omega_q) / 2;
  }
  return sum;
}

// With s^2 = omega^2 - sigma^2: q(t) = e^{-sigma t} [q cos(st) + (v + sigma q) sin(st)/s].
ModePropagator free_motion(const Mode& mode, double time) {
  const double omega = 2 * std::numbers::pi * mode.frequency;
  const double sigma = mode.damping;
  const double squared = (omega - sigma) * (omega + sigma) * time * time;
  double cosine = 0, sine = 0;  // times e^{-sigma t}; sine is sin(st)/s
  if (squared < -1) {           // e^{-sigma t} cosh(st) may be infinity times zero
    const double s = std::sqrt(-squared) / time;
    // sigma - s without cancellation: the slow root of a strongly overdamped mode.
    const double slow = std::exp(-omega * omega / (sigma + s) * time);
    const double fast = std::exp(-(sigma + s) * time);
    cosine = (slow + fast) / 2;
    sine = (slow - fast) / (2 * s);
  } else {
    const double decay = std::exp(-sigma * time);
    const double x = std::sqrt(std::abs(squared));
    cosine = decay * (squared > 0 ? std::cos(x) : std::cosh(x));
    sine = decay * time * sine_over_argument(squared);
  }
  return {.q_from_q = cosine + sigma * sine,
          .q_from_v = sine,
          .v_from_q = -omega * omega * sine,
          .v_from_v = cosine - sigma * sine};
}

ModalState free_motion(const ModalBody& body, const ModalState& state, double time) {
  ModalState after{.position = state.position, .velocity = state.velocity};
  for (Eigen::Index j = 0; j < body.mode_count(); ++j) {
    const ModePropagator p = free_motion(body.modes[static_cast<std::size_t>(j)], time);
    const double q = state.position[j], v = state.velocity[j];
    after.position[j] = p.q_from_q * q + p.q_from_v * v;
    after.velocity[j] = p.v_from_q * q + p.v_from_v * v;
  }
  return after;
}

void add_rigid_body(ModalBody& body, double mass) {
  require_positive("mass", mass);
  body.modes.push_back({.frequency = 0, .damping = 0, .mass = mass});
  body.shapes.conservativeResize(body.shapes.rows(), body.mode_count());
  body.shapes.col(body.mode_count() - 1).setZero();
}

}  // namespace carom
