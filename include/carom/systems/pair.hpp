#pragma once

#include <limits>

#include <carom/laws/power_law.hpp>
#include <carom/systems/with_gaps.hpp>

namespace carom {

/// The elastic constants of a material.
struct Material {
  double young;          ///< Young's modulus E [Pa], > 0
  double poisson = 0.3;  ///< nu, -1..0.5

  bool operator==(const Material&) const = default;
};

/// 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2 [Pa].
double contact_modulus(const Material& a, const Material& b);

/// Hertz contact of two spheres: F = (4/3) E* sqrt(R*) x^(3/2), 1/R* = 1/R1 + 1/R2, x the approach
/// of the two centres. A plane is a sphere of infinite radius; a hollow that the other body rests
/// in has a negative radius of larger magnitude.  [Hertz1882]
PowerLaw hertz_spheres(double radius_a, double radius_b, const Material& a, const Material& b);

/// Sphere on a plane: hertz_spheres with R* = radius.
PowerLaw hertz_sphere_plane(double radius, const Material& sphere, const Material& plane);

/// Two cylinders crossed at a right angle. Of equal radius R they touch as a sphere of radius R
/// touches a plane, exactly; of different radii the contact is an ellipse, and R* = sqrt(R1 R2) is
/// within 1 % of Hertz's elliptic integrals for R1/R2 up to 2 and within 4 % up to 4.
PowerLaw hertz_crossed_cylinders(double radius_a, double radius_b, const Material& a,
                                 const Material& b);

/// Two parallel cylinders (or one on a plane) over a length L: F = (pi/4) E* L x, n = 1,
/// independent of the radii. The line contact of infinite bodies has no approach of its own (it
/// grows with the logarithm of how far away one looks); this is the slope for bodies of finite size
/// in common use.  [Popov2010]
PowerLaw parallel_cylinders(double length, const Material& a, const Material& b);

/// Two bodies that move freely on one line, the first behind the second. As a system with gaps
/// q = (position of the centre of mass, gap): the masses m_a + m_b and m_eff move independently,
/// and a compression keeps its digits however far the bodies travel.
struct Pair {
  double mass_a, mass_b;          ///< [kg], > 0
  double velocity_a, velocity_b;  ///< along the line [m/s]; they meet if velocity_a > velocity_b
  double gap = 0.0;               ///< between the surfaces at the start [m], >= 0

  bool operator==(const Pair&) const = default;

  double effective_mass() const noexcept { return mass_a * (mass_b / (mass_a + mass_b)); }
  double closing_speed() const noexcept { return velocity_a - velocity_b; }
  double centre_velocity() const noexcept {
    return (mass_a * velocity_a + mass_b * velocity_b) / (mass_a + mass_b);
  }

  int coordinates() const { return 2; }
  int contacts() const { return 1; }
  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const;
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const;
  double potential_energy(const Eigen::VectorXd& q) const;
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const;
  void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const;
  MotionState start() const;
  /// Velocities of the two bodies from v = (of the centre, of the gap) [m/s].
  double velocity_a_of(const Eigen::VectorXd& v) const {
    return v[0] - mass_b / (mass_a + mass_b) * v[1];
  }
  double velocity_b_of(const Eigen::VectorXd& v) const {
    return v[0] + mass_a / (mass_a + mass_b) * v[1];
  }
};

/// Throws InvalidInput unless the bodies are sound and will meet.
void validate(const Pair& pair);

}  // namespace carom
