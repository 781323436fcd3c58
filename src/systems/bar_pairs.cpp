#include <cmath>

#include <carom/systems/bar_pairs.hpp>

#include "bar_dense.hpp"

namespace carom {
namespace {

static_assert(SystemWithGaps<BarPairs>);

/// Centre of segment i: x0 + sum_{j<i} (2L + lambda_j + lambda_{j+1}) u_j + (L + lambda_i) u_i.
detail::PointRow pairs_centre(const BarParameters& p, const Eigen::VectorXd& q,
                              const Eigen::VectorXd& v, int i) {
  const int n = p.segments;
  detail::PointRow row{Eigen::VectorXd::Unit(q.size(), 0), Eigen::VectorXd::Unit(q.size(), 1), 0.0,
                       0.0, q[1]};
  for (int j = 0; j <= i; ++j) {
    const double c = std::cos(q[2 + j]), s = std::sin(q[2 + j]), turn = v[2 + j];
    double length = p.half_length + q[2 + n + j], rate = v[2 + n + j];
    if (j < i) {
      length += p.half_length + q[3 + n + j];
      rate += v[3 + n + j];
      row.jx[3 + n + j] += c;
      row.jy[3 + n + j] += s;
    }
    row.jx[2 + n + j] += c;
    row.jy[2 + n + j] += s;
    row.jx[2 + j] = -length * s;
    row.jy[2 + j] = length * c;
    row.bias_x += -2.0 * rate * turn * s - length * turn * turn * c;
    row.bias_y += 2.0 * rate * turn * c - length * turn * turn * s;
    row.height += length * s;
  }
  return row;
}

}  // namespace

BarPairs::BarPairs(const BarSettings& settings) : BarChain(pairs_parameters(settings)) {}

void BarPairs::mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const {
  detail::mass_matrix(p_, q, pairs_centre, M);
}

void BarPairs::force(double /*t*/, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                     Eigen::VectorXd& f) const {
  const int n = p_.segments;
  const double k = p_.stiffness, quarter = p_.offset * p_.offset / 4.0;
  f.setZero();
  detail::add_force(detail::hemisphere(p_, q, v), p_.tip_mass, p_.gravity, f);
  for (int i = 0; i < n; ++i) {
    detail::add_force(pairs_centre(p_, q, v, i), p_.mass, p_.gravity, f);
    const double lambda = q[2 + n + i];
    if (i == 0) {
      f[2 + n] -= k * lambda;
      continue;
    }
    const double bend = q[2 + i] - q[1 + i];
    const double moment = 2.0 * k * std::sin(bend) * (lambda * lambda - quarter);
    f[2 + n + i] -= 4.0 * k * lambda * (1.0 + std::cos(bend));
    f[2 + i] += moment;
    f[1 + i] -= moment;
  }
}

double BarPairs::potential_energy(const Eigen::VectorXd& q) const {
  BarPairsDynamics dynamics(*this);
  dynamics.set_position(q);
  return dynamics.potential_energy();
}

void BarPairs::stiffness(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& K) const {
  const int n = p_.segments;
  K.setZero();
  for (int i = 0; i < n; ++i) {
    K(2 + n + i, 2 + n + i) = (i == 0 ? 1.0 : 8.0) * p_.stiffness;
    if (i == 0) continue;
    K(2 + i, 2 + i) += p_.bending;
    K(1 + i, 1 + i) += p_.bending;
    K(2 + i, 1 + i) = K(1 + i, 2 + i) = -p_.bending;
  }
}

MotionState BarPairs::at(const BarStart& start) const { return straight(start, 0.0); }

BarModes BarPairs::modes(double angle) const { return detail::modes(*this, angle); }

void BarPairs::outline(const Eigen::VectorXd& q, Eigen::Matrix2Xd& points) const {
  const int n = p_.segments;
  points.resize(2, n + 1);
  points.col(0) << q[0], q[1];
  for (int i = 0; i < n; ++i) {
    const double beyond = i + 1 < n ? q[3 + n + i] : 0.0;
    const double length = 2.0 * p_.half_length + q[2 + n + i] + beyond;
    points.col(i + 1) =
        points.col(i) + length * Eigen::Vector2d(std::cos(q[2 + i]), std::sin(q[2 + i]));
  }
}

BarPairsDynamics::BarPairsDynamics(const BarPairs& bar)
    : p_(bar.parameters()), links_(static_cast<std::size_t>(p_.segments)) {}

void BarPairsDynamics::set_position(const Eigen::VectorXd& q) {
  const int n = p_.segments;
  y0_ = q[1];
  for (int i = 0; i < n; ++i) {
    Link& l = links_[static_cast<std::size_t>(i)];
    l.c = std::cos(q[2 + i]);
    l.s = std::sin(q[2 + i]);
    l.lambda = q[2 + n + i];
    l.reach = p_.half_length + l.lambda;
  }
  Link& first = links_.front();
  first.sx = first.c;
  first.sy = first.s;
  first.lever = first.reach + 3.0 * p_.radius / 8.0;
  first.gamma = first.sine = first.bow = 0.0;
  for (int i = 1; i < n; ++i) {
    const Link& in = links_[static_cast<std::size_t>(i - 1)];
    Link& l = links_[static_cast<std::size_t>(i)];
    l.sx = in.c + l.c;
    l.sy = in.s + l.s;
    l.gamma = 1.0 + (in.c * l.c + in.s * l.s);
    l.sine = in.c * l.s - in.s * l.c;
    // 1 - cos D = |u_i - u_{i-1}|^2/2 keeps its digits for small angles.
    const double dx = l.c - in.c, dy = l.s - in.s;
    l.bow = 0.5 * (dx * dx + dy * dy);
    l.lever = l.reach * l.gamma;
  }
}

/// Condition of joint i on the bodies next to it, W = (centre, angle) their velocities:
///   t.(c_i' - c_{i-1}') - lever (theta_i' + theta_{i-1}') = 0,   t = (-sy, sx),
/// for the first t.(c_1' - c_G') - lever theta_1' = 0. The matrix S = C D^-1 C^T couples
/// neighbours.
bool BarPairsDynamics::factor(double /*shift*/) {
  const int n = p_.segments;
  const double per_mass = 1.0 / p_.mass;
  for (int i = 0; i < n; ++i) {
    Link& l = links_[static_cast<std::size_t>(i)];
    double diagonal = 0.0;
    l.factor = 0.0;
    if (i == 0) {
      diagonal = per_mass + 1.0 / p_.tip_mass + l.lever * l.lever / inertia(0);
    } else {
      const Link& in = links_[static_cast<std::size_t>(i - 1)];
      const double per_inertia = 1.0 / p_.inertia,
                   per_inner = i == 1 ? 1.0 / inertia(0) : per_inertia;
      diagonal = 4.0 * l.gamma * per_mass + l.lever * l.lever * (per_inertia + per_inner);
      const double off_diagonal =
          in.lever * l.lever * per_inner - (in.sx * l.sx + in.sy * l.sy) * per_mass;
      l.factor = off_diagonal / in.pivot;
      diagonal -= l.factor * off_diagonal;
    }
    if (!(diagonal > 0.0)) return false;
    l.pivot = diagonal;
  }
  return true;
}

void BarPairsDynamics::solve(const Eigen::VectorXd& r, Eigen::VectorXd& x) {
  const int n = p_.segments;
  const double h = 3.0 * p_.radius / 8.0, per_mass = 1.0 / p_.mass;
  Link& first = links_.front();
  // Generalised forces as forces on the bodies: a joint's spring pulls its two bodies along s.
  double gx = r[0] - r[2 + n] * first.c, gy = r[1] - r[2 + n] * first.s;
  first.fx = r[2 + n] * first.c;
  first.fy = r[2 + n] * first.s;
  first.torque = r[2] + h * (first.c * r[1] - first.s * r[0]);
  for (int i = 1; i < n; ++i) {
    Link& in = links_[static_cast<std::size_t>(i - 1)];
    Link& l = links_[static_cast<std::size_t>(i)];
    const double pull = r[2 + n + i] / (2.0 * l.gamma);
    const double twist = pull * l.reach * l.sine;
    in.fx -= pull * l.sx;
    in.fy -= pull * l.sy;
    in.torque -= twist;
    l.fx = pull * l.sx;
    l.fy = pull * l.sy;
    l.torque = r[2 + i] + twist;
  }
  // Accelerations of the free bodies.
  gx /= p_.tip_mass;
  gy /= p_.tip_mass;
  const double per_inertia = 1.0 / p_.inertia, per_first = 1.0 / inertia(0);
  for (int i = 0; i < n; ++i) {
    Link& l = links_[static_cast<std::size_t>(i)];
    l.fx *= per_mass;
    l.fy *= per_mass;
    l.torque *= i == 0 ? per_first : per_inertia;
  }
  // S rho = -(how much they break the conditions), forward then back.
  first.rho = -(first.c * (first.fy - gy) - first.s * (first.fx - gx) - first.lever * first.torque);
  for (int i = 1; i < n; ++i) {
    const Link& in = links_[static_cast<std::size_t>(i - 1)];
    Link& l = links_[static_cast<std::size_t>(i)];
    l.rho = -(l.sx * (l.fy - in.fy) - l.sy * (l.fx - in.fx) - l.lever * (l.torque + in.torque)) -
            l.factor * in.rho;
  }
  for (int i = n - 1; i >= 0; --i) {
    Link& l = links_[static_cast<std::size_t>(i)];
    l.rho /= l.pivot;
    if (i + 1 < n) {
      const Link& out = links_[static_cast<std::size_t>(i) + 1];
      l.rho -= out.factor * out.rho;
    }
  }
  gx += first.rho * first.s / p_.tip_mass;
  gy -= first.rho * first.c / p_.tip_mass;
  for (int i = 0; i < n; ++i) {
    Link& l = links_[static_cast<std::size_t>(i)];
    double fx = -l.rho * l.sy, fy = l.rho * l.sx, torque = -l.rho * l.lever;
    if (i + 1 < n) {
      const Link& out = links_[static_cast<std::size_t>(i) + 1];
      fx += out.rho * out.sy;
      fy -= out.rho * out.sx;
      torque -= out.rho * out.lever;
    }
    l.fx += fx * per_mass;
    l.fy += fy * per_mass;
    l.torque += torque * (i == 0 ? per_first : per_inertia);
  }
  x[0] = gx - h * first.torque * first.s;
  x[1] = gy + h * first.torque * first.c;
  x[2] = first.torque;
  x[2 + n] = first.c * (first.fx - gx) + first.s * (first.fy - gy);
  for (int i = 1; i < n; ++i) {
    const Link& in = links_[static_cast<std::size_t>(i - 1)];
    const Link& l = links_[static_cast<std::size_t>(i)];
    x[2 + i] = l.torque;
    x[2 + n + i] = (l.sx * (l.fx - in.fx) + l.sy * (l.fy - in.fy) +
                    l.reach * l.sine * (l.torque - in.torque)) /
                   (2.0 * l.gamma);
  }
}

void BarPairsDynamics::residual(double /*t*/, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                                Eigen::VectorXd& r) {
  const int n = p_.segments;
  const double h = 3.0 * p_.radius / 8.0, m = p_.mass, k = p_.stiffness;
  const double quarter = p_.offset * p_.offset / 4.0;
  const Link& first = links_.front();
  // Gravity as an acceleration of the ground.
  double px = a[0], py = a[1] + p_.gravity;
  const double spin = h * v[2] * v[2];
  const double gx = p_.tip_mass * (px + h * a[2] * first.s + spin * first.c);
  const double gy = p_.tip_mass * (py - h * a[2] * first.c + spin * first.s);
  double in_x = 0.0, in_y = 0.0;  // the same for u_{i-1}
  for (int i = 0; i < n; ++i) {
    Link& l = links_[static_cast<std::size_t>(i)];
    const double turn = v[2 + i], rate = v[2 + n + i];
    // (L + lambda) times the acceleration of u_i, plus twice the rate times its velocity.
    const double tangential = l.reach * a[2 + i] + 2.0 * rate * turn,
                 radial = l.reach * turn * turn;
    px += a[2 + n + i] * l.sx - tangential * l.s - radial * l.c + in_x;
    py += a[2 + n + i] * l.sy + tangential * l.c - radial * l.s + in_y;
    l.fx = m * px;
    l.fy = m * py;
    if (i + 1 < n) {
      const Link& out = links_[static_cast<std::size_t>(i) + 1];
      const double t = out.reach * a[2 + i] + 2.0 * v[3 + n + i] * turn,
                   q = out.reach * turn * turn;
      in_x = -t * l.s - q * l.c;
      in_y = t * l.c - q * l.s;
    }
  }
  double tx = 0.0, ty = 0.0, outer = 0.0;  // forces of all bodies further out, and their moment
  for (int i = n - 1; i >= 0; --i) {
    const Link& l = links_[static_cast<std::size_t>(i)];
    tx += l.fx;
    ty += l.fy;
    const double across = l.c * ty - l.s * tx;
    const double moment = 2.0 * k * l.sine * (l.lambda * l.lambda - quarter);
    r[2 + n + i] = -(l.sx * tx + l.sy * ty) - (i == 0 ? k : 4.0 * k * l.gamma) * l.lambda;
    r[2 + i] = outer - l.reach * across - p_.inertia * a[2 + i] + (i == 0 ? 0.0 : moment);
    if (i > 0) {
      const Link& in = links_[static_cast<std::size_t>(i - 1)];
      outer = -l.reach * (in.c * ty - in.s * tx) - moment;
    }
  }
  r[2] += h * (first.c * gy - first.s * gx) - p_.tip_inertia * a[2];
  r[0] = -(gx + tx);
  r[1] = -(gy + ty);
}

double BarPairsDynamics::kinetic_energy(const Eigen::VectorXd& v) {
  const int n = p_.segments;
  const double h = 3.0 * p_.radius / 8.0;
  const Link& first = links_.front();
  double px = v[0], py = v[1];
  const double gx = px + h * v[2] * first.s, gy = py - h * v[2] * first.c;
  double linear = 0.0, turning = 0.0;
  for (int i = 0; i < n; ++i) {
    const Link& l = links_[static_cast<std::size_t>(i)];
    const double rate = v[2 + n + i], swing = l.reach * v[2 + i];
    px += rate * l.sx - swing * l.s;
    py += rate * l.sy + swing * l.c;
    if (i > 0) {
      const Link& in = links_[static_cast<std::size_t>(i - 1)];
      px -= l.reach * v[1 + i] * in.s;
      py += l.reach * v[1 + i] * in.c;
    }
    linear += px * px + py * py;
    turning += v[2 + i] * v[2 + i];
  }
  return 0.5 * (p_.tip_mass * (gx * gx + gy * gy) + p_.mass * linear + p_.inertia * turning +
                p_.tip_inertia * v[2] * v[2]);
}

double BarPairsDynamics::potential_energy() const {
  const int n = p_.segments;
  const double quarter = p_.offset * p_.offset / 4.0;
  double y = y0_, heights = 0.0, springs = 0.0;
  for (int i = 0; i < n; ++i) {
    const Link& l = links_[static_cast<std::size_t>(i)];
    y += l.reach * l.sy;
    heights += y;
    springs += i == 0 ? 0.5 * l.lambda * l.lambda
                      : 2.0 * (l.lambda * l.lambda * l.gamma + quarter * l.bow);
  }
  const double tip = y0_ - 3.0 * p_.radius / 8.0 * links_.front().s;
  return p_.gravity * (p_.tip_mass * tip + p_.mass * heights) + p_.stiffness * springs;
}

}  // namespace carom
