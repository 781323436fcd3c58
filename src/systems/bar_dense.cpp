#include "bar_dense.hpp"

#include <cmath>

#include <Eigen/Eigenvalues>

namespace carom {
namespace detail {

void add_mass(const PointRow& point, double mass, Eigen::MatrixXd& M) {
  M.noalias() += mass * (point.jx * point.jx.transpose() + point.jy * point.jy.transpose());
}

void add_force(const PointRow& point, double mass, double gravity, Eigen::VectorXd& f) {
  f -= mass * (point.bias_x * point.jx + (point.bias_y + gravity) * point.jy);
}

PointRow hemisphere(const BarParameters& p, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const double h = 3.0 * p.radius / 8.0, c = std::cos(q[2]), s = std::sin(q[2]);
  PointRow row{Eigen::VectorXd::Unit(q.size(), 0), Eigen::VectorXd::Unit(q.size(), 1),
               h * v[2] * v[2] * c, h * v[2] * v[2] * s, q[1] - h * s};
  row.jx[2] = h * s;
  row.jy[2] = -h * c;
  return row;
}

void mass_matrix(const BarParameters& p, const Eigen::VectorXd& q, CentreOfSegment centre,
                 Eigen::MatrixXd& M) {
  const Eigen::VectorXd rest = Eigen::VectorXd::Zero(q.size());
  M.setZero();
  add_mass(hemisphere(p, q, rest), p.tip_mass, M);
  for (int i = 0; i < p.segments; ++i) {
    add_mass(centre(p, q, rest, i), p.mass, M);
    M(2 + i, 2 + i) += p.inertia;
  }
  M(2, 2) += p.tip_inertia;
}

BarModes vibrations(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M, int segments) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(K, M);
  BarModes modes;
  modes.frequencies = solver.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  modes.shapes = solver.eigenvectors();
  // An eigenvector has no sign: let the far end of a bending mode turn towards larger angles, and
  // the first segment of an axial one lengthen.
  for (Eigen::Index i = 0; i < modes.shapes.cols(); ++i) {
    auto shape = modes.shapes.col(i);
    const double turn = shape[1 + segments], stretch = shape[2 + segments];
    const bool bends = shape.segment(2, segments).norm() > 1e-3 * shape.tail(segments).norm();
    if ((bends ? turn : stretch) < 0.0) shape = -shape;
  }
  return modes;
}

}  // namespace detail

namespace {

/// Angles of a segment times its half length (of order 0.01 m) against extensions: in the straight
/// bar the two families decouple, so one of them is at the level of rounding.
bool is_bending(const BarModes& modes, int i) {
  const auto n = (modes.shapes.rows() - 2) / 2;
  const auto shape = modes.shapes.col(i);
  return 0.01 * shape.segment(2, n).norm() > shape.tail(n).norm();
}

int find_mode(const BarModes& modes, bool bending, int k) {
  for (int i = 3; i < modes.frequencies.size(); ++i) {
    if (is_bending(modes, i) == bending && k-- == 0) return i;
  }
  return -1;
}

}  // namespace

int BarModes::bending(int k) const { return find_mode(*this, true, k); }
int BarModes::axial(int k) const { return find_mode(*this, false, k); }

}  // namespace carom
