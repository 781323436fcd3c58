#pragma once

#include <Eigen/Core>

#include <carom/systems/with_gaps.hpp>

namespace carom {

/// The moment of inertia J of the hemisphere at the tip.
enum class BarInertia {
  as_printed,  ///< 2/5 mu R^2, about the centre of the sphere; counts mu (3R/8)^2 twice
  consistent,  ///< 83/320 mu R^2, about the centre of mass, which the kinetic energy asks for
};

/// The stiffness of the springs between segments.
enum class BarStiffness {
  as_printed,  ///< with the factors (n-1)(3n-1)/(3n^2), (n-1)(7n-5)/(7n^2) of paoli2007
  limit,       ///< their limit 1: E A and E I of the continuous bar for every n
};

/// A slender cylindrical bar with a hemispherical tip, cut into rigid segments joined by springs,
/// over a rigid floor: paoli2007 Sect. 2. The defaults are the bar of the paper (Table 1; gravity
/// and layout as recovered from its energies).
struct BarSettings {
  int segments = 9;          ///< n, 2..1000
  double length = 0.2;       ///< [m], hemisphere included, > radius
  double radius = 0.00635;   ///< R [m], > 0
  double density = 7876.74;  ///< [kg/m^3], > 0
  double young = 2.1e11;     ///< E [Pa], > 0
  double gravity = 9.81;     ///< [m/s^2]
  BarInertia inertia = BarInertia::as_printed;
  BarStiffness stiffness = BarStiffness::as_printed;

  bool operator==(const BarSettings&) const = default;
};

/// Throws InvalidInput.
void validate(const BarSettings& settings);

/// What the Lagrangian needs, paoli2007 Sect. 2.1.3.
struct BarParameters {
  int segments;        ///< n
  double half_length;  ///< L [m], of a segment
  double radius;       ///< R [m]
  double mass;         ///< m [kg], of a segment
  double tip_mass;     ///< mu [kg], of the hemisphere
  double inertia;      ///< I [kg m^2], of a segment about its centre
  double tip_inertia;  ///< J [kg m^2]
  double stiffness;    ///< k [N/m]
  double bending;      ///< Gamma [N m] (model 1; k a^2/2 in model 2)
  double offset;       ///< a [m], distance of a pair of springs (model 2)
  double gravity;      ///< [m/s^2]

  double total_mass() const { return tip_mass + segments * mass; }  ///< [kg]
};

BarParameters spiral_parameters(const BarSettings& settings);  ///< model 1
BarParameters pairs_parameters(const BarSettings& settings);   ///< model 2

/// The bar as it is dropped: straight, at rest length, moving as one.
struct BarStart {
  double angle = 1.5707963267948966;  ///< from the horizontal [rad]
  double height = 0.01;               ///< of the centre of the hemisphere [m]
  double speed = 1.0;                 ///< downward [m/s]
};

/// Vibrations of small amplitude of the free straight bar, without gravity: rigid motions first.
struct BarModes {
  Eigen::VectorXd frequencies;  ///< omega [rad/s], ascending; the first three are rigid motions
  Eigen::MatrixXd shapes;       ///< columns, s^T M s = 1
  /// Index of the k-th (0, 1, ...) bending or axial mode; -1 if there is none.
  int bending(int k) const;
  int axial(int k) const;
};

/// What both models of the bar have in common:  q = (x0, y0, theta_1..n, extensions_1..n), one gap
/// y0 - R.
class BarChain {
 public:
  int coordinates() const { return 2 * p_.segments + 2; }
  int contacts() const { return 1; }
  void gaps(double /*t*/, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
    g[0] = q[1] - p_.radius;
  }
  void gap_gradients(double /*t*/, const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& G) const {
    G.setZero();
    G(0, 1) = 1.0;
  }
  const BarParameters& parameters() const { return p_; }

 protected:
  explicit BarChain(const BarParameters& parameters) : p_(parameters) {}
  /// Straight and moving as one, with these extensions.
  MotionState straight(const BarStart& start, double extension) const;

  BarParameters p_;
};

/// Adds a vibration along `shape` (s^T M s = 1) with frequency omega to a motion:
///   q += A cos(phase) s,   v -= A omega sin(phase) s,   A^2 omega^2/2 = energy.
/// paoli2007 Sect. 5.4, where the sign of the shape and the phase convention are not stated.
void excite(MotionState& state, const Eigen::VectorXd& shape, double omega, double energy,
            double phase);

}  // namespace carom
