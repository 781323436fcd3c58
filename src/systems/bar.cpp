#include <cmath>
#include <numbers>

#include <carom/core/error.hpp>
#include <carom/systems/bar.hpp>

namespace carom {
namespace {

BarParameters common_parameters(const BarSettings& s) {
  validate(s);
  const double n = s.segments, R = s.radius, pi = std::numbers::pi;
  BarParameters p{};
  p.segments = s.segments;
  p.half_length = (s.length - R) / (2.0 * n);
  p.radius = R;
  p.mass = 2.0 * p.half_length * pi * R * R * s.density;
  p.tip_mass = 2.0 * s.density * pi * R * R * R / 3.0;
  p.inertia = p.mass * (p.half_length * p.half_length / 3.0 + R * R / 4.0);
  p.tip_inertia =
      (s.inertia == BarInertia::as_printed ? 2.0 / 5.0 : 83.0 / 320.0) * p.tip_mass * R * R;
  p.gravity = s.gravity;
  return p;
}

/// (n-1)(3n-1)/(3n^2) and (n-1)(7n-5)/(7n^2), which tend to 1.
double axial_factor(const BarSettings& s) {
  const double n = s.segments;
  return s.stiffness == BarStiffness::limit ? 1.0 : (n - 1) * (3 * n - 1) / (3 * n * n);
}
double bending_factor(const BarSettings& s) {
  const double n = s.segments;
  return s.stiffness == BarStiffness::limit ? 1.0 : (n - 1) * (7 * n - 5) / (7 * n * n);
}

/// E pi R^2 / L
double axial_rigidity(const BarSettings& s, const BarParameters& p) {
  return s.young * std::numbers::pi * s.radius * s.radius / p.half_length;
}

}  // namespace

void validate(const BarSettings& settings) {
  require_within("segments", settings.segments, 2, 1000);
  require_positive("radius", settings.radius);
  require_positive("length", settings.length);
  require_positive("density", settings.density);
  require_positive("young", settings.young);
  require_finite("gravity", settings.gravity);
  if (!(settings.length > settings.radius)) {
    throw InvalidInput("length = " + number_text(settings.length) +
                       ": must exceed the radius of the hemisphere, " +
                       number_text(settings.radius));
  }
}

BarParameters spiral_parameters(const BarSettings& settings) {
  BarParameters p = common_parameters(settings);
  p.stiffness = axial_rigidity(settings, p) * axial_factor(settings);
  p.bending = axial_rigidity(settings, p) * p.radius * p.radius / 8.0 * bending_factor(settings);
  return p;
}

BarParameters pairs_parameters(const BarSettings& settings) {
  BarParameters p = common_parameters(settings);
  p.stiffness = axial_rigidity(settings, p) / 4.0 * axial_factor(settings);
  p.offset = p.radius * std::sqrt(bending_factor(settings) / axial_factor(settings));
  p.bending = p.stiffness * p.offset * p.offset / 2.0;
  return p;
}

MotionState BarChain::straight(const BarStart& start, double extension) const {
  MotionState state{Eigen::VectorXd::Zero(coordinates()), Eigen::VectorXd::Zero(coordinates())};
  state.q[1] = start.height;
  state.q.segment(2, p_.segments).setConstant(start.angle);
  state.q.tail(p_.segments).setConstant(extension);
  state.v[1] = -start.speed;
  return state;
}

void excite(MotionState& state, const Eigen::VectorXd& shape, double omega, double energy,
            double phase) {
  const double amplitude = std::sqrt(2.0 * energy) / omega;
  state.q += amplitude * std::cos(phase) * shape;
  state.v -= amplitude * omega * std::sin(phase) * shape;
}

}  // namespace carom
