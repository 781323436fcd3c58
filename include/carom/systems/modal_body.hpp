#pragma once

#include <vector>

#include <Eigen/Core>

namespace carom {

/// One mode of a linear structure: m (q'' + 2 sigma q' + omega^2 q) = f, omega = 2 pi frequency.
/// The free amplitude decays as exp(-sigma t) and oscillates at sqrt(omega^2 - sigma^2).
struct Mode {
  double frequency;      ///< undamped, omega/(2 pi) [Hz], >= 0; 0 is a rigid-body mode
  double damping = 0.0;  ///< sigma [1/s], >= 0; above omega the mode is overdamped
  double mass = 1.0;     ///< integral of density times shape^2, > 0; [kg] if shapes have no unit

  bool operator==(const Mode&) const = default;
};

/// One row per point, one column per mode. Row-major: the shapes at one point are contiguous.
using ShapeMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A linear structure as measurement and finite elements give it: a table of modes, and the value
/// of each mode's shape at the points of interest. The displacement of point i is
/// u_i = sum_j shapes(i, j) q_j; a force f at point i drives mode j with shapes(i, j) f.
/// Shapes and modal masses share one normalisation, which is free: phi -> a phi goes with
/// m -> a^2 m and q -> q/a.
struct ModalBody {
  std::vector<Mode> modes = {};
  ShapeMatrix shapes = {};  ///< points x modes

  Eigen::Index mode_count() const noexcept { return static_cast<Eigen::Index>(modes.size()); }
  Eigen::Index point_count() const noexcept { return shapes.rows(); }
};

/// Throws InvalidInput unless there is at least one mode, every mode is in its allowed range and
/// the shapes are finite and fit the modes.
void validate(const ModalBody& body);

/// Position and velocity of every mode.
struct ModalState {
  Eigen::VectorXd position = {};  ///< q
  Eigen::VectorXd velocity = {};  ///< dq/dt
};

/// sum_j m_j (v_j^2 + omega_j^2 q_j^2)/2 [J].
double energy(const ModalBody& body, const ModalState& state);

/// The exact free motion of one mode over a time t: (q, v) at t from (q, v) at 0. Holds for under-,
/// critically and overdamped modes and for rigid-body modes.
struct ModePropagator {
  double q_from_q, q_from_v;  ///< [1], [s]
  double v_from_q, v_from_v;  ///< [1/s], [1]
};
ModePropagator free_motion(const Mode& mode, double time);

/// The free motion of all modes over a time t [s], >= 0.
ModalState free_motion(const ModalBody& body, const ModalState& state, double time);

/// Adds a free rigid body [kg] to a structure: one more mode, of frequency zero, that no point of
/// the structure takes part in. Give a contact the shape -1 in it and a hammer strikes there.
void add_rigid_body(ModalBody& body, double mass);

}  // namespace carom
