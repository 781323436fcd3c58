#pragma once

#include <array>

#include <carom/systems/with_gaps.hpp>

namespace carom {

/// Two uniform thin rods that hang from pivots at the same height and swing in one plane.
/// Angles count counter-clockwise from the downward vertical: the tip of rod i is at
/// P_i + L_i (sin a_i, -cos a_i), P_1 = (0, 0), P_2 = (offset, 0).  poursina2020 Sect. 6.
/// As a system with gaps q = (a_1, a_2); gap i is the signed distance of tip i from the other rod,
/// which it may touch from either side as long as it is beside it (TipContact).
struct PendulumRods {
  std::array<double, 2> masses;   ///< [kg], > 0
  std::array<double, 2> lengths;  ///< [m], > 0
  double offset;                  ///< of the second pivot along x [m], either sign, not 0
  double gravity = 9.81;          ///< [m/s^2], >= 0

  bool operator==(const PendulumRods&) const = default;

  double inertia(int rod) const noexcept {
    return masses[rod] * lengths[rod] * lengths[rod] / 3;  // about the pivot [kg m^2]
  }

  int coordinates() const { return 2; }
  int contacts() const { return 2; }
  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const;
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const;
  double potential_energy(const Eigen::VectorXd& q) const;
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const;
  void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const;
  bool can_touch(int contact, const Eigen::VectorXd& q) const;
  bool two_sided(int /*contact*/) const { return true; }
};

/// Throws InvalidInput unless the parameters are in their allowed range.
void validate(const PendulumRods& rods);

struct PendulumState {
  std::array<double, 2> angles;              ///< [rad]
  std::array<double, 2> rates = {0.0, 0.0};  ///< [rad/s]
};

/// Kinetic and gravitational energy [J]; zero at rest with both rods hanging down.
double energy(const PendulumRods& rods, const PendulumState& state) noexcept;

/// Angular accelerations when the torques `contact` act together with gravity [rad/s^2].
std::array<double, 2> accelerations(const PendulumRods& rods, const std::array<double, 2>& angles,
                                    const std::array<double, 2>& contact) noexcept;

/// Where the tip of one rod is as seen from the other, which it may touch from either side.
struct TipContact {
  double distance;  ///< signed, along the normal (cos a, sin a) of the rod [m]
  double along;     ///< from the rod's pivot [m]; it can touch for 0 < along < length
  std::array<double, 2> gradient;  ///< of the distance by the two angles [m]
  bool facing;                     ///< 0 < along < length

  double rate(const std::array<double, 2>& rates) const noexcept {
    return gradient[0] * rates[0] + gradient[1] * rates[1];
  }
};
TipContact tip_contact(const PendulumRods& rods, const std::array<double, 2>& angles,
                       int tip) noexcept;

/// 1/(J I^-1 J^T) for a contact along `gradient` [kg].
double effective_mass(const PendulumRods& rods, const std::array<double, 2>& gradient) noexcept;

}  // namespace carom
