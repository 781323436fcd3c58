#pragma once

#include <Eigen/Core>

#include <carom/systems/with_gaps.hpp>

namespace carom {

/// A point above a floor: q = (height).
struct BouncingPoint {
  double mass = 1.0;      ///< [kg], > 0
  double gravity = 9.81;  ///< [m/s^2]

  int coordinates() const { return 1; }
  int contacts() const { return 1; }
  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const;
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const;
  double potential_energy(const Eigen::VectorXd& q) const;
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const;
  void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const;
};

/// Balls above one another on a floor: q = heights of the centres, lowest first. The gaps: floor to
/// first ball, first to second, ...
struct BallColumn {
  Eigen::VectorXd masses;  ///< [kg], > 0 each
  double radius = 0.01;    ///< [m], of every ball, >= 0
  double gravity = 9.81;   ///< [m/s^2]

  int coordinates() const { return static_cast<int>(masses.size()); }
  int contacts() const { return static_cast<int>(masses.size()); }
  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const;
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const;
  double potential_energy(const Eigen::VectorXd& q) const;
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const;
  void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const;
};

/// A rectangular block over a frictionless floor, in the plane: q = (x, y of the centre, angle).
/// The two lower corners can touch; their gaps are not linear in the angle.
struct RockingBlock {
  double mass = 1.0;      ///< [kg], > 0
  double width = 0.1;     ///< [m], > 0
  double height = 0.3;    ///< [m], > 0
  double gravity = 9.81;  ///< [m/s^2]

  /// About the centre [kg m^2].
  double inertia() const { return mass * (width * width + height * height) / 12.0; }

  int coordinates() const { return 3; }
  int contacts() const { return 2; }
  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const;
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const;
  double potential_energy(const Eigen::VectorXd& q) const;
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const;
  void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const;
};

}  // namespace carom
