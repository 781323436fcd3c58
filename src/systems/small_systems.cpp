#include <cmath>

#include <carom/systems/small_systems.hpp>

namespace carom {

static_assert(SystemWithGaps<BouncingPoint>);
static_assert(SystemWithGaps<BallColumn>);
static_assert(SystemWithGaps<RockingBlock>);

void BouncingPoint::mass_matrix(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& M) const {
  M(0, 0) = mass;
}
void BouncingPoint::force(double /*t*/, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& /*v*/,
                          Eigen::VectorXd& f) const {
  f[0] = -mass * gravity;
}
double BouncingPoint::potential_energy(const Eigen::VectorXd& q) const {
  return mass * gravity * q[0];
}
void BouncingPoint::gaps(double /*t*/, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
  g[0] = q[0];
}
void BouncingPoint::gap_gradients(double /*t*/, const Eigen::VectorXd& /*q*/,
                                  Eigen::MatrixXd& G) const {
  G(0, 0) = 1.0;
}

void BallColumn::mass_matrix(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& M) const {
  M.setZero();
  M.diagonal() = masses;
}
void BallColumn::force(double /*t*/, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& /*v*/,
                       Eigen::VectorXd& f) const {
  f = -gravity * masses;
}
double BallColumn::potential_energy(const Eigen::VectorXd& q) const {
  return gravity * masses.dot(q);
}
void BallColumn::gaps(double /*t*/, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
  g[0] = q[0] - radius;
  for (Eigen::Index i = 1; i < q.size(); ++i) g[i] = q[i] - q[i - 1] - 2.0 * radius;
}
void BallColumn::gap_gradients(double /*t*/, const Eigen::VectorXd& /*q*/,
                               Eigen::MatrixXd& G) const {
  G.setIdentity();
  for (Eigen::Index i = 1; i < masses.size(); ++i) G(i, i - 1) = -1.0;
}

void RockingBlock::mass_matrix(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& M) const {
  M.setZero();
  M(0, 0) = M(1, 1) = mass;
  M(2, 2) = inertia();
}
void RockingBlock::force(double /*t*/, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& /*v*/,
                         Eigen::VectorXd& f) const {
  f.setZero();
  f[1] = -mass * gravity;
}
double RockingBlock::potential_energy(const Eigen::VectorXd& q) const {
  return mass * gravity * q[1];
}
// Corner at (-+width/2, -height/2) of the body: its height is y -+ (w/2) sin a - (h/2) cos a.
void RockingBlock::gaps(double /*t*/, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
  const double drop = 0.5 * height * std::cos(q[2]), swing = 0.5 * width * std::sin(q[2]);
  g[0] = q[1] - swing - drop;
  g[1] = q[1] + swing - drop;
}
void RockingBlock::gap_gradients(double /*t*/, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const {
  const double drop = 0.5 * height * std::sin(q[2]), swing = 0.5 * width * std::cos(q[2]);
  G << 0.0, 1.0, drop - swing, 0.0, 1.0, drop + swing;
}

}  // namespace carom
