#pragma once

#include <vector>

#include <Eigen/Core>

#include <carom/systems/bar.hpp>

namespace carom {

class BarPairsDynamics;

/// Model 2 of paoli2007 (Sect. 2.1.2): segments joined by pairs of springs.
///   q = (x0, y0, theta_1..n, lambda_1..n).
/// mass_matrix() and force() are dense and written from the Lagrangian (1), (3), (4) body by body;
/// they are the check of the O(n) dynamics that the steppers use.
class BarPairs : public BarChain {
 public:
  using Dynamics = BarPairsDynamics;

  explicit BarPairs(const BarSettings& settings = {});
  explicit BarPairs(const BarParameters& parameters) : BarChain(parameters) {}

  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const;
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const;
  double potential_energy(const Eigen::VectorXd& q) const;
  /// Of the straight bar at rest length.
  void stiffness(const Eigen::VectorXd& q, Eigen::MatrixXd& K) const;

  MotionState at(const BarStart& start) const;
  BarModes modes(double angle) const;
  /// Tip, joints and far end of the bar, for drawing: 2 x (n + 1).
  void outline(const Eigen::VectorXd& q, Eigen::Matrix2Xd& points) const;
};

/// M^-1 of model 2 in O(n). The segments and the hemisphere are free bodies tied by one scalar
/// condition at each joint (no sliding across its axis): with D the diagonal masses of the bodies
/// and C the conditions, C D^-1 C^T is tridiagonal and diagonally dominant, so its factors are
/// positive and lose nothing.
class BarPairsDynamics {
 public:
  explicit BarPairsDynamics(const BarPairs& bar);

  void set_position(const Eigen::VectorXd& q);
  /// The shift is not used: at the steps the springs allow the iteration contracts without it.
  [[nodiscard]] bool factor(double shift = 0.0);
  void residual(double t, const Eigen::VectorXd& v, const Eigen::VectorXd& a, Eigen::VectorXd& r);
  void solve(const Eigen::VectorXd& r, Eigen::VectorXd& x);
  double kinetic_energy(const Eigen::VectorXd& v);
  double potential_energy() const;

 private:
  struct Link {
    double c, s;            // direction u of the segment
    double sx, sy;          // u_{i-1} + u_i (u_1 for the first): direction of the joint's spring
    double reach;           // l = L + lambda
    double lambda;          //
    double gamma, sine;     // 1 + cos D and sin D, D the angle at the joint
    double bow;             // 1 - cos D
    double lever;           // of the joint's condition on this body
    double pivot, factor;   // of the tridiagonal matrix
    double fx, fy, torque;  // forces, then accelerations of the body
    double rho;             // multiplier of the joint
  };
  double inertia(int i) const { return i == 0 ? p_.inertia + p_.tip_inertia : p_.inertia; }

  BarParameters p_;
  std::vector<Link> links_;
  double y0_ = 0.0;
};

}  // namespace carom
