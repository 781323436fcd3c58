#include <cmath>

#include <carom/systems/bar_spiral.hpp>

#include "bar_dense.hpp"

namespace carom {
namespace {

static_assert(SystemWithGaps<BarSpiral>);

/// Centre of segment i: x0 + 2 sum_{j<i} xi_j u_j + xi_i u_i.
detail::PointRow spiral_centre(const BarParameters& p, const Eigen::VectorXd& q,
                               const Eigen::VectorXd& v, int i) {
  const int n = p.segments;
  detail::PointRow row{Eigen::VectorXd::Unit(q.size(), 0), Eigen::VectorXd::Unit(q.size(), 1), 0.0,
                       0.0, q[1]};
  for (int j = 0; j <= i; ++j) {
    const double weight = j < i ? 2.0 : 1.0, c = std::cos(q[2 + j]), s = std::sin(q[2 + j]);
    const double xi = q[2 + n + j], turn = v[2 + j], stretch = v[2 + n + j];
    row.jx[2 + j] = -weight * xi * s;
    row.jy[2 + j] = weight * xi * c;
    row.jx[2 + n + j] = weight * c;
    row.jy[2 + n + j] = weight * s;
    row.bias_x += weight * (-2.0 * stretch * turn * s - xi * turn * turn * c);
    row.bias_y += weight * (2.0 * stretch * turn * c - xi * turn * turn * s);
    row.height += weight * xi * s;
  }
  return row;
}

}  // namespace

BarSpiral::BarSpiral(const BarSettings& settings) : BarChain(spiral_parameters(settings)) {}

void BarSpiral::mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const {
  detail::mass_matrix(p_, q, spiral_centre, M);
}

void BarSpiral::force(double /*t*/, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                      Eigen::VectorXd& f) const {
  const int n = p_.segments;
  f.setZero();
  detail::add_force(detail::hemisphere(p_, q, v), p_.tip_mass, p_.gravity, f);
  for (int i = 0; i < n; ++i) {
    detail::add_force(spiral_centre(p_, q, v, i), p_.mass, p_.gravity, f);
    f[2 + n + i] -= (i + 1 < n ? 2.0 : 1.0) * p_.stiffness * (q[2 + n + i] - p_.half_length);
    if (i + 1 < n) {
      const double moment = p_.bending * (q[2 + i] - q[3 + i]);
      f[2 + i] -= moment;
      f[3 + i] += moment;
    }
  }
}

double BarSpiral::potential_energy(const Eigen::VectorXd& q) const {
  BarSpiralDynamics dynamics(*this);
  dynamics.set_position(q);
  return dynamics.potential_energy();
}

void BarSpiral::stiffness(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& K) const {
  const int n = p_.segments;
  K.setZero();
  for (int i = 0; i < n; ++i) {
    K(2 + n + i, 2 + n + i) = (i + 1 < n ? 2.0 : 1.0) * p_.stiffness;
    if (i + 1 == n) continue;
    K(2 + i, 2 + i) += p_.bending;
    K(3 + i, 3 + i) += p_.bending;
    K(2 + i, 3 + i) = K(3 + i, 2 + i) = -p_.bending;
  }
}

MotionState BarSpiral::at(const BarStart& start) const { return straight(start, p_.half_length); }

BarModes BarSpiral::modes(double angle) const { return detail::modes(*this, angle); }

void BarSpiral::outline(const Eigen::VectorXd& q, Eigen::Matrix2Xd& points) const {
  const int n = p_.segments;
  points.resize(2, n + 1);
  points.col(0) << q[0], q[1];
  for (int i = 0; i < n; ++i) {
    // The last segment has a spring on one side only: its rigid half is L.
    const double length = q[2 + n + i] + (i + 1 < n ? q[2 + n + i] : p_.half_length);
    points.col(i + 1) =
        points.col(i) + length * Eigen::Vector2d(std::cos(q[2 + i]), std::sin(q[2 + i]));
  }
}

BarSpiralDynamics::BarSpiralDynamics(const BarSpiral& bar)
    : p_(bar.parameters()),
      links_(static_cast<std::size_t>(p_.segments)),
      theta_(static_cast<std::size_t>(p_.segments)) {}

void BarSpiralDynamics::set_position(const Eigen::VectorXd& q) {
  const int n = p_.segments;
  y0_ = q[1];
  for (int i = 0; i < n; ++i) {
    Link& link = links_[static_cast<std::size_t>(i)];
    theta_[static_cast<std::size_t>(i)] = q[2 + i];
    link.c = std::cos(q[2 + i]);
    link.s = std::sin(q[2 + i]);
    link.xi = q[2 + n + i];
    link.strain = q[2 + n + i] - p_.half_length;
  }
}

/// From the far end inwards: the cost of moving the base of a link with acceleration V is
///   min_Y  m/2 |V + Y|^2 + Y.D Y/2 + (V + 2 Y).A (V + 2 Y)/2,
/// Y = xi'' u + xi theta'' n the acceleration of its centre against the base, D = shift K_xi u u^T
/// + I/xi^2 n n^T, A the cost of the links beyond. With Q = m + D + 4 A and C = m + 2 A the minimum
/// is at Y = -K V, K = Q^-1 C, and its value is the sum of the three squares at that Y.
bool BarSpiralDynamics::factor(double shift) {
  const int n = p_.segments;
  const double m = p_.mass;
  double axx = 0.0, axy = 0.0, ayy = 0.0;
  for (int i = n - 1; i >= 0; --i) {
    Link& l = links_[static_cast<std::size_t>(i)];
    const double along = shift * p_.stiffness * (i + 1 < n ? 2.0 : 1.0);
    // The hemisphere turns with the first segment: mu |V - eta (n.Y) n|^2/2 + J theta''^2/2.
    const double eta = i == 0 ? 3.0 * p_.radius / 8.0 / l.xi : 0.0;
    const double turning = (i == 0 ? p_.inertia + p_.tip_inertia : p_.inertia) / (l.xi * l.xi);
    const double across = turning + p_.tip_mass * eta * eta;
    const double hemi = p_.tip_mass * eta;
    const double uxx = l.c * l.c, uxy = l.c * l.s, uyy = l.s * l.s;  // u u^T; n n^T = 1 - u u^T
    const double dxx = along * uxx + across * uyy, dxy = (along - across) * uxy,
                 dyy = along * uyy + across * uxx;
    const double hxx = hemi * uyy, hxy = -hemi * uxy, hyy = hemi * uxx;

    const double qxx = m + dxx + 4 * axx, qxy = dxy + 4 * axy, qyy = m + dyy + 4 * ayy;
    const double det = qxx * qyy - qxy * qxy;
    if (!(det > 0.0)) return false;
    l.qxx = qyy / det;
    l.qxy = -qxy / det;
    l.qyy = qxx / det;
    l.cxx = m + 2 * axx - hxx;
    l.cxy = 2 * axy - hxy;
    l.cyy = m + 2 * ayy - hyy;
    l.kxx = l.qxx * l.cxx + l.qxy * l.cxy;
    l.kxy = l.qxx * l.cxy + l.qxy * l.cyy;
    l.kyx = l.qxy * l.cxx + l.qyy * l.cxy;
    l.kyy = l.qxy * l.cxy + l.qyy * l.cyy;
    // W = 1 - K = Q^-1 (Q - C) and Z = 1 - 2 K = Q^-1 (Q - 2 C), without the cancelling m.
    const double exx = dxx + 2 * axx + hxx, exy = dxy + 2 * axy + hxy, eyy = dyy + 2 * ayy + hyy;
    const double wxx = l.qxx * exx + l.qxy * exy, wxy = l.qxx * exy + l.qxy * eyy,
                 wyx = l.qxy * exx + l.qyy * exy, wyy = l.qxy * exy + l.qyy * eyy;
    const double gxx = dxx - m + 2 * hxx, gxy = dxy + 2 * hxy, gyy = dyy - m + 2 * hyy;
    const double zxx = l.qxx * gxx + l.qxy * gxy, zxy = l.qxx * gxy + l.qxy * gyy,
                 zyx = l.qxy * gxx + l.qyy * gxy, zyy = l.qxy * gxy + l.qyy * gyy;
    // The rows of K along u and n carry the costs of D.
    const double kux = l.c * l.kxx + l.s * l.kyx, kuy = l.c * l.kxy + l.s * l.kyy;
    const double knx = -l.s * l.kxx + l.c * l.kyx, kny = -l.s * l.kxy + l.c * l.kyy;
    const double azxx = axx * zxx + axy * zyx, azxy = axx * zxy + axy * zyy,
                 azyx = axy * zxx + ayy * zyx, azyy = axy * zxy + ayy * zyy;
    const double bxx = m * (wxx * wxx + wyx * wyx) + along * kux * kux + turning * knx * knx +
                       zxx * azxx + zyx * azyx;
    const double bxy = m * (wxx * wxy + wyx * wyy) + along * kux * kuy + turning * knx * kny +
                       zxx * azxy + zyx * azyy;
    const double byy = m * (wxy * wxy + wyy * wyy) + along * kuy * kuy + turning * kny * kny +
                       zxy * azxy + zyy * azyy;
    axx = bxx;
    axy = bxy;
    ayy = byy;
    if (i == 0) {
      // mu |E V|^2 with E = 1 + eta n n^T K.
      const double e1x = 1.0 - eta * l.s * knx, e1y = -eta * l.s * kny;
      const double e2x = eta * l.c * knx, e2y = 1.0 + eta * l.c * kny;
      axx += p_.tip_mass * (e1x * e1x + e2x * e2x);
      axy += p_.tip_mass * (e1x * e1y + e2x * e2y);
      ayy += p_.tip_mass * (e1y * e1y + e2y * e2y);
    }
  }
  const double det = axx * ayy - axy * axy;
  if (!(det > 0.0)) return false;
  axx_ = ayy / det;
  axy_ = -axy / det;
  ayy_ = axx / det;
  return true;
}

void BarSpiralDynamics::solve(const Eigen::VectorXd& r, Eigen::VectorXd& x) {
  const int n = p_.segments;
  double bx = 0.0, by = 0.0;
  for (int i = n - 1; i >= 0; --i) {
    Link& l = links_[static_cast<std::size_t>(i)];
    const double ru = r[2 + n + i], rn = r[2 + i] / l.xi;
    const double tx = ru * l.c - rn * l.s + 2 * bx, ty = ru * l.s + rn * l.c + 2 * by;
    l.x = l.qxx * tx + l.qxy * ty;
    l.y = l.qxy * tx + l.qyy * ty;
    bx -= l.cxx * l.x + l.cxy * l.y;
    by -= l.cxy * l.x + l.cyy * l.y;
  }
  bx += r[0];
  by += r[1];
  double vx = axx_ * bx + axy_ * by, vy = axy_ * bx + ayy_ * by;
  x[0] = vx;
  x[1] = vy;
  for (int i = 0; i < n; ++i) {
    const Link& l = links_[static_cast<std::size_t>(i)];
    const double yx = l.x - l.kxx * vx - l.kxy * vy, yy = l.y - l.kyx * vx - l.kyy * vy;
    x[2 + i] = (l.c * yy - l.s * yx) / l.xi;
    x[2 + n + i] = l.c * yx + l.s * yy;
    vx += 2 * yx;
    vy += 2 * yy;
  }
}

void BarSpiralDynamics::residual(double /*t*/, const Eigen::VectorXd& v, const Eigen::VectorXd& a,
                                 Eigen::VectorXd& r) {
  const int n = p_.segments;
  const double h = 3.0 * p_.radius / 8.0, m = p_.mass;
  // Gravity as an acceleration of the ground.
  double px = a[0], py = a[1] + p_.gravity;
  const Link& first = links_.front();
  const double spin = h * v[2] * v[2];
  const double gx = p_.tip_mass * (px + h * a[2] * first.s + spin * first.c);
  const double gy = p_.tip_mass * (py - h * a[2] * first.c + spin * first.s);
  for (int i = 0; i < n; ++i) {
    Link& l = links_[static_cast<std::size_t>(i)];
    const double turn = v[2 + i];
    const double radial = a[2 + n + i] - l.xi * turn * turn;
    const double tangential = l.xi * a[2 + i] + 2.0 * v[2 + n + i] * turn;
    const double cx = radial * l.c - tangential * l.s, cy = radial * l.s + tangential * l.c;
    l.x = m * (px + cx);
    l.y = m * (py + cy);
    px += 2.0 * cx;
    py += 2.0 * cy;
  }
  double tx = 0.0, ty = 0.0, moment = 0.0;
  for (int i = n - 1; i >= 0; --i) {
    const Link& l = links_[static_cast<std::size_t>(i)];
    const double hx = l.x + 2.0 * tx, hy = l.y + 2.0 * ty;
    const double weight = i + 1 < n ? 2.0 : 1.0;
    // Spring moment on segment i from its inner neighbour; `moment` is the one from outside.
    const double inner = i > 0 ? p_.bending * (theta_[static_cast<std::size_t>(i) - 1] -
                                               theta_[static_cast<std::size_t>(i)])
                               : 0.0;
    r[2 + n + i] = -(l.c * hx + l.s * hy) - weight * p_.stiffness * l.strain;
    r[2 + i] = -l.xi * (l.c * hy - l.s * hx) - p_.inertia * a[2 + i] + inner - moment;
    moment = inner;
    tx += l.x;
    ty += l.y;
  }
  r[2] += h * (first.c * gy - first.s * gx) - p_.tip_inertia * a[2];
  r[0] = -(gx + tx);
  r[1] = -(gy + ty);
}

double BarSpiralDynamics::kinetic_energy(const Eigen::VectorXd& v) {
  const int n = p_.segments;
  const double h = 3.0 * p_.radius / 8.0;
  const Link& first = links_.front();
  double px = v[0], py = v[1];
  const double gx = px + h * v[2] * first.s, gy = py - h * v[2] * first.c;
  double linear = 0.0, turning = 0.0;
  for (int i = 0; i < n; ++i) {
    const Link& l = links_[static_cast<std::size_t>(i)];
    const double radial = v[2 + n + i], tangential = l.xi * v[2 + i];
    const double cx = radial * l.c - tangential * l.s, cy = radial * l.s + tangential * l.c;
    linear += (px + cx) * (px + cx) + (py + cy) * (py + cy);
    turning += v[2 + i] * v[2 + i];
    px += 2.0 * cx;
    py += 2.0 * cy;
  }
  return 0.5 * (p_.tip_mass * (gx * gx + gy * gy) + p_.mass * linear + p_.inertia * turning +
                p_.tip_inertia * v[2] * v[2]);
}

double BarSpiralDynamics::potential_energy() const {
  const int n = p_.segments;
  double y = y0_, heights = 0.0, strains = 0.0, bends = 0.0;
  for (int i = 0; i < n; ++i) {
    const Link& l = links_[static_cast<std::size_t>(i)];
    heights += y + l.xi * l.s;
    y += 2.0 * l.xi * l.s;
    strains += (i + 1 < n ? 1.0 : 0.5) * l.strain * l.strain;
    if (i > 0) {
      const double bend =
          theta_[static_cast<std::size_t>(i)] - theta_[static_cast<std::size_t>(i) - 1];
      bends += bend * bend;
    }
  }
  const double tip = y0_ - 3.0 * p_.radius / 8.0 * links_.front().s;
  return p_.gravity * (p_.tip_mass * tip + p_.mass * heights) + p_.stiffness * strains +
         0.5 * p_.bending * bends;
}

}  // namespace carom
