#pragma once

#include <Eigen/Core>

#include <carom/systems/bar.hpp>

namespace carom::detail {

/// One point mass of a bar seen from the coordinates: velocity J v, acceleration J a + bias.
struct PointRow {
  Eigen::VectorXd jx, jy;
  double bias_x = 0.0, bias_y = 0.0;
  double height = 0.0;
};

/// Adds m (Jx Jx^T + Jy Jy^T) to M.
void add_mass(const PointRow& point, double mass, Eigen::MatrixXd& M);
/// Subtracts m J^T (bias + g e_y) from f.
void add_force(const PointRow& point, double mass, double gravity, Eigen::VectorXd& f);
/// The centre of mass of the hemisphere: (x0, y0) - 3R/8 u_1.
PointRow hemisphere(const BarParameters& p, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

/// Where the centre of segment i is and how it moves.
using CentreOfSegment = PointRow (*)(const BarParameters& p, const Eigen::VectorXd& q,
                                     const Eigen::VectorXd& v, int i);
/// The mass matrix of hemisphere and segments, body by body.
void mass_matrix(const BarParameters& p, const Eigen::VectorXd& q, CentreOfSegment centre,
                 Eigen::MatrixXd& M);

/// Free vibrations from K and M; tells bending from axial modes by the share of the angles.
BarModes vibrations(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M, int segments);
template <class Bar>
BarModes modes(const Bar& bar, double angle) {
  const MotionState state = bar.at({.angle = angle});
  Eigen::MatrixXd M(state.q.size(), state.q.size()), K(M);
  bar.mass_matrix(state.q, M);
  bar.stiffness(state.q, K);
  return vibrations(K, M, bar.parameters().segments);
}

}  // namespace carom::detail
