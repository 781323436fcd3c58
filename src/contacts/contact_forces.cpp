#include <algorithm>
#include <cmath>

#include <carom/contacts/contact_march.hpp>

#include "parts.hpp"
#include "wide.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int max_sweeps = 40, max_newton = 20;

/// x -= place (to_x f) and v -= rate (to_v f). The same bits by all instructions.
CAROM_WIDE void respond(const Collocation& table, const Collocation::Nodes& f, double to_x,
                        double to_v, Collocation::Nodes& x, Collocation::Nodes& v) noexcept {
  Collocation::Nodes moved = x, sped = v;  // in registers
  for (int j = 0; j < S; ++j) {
    const double fx = to_x * f[j], fv = to_v * f[j];
    for (int k = 0; k < S; ++k) moved[k] -= fx * table.place[j][k];
    for (int k = 0; k < S; ++k) sped[k] -= fv * table.rate[j][k];
  }
  x = moved;
  v = sped;
}

}  // namespace

/// What the forces make of the free motion; with `evaluate` the forces are found anew from it, and
/// their largest change is returned.
double ContactMarch::apply(double h, const Collocation& table, bool evaluate) {
  const std::size_t n = active_.size();
  double change = 0;
  if (resonator_) apply_with_modes();
  for (std::size_t a = 0; a < n && !resonator_; ++a) {
    Unknown& u = unknowns_[a];
    const std::size_t i = index(active_[a]);
    const double x0 = end_.x[i], r0 = end_.r[i], acceleration = pushed_x_[i];
    for (int k = 0; k < S; ++k) {
      const double t = h * table.time[k];
      u.x[k] = x0 + t * (r0 + 0.5 * t * acceleration);
      u.v[k] = r0 + t * acceleration;
    }
    for (std::size_t b = 0; b < n; ++b) {
      const double w = delassus_(active_[a], active_[b]);
      if (w != 0) respond(table, unknowns_[b].f, h * h * w, h * w, u.x, u.v);
    }
  }
  if (!evaluate) return 0;
  for (std::size_t a = 0; a < n; ++a) {
    Unknown& u = unknowns_[a];
    const Contact& contact = contacts_[index(active_[a])];
    const ContactState& state = states_[index(active_[a])];
    std::visit(
        [&](const auto& given) {
          const auto& law = prepared(given);
          const ContactMemory memory = state.memory();
          const double dent = state.dent();
          for (int k = 0; k < S; ++k) {
            double total;
            if constexpr (requires { law.total(u.x[k], u.v[k], memory); }) {
              total = law.total(u.x[k] - dent, u.v[k], memory);
            } else {
              const Force force = law.force(u.x[k] - dent, u.v[k], memory);
              total = force.total();
              u.lost[k] = force.lost;
            }
            change = std::max(change, std::abs(total - u.f[k]));
            u.f[k] = total;
          }
        },
        contact.law);
  }
  return change;
}

/// The forces of a step: fixed point, or Newton's method where that does not contract. The motion
/// at nodes and end goes with them. False: neither converged.
bool ContactMarch::solve(double h, const Collocation& table) {
  if (!(h > 0)) return false;
  // A landing led astray asks for any length; beyond a few of these the responses are not known.
  if (resonator_ && !(h <= 4 * resonator_->longest_step())) return false;
  if (resonator_) prepare_modes(h, table);
  // Tried again from the same beginning with another length, the forces of the last try are near.
  if (solved_ != &table) start_forces();
  solved_ = nullptr;
  const double enough = std::max(2 * rounding, 1e-4 * settings_.tolerance);
  double last = 1e300;
  bool done = false, slow = false;
  for (int sweep = 0; sweep < max_sweeps && !done && !slow; ++sweep) {
    const double change = apply(h, table, true);
    double size = 0;
    for (const Unknown& u : unknowns_) {
      for (const double f : u.f) size = std::max(size, std::abs(f));
    }
    if (!std::isfinite(change)) break;
    const double left = sweep > 0 ? change * std::min(1.0, change / last) : change;
    done = left <= enough * size || (change <= 1e-13 * size && change >= 0.5 * last);
    slow = sweep > 1 && change > 0.4 * last && !done;
    last = change;
  }
  if (!done && !solve_newton(h, table)) return false;
  solved_ = &table;
  solved_h_ = h;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    Unknown& u = unknowns_[a];
    note_losses(a);
    u.impulse = u.travel = 0;
    for (int k = 0; k < S; ++k) {
      u.impulse += table.weight[k] * u.f[k];
      u.travel += table.end_place[k] * u.f[k];
    }
    u.impulse *= h;
    u.travel *= h * h;
  }
  if (resonator_) {
    Unknown& u = unknowns_.front();
    const ResponseTable& responses = ResponseTable::of(table);
    u.x1 = vibration_.free_x1;
    u.r1 = vibration_.free_r1;
    for (int q = 0; q < M; ++q) {
      double moment = 0;
      for (int j = 0; j < S; ++j) moment += responses.end[q][j] * u.f[j];
      u.x1 -= h * moment * vibration_.response[q];
      u.r1 -= h * moment * vibration_.response_rate[q];
    }
    return true;
  }
  for (std::size_t a = 0; a < active_.size(); ++a) {
    Unknown& u = unknowns_[a];
    const std::size_t i = index(active_[a]);
    u.x1 = h * (end_.r[i] + 0.5 * h * pushed_x_[i]);
    u.r1 = end_.r[i] + h * pushed_x_[i];
    for (std::size_t b = 0; b < active_.size(); ++b) {
      const double w = delassus_(active_[a], active_[b]);
      u.x1 -= w * unknowns_[b].travel;
      u.r1 -= w * unknowns_[b].impulse;
    }
    u.x1 += end_.x[i];
  }
  return true;
}

/// What the sweeps left out of a law that has its total alone at less cost.
void ContactMarch::note_losses(std::size_t unknown) {
  Unknown& u = unknowns_[unknown];
  const ContactState& state = states_[index(active_[unknown])];
  std::visit(
      [&](const auto& law) {
        if constexpr (requires { law.total(u.x[0], u.v[0], state.memory()); }) {
          for (int k = 0; k < S; ++k)
            u.lost[k] = law.force(u.x[k] - state.dent(), u.v[k], state.memory()).lost;
        }
      },
      contacts_[index(active_[unknown])].law);
}

/// The forces now stand for all nodes.
void ContactMarch::start_forces() {
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const std::size_t i = index(active_[a]);
    unknowns_[a].f.fill(states_[i].force(contacts_[i], end_.x[i], end_.r[i]).total());
  }
}

bool ContactMarch::solve_newton(double h, const Collocation& table) {
  const auto size = static_cast<Eigen::Index>(active_.size()) * S;
  auto& [jacobian, residual, slope_x, slope_v, lu] = newton_;
  jacobian.resize(size, size);
  residual.resize(size);
  slope_x.resize(size);
  slope_v.resize(size);
  start_forces();
  double last = 1e300;
  // A residual that moves no rate by more than a tenth of the tolerance (step_error) is as good.
  double slight = 1e300;
  for (const int i : active_) {
    const double w = delassus_(i, i), x = end_.x[index(i)], r = end_.r[index(i)];
    const double energy =
        0.5 * r * r / w + std::abs(states_[index(i)].potential(contacts_[index(i)], x));
    slight = std::min(slight, 0.1 * settings_.tolerance * std::sqrt(2 * energy / w) / h);
  }
  for (int iteration = 0; iteration < max_newton; ++iteration) {
    apply(h, table, false);
    double scale = 0, parts = 0;
    for (std::size_t a = 0; a < active_.size(); ++a) {
      const Unknown& u = unknowns_[a];
      const std::size_t i = index(active_[a]);
      for (int k = 0; k < S; ++k) {
        const double dx = 1e-7 * (std::abs(u.x[k]) + 1e-3 * length_[i]);
        const double dv = 1e-7 * (std::abs(u.v[k]) + 1e-3 * length_[i] / period_[i]);
        const auto force = [&](double x, double v) {
          return states_[i].force(contacts_[i], x, v).total();
        };
        const Eigen::Index row = static_cast<Eigen::Index>(a) * S + k;
        const Force here = states_[i].force(contacts_[i], u.x[k], u.v[k]);
        const double f = here.total();
        slope_x[row] = (force(u.x[k] + dx, u.v[k]) - f) / dx;
        slope_v[row] = (force(u.x[k], u.v[k] + dv) - f) / dv;
        residual[row] = f - u.f[k];
        scale = std::max(scale, std::abs(f));
        parts = std::max(parts, std::abs(here.conserved) + std::abs(here.lost));
      }
    }
    const double norm = residual.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(norm)) return false;
    // Where a damper balances the spring, the force is a small difference: rounding of its parts,
    // and the corner where it would begin to pull, do not let it be known any better.
    const double enough = std::max({1e-12 * scale, 4 * rounding * parts, slight});
    if (norm <= 4 * rounding * scale || (norm <= enough && norm >= 0.3 * last)) {
      apply(h, table, true);
      return true;
    }
    last = norm;
    for (std::size_t a = 0; a < active_.size(); ++a) {
      for (std::size_t b = 0; b < active_.size(); ++b) {
        const double w = delassus_(active_[a], active_[b]);
        for (int k = 0; k < S; ++k) {
          for (int j = 0; j < S; ++j) {
            const Eigen::Index row = static_cast<Eigen::Index>(a) * S + k,
                               column = static_cast<Eigen::Index>(b) * S + j;
            const double to_x = resonator_ ? vibration_.place[j][k] : w * h * h * table.place[j][k];
            const double to_v = resonator_ ? vibration_.rate[j][k] : w * h * table.rate[j][k];
            jacobian(row, column) =
                (row == column ? 1.0 : 0.0) + slope_x[row] * to_x + slope_v[row] * to_v;
          }
        }
      }
    }
    if (active_.size() == 1) {  // sizes known beforehand are factored three times as fast
      const Eigen::Matrix<double, S, S> fixed = jacobian;
      const Eigen::Matrix<double, S, 1> step =
          fixed.partialPivLu().solve(Eigen::Matrix<double, S, 1>(residual));
      residual = step;
    } else {
      lu.compute(jacobian);
      slope_x = lu.solve(residual);
      residual = slope_x;
    }
    for (std::size_t a = 0; a < active_.size(); ++a) {
      for (int k = 0; k < S; ++k) {
        unknowns_[a].f[k] += residual[static_cast<Eigen::Index>(a) * S + k];
      }
    }
  }
  return false;
}

}  // namespace carom
