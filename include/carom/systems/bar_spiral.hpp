#pragma once

#include <vector>

#include <Eigen/Core>

#include <carom/systems/bar.hpp>

namespace carom {

class BarSpiralDynamics;

/// Model 1 of paoli2007 (Sect. 2.1.1): segments joined by spiral springs and extensible halves.
///   q = (x0, y0, theta_1..n, xi_1..n).
/// mass_matrix() and force() are dense and written from the Lagrangian (1), (2) body by body; they
/// are the check of the O(n) dynamics that the steppers use.
class BarSpiral : public BarChain {
 public:
  using Dynamics = BarSpiralDynamics;

  explicit BarSpiral(const BarSettings& settings = {});
  explicit BarSpiral(const BarParameters& parameters) : BarChain(parameters) {}

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

/// M^-1 of model 1 in O(n). Seen from its base P (the centre of the hemisphere, then each joint)
/// the outer chain is a quadratic form of the acceleration of P, a 2x2 matrix A found from the far
/// end inwards. Each A is built as a sum of squares (Joseph's form): the plain recursion m + A - C
/// Q^-1 C subtracts equal numbers, since along its axis the chain has no inertia at all (every
/// half-segment can yield), and loses all digits at n = 50.
class BarSpiralDynamics {
 public:
  explicit BarSpiralDynamics(const BarSpiral& bar);

  void set_position(const Eigen::VectorXd& q);
  /// M + shift diag(K_xi): the axial springs, which set the highest frequency, are taken along.
  [[nodiscard]] bool factor(double shift = 0.0);
  void residual(double t, const Eigen::VectorXd& v, const Eigen::VectorXd& a, Eigen::VectorXd& r);
  void solve(const Eigen::VectorXd& r, Eigen::VectorXd& x);
  double kinetic_energy(const Eigen::VectorXd& v);
  double potential_energy() const;

 private:
  struct Link {
    double c, s;                // direction u of the segment
    double xi, strain;          // xi and xi - L
    double qxx, qxy, qyy;       // Q^-1
    double cxx, cxy, cyy;       // C
    double kxx, kxy, kyx, kyy;  // K = Q^-1 C
    double x, y;                // scratch of the passes
  };
  BarParameters p_;
  std::vector<Link> links_;
  std::vector<double> theta_;
  double y0_ = 0.0;
  double axx_ = 1.0, axy_ = 0.0, ayy_ = 1.0;  // inverse of the root's matrix
};

}  // namespace carom
