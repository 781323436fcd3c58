#include <cmath>
#include <numbers>
#include <string_view>

#include <carom/core/error.hpp>
#include <carom/systems/pair.hpp>

namespace carom {
namespace {

void validate(std::string_view which, const Material& material) {
  require_positive(std::string(which) + " young", material.young);
  require_within(std::string(which) + " poisson", material.poisson, -1.0, 0.5);
}

}  // namespace

double contact_modulus(const Material& a, const Material& b) {
  validate("first", a);
  validate("second", b);
  return 1 / ((1 - a.poisson * a.poisson) / a.young + (1 - b.poisson * b.poisson) / b.young);
}

PowerLaw hertz_spheres(double radius_a, double radius_b, const Material& a, const Material& b) {
  const double modulus = contact_modulus(a, b);
  const double curvature = 1 / radius_a + 1 / radius_b;  // 0 for an infinite radius
  if (!(curvature > 0) || radius_a == 0 || radius_b == 0)
    throw InvalidInput("radius = " + number_text(radius_a) + " and " + number_text(radius_b) +
                       ": the bodies must curve away from each other");
  return {.stiffness = 4.0 / 3 * modulus / std::sqrt(curvature), .exponent = 1.5};
}

PowerLaw hertz_sphere_plane(double radius, const Material& sphere, const Material& plane) {
  require_positive("radius", radius);
  return hertz_spheres(radius, std::numeric_limits<double>::infinity(), sphere, plane);
}

PowerLaw hertz_crossed_cylinders(double radius_a, double radius_b, const Material& a,
                                 const Material& b) {
  require_positive("first radius", radius_a);
  require_positive("second radius", radius_b);
  return {.stiffness = 4.0 / 3 * contact_modulus(a, b) * std::pow(radius_a * radius_b, 0.25),
          .exponent = 1.5};
}

PowerLaw parallel_cylinders(double length, const Material& a, const Material& b) {
  require_positive("length", length);
  return {.stiffness = std::numbers::pi / 4 * contact_modulus(a, b) * length, .exponent = 1.0};
}

static_assert(SystemWithGaps<Pair>);

void Pair::mass_matrix(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& M) const {
  M << mass_a + mass_b, 0.0, 0.0, effective_mass();
}
void Pair::force(double /*t*/, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& /*v*/,
                 Eigen::VectorXd& f) const {
  f.setZero();
}
double Pair::potential_energy(const Eigen::VectorXd& /*q*/) const { return 0.0; }
void Pair::gaps(double /*t*/, const Eigen::VectorXd& q, Eigen::VectorXd& g) const { g[0] = q[1]; }
void Pair::gap_gradients(double /*t*/, const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& G) const {
  G << 0.0, 1.0;
}
MotionState Pair::start() const {
  return {Eigen::Vector2d(0.0, gap), Eigen::Vector2d(centre_velocity(), -closing_speed())};
}

void validate(const Pair& pair) {
  require_positive("first mass", pair.mass_a);
  require_positive("second mass", pair.mass_b);
  require_finite("first velocity", pair.velocity_a);
  require_finite("second velocity", pair.velocity_b);
  require_not_negative("gap", pair.gap);
  if (!(pair.closing_speed() > 0))
    throw InvalidInput("first velocity = " + number_text(pair.velocity_a) +
                       ": must exceed the second, " + number_text(pair.velocity_b) +
                       ", or the bodies never meet");
}

}  // namespace carom
