// Free motion of a contact with modes that vibrate.

#include <algorithm>
#include <cmath>

#include <boost/math/tools/toms748_solve.hpp>

#include <carom/contacts/contact_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int max_trials = 100000;  // in search of one touch

}  // namespace

/// One free step that ends with the sample, at a touch, or where the tables end.
void ContactMarch::fly_with_modes() {
  event_ = {};
  const double until = target_, left = until - end_.t;
  const double parts = std::ceil(left / resonator_->longest_step());
  double h = left / std::max(1.0, parts);
  ResponseTable::Points moved, velocity;
  resonator_->prepare(h);
  resonator_->free_motion(moved, velocity);
  bend_ = resonator_->max_acceleration();
  const bool meet = meets(moved, velocity, h);
  piece_ = {.t = end_.t, .h = h};
  if (h > 0) {
    resonator_->prepare(h);
    const Resonator::Sums after = resonator_->try_step({});
    resonator_->accept();
    loss_ += end_.modes.energy - after.energy;
    end_.modes = after;
    end_.q += h * end_.v + (0.5 * h * h) * flight_;
    end_.v += h * flight_;
    end_.x[0] = -(system_.offsets[0] + system_.body.shapes.row(0).dot(end_.q) + after.hit);
    end_.r[0] = -(system_.body.shapes.row(0).dot(end_.v) + after.hit_velocity);
  }
  end_.t = !meet && parts <= 1 ? until : end_.t + h;
  end_on_event();
  book_recovery();
}

/// A whole free sample, unless the bodies might meet within it.
bool ContactMarch::fly_sample(double until) {
  if (event_.contact >= 0 || end_.t != time() || states_.front().phase() != Phase::apart) {
    return false;
  }
  if (bend_ < 0) bend_ = resonator_->max_acceleration();
  const double h = 1 / settings_.rate, a = flight_x_[0];
  const Resonator::Sums free = resonator_->try_sample();
  const double r_rigid = end_.r[0] + end_.modes.hit_velocity;
  const double onset = states_.front().onset(contacts_[0]);
  const double x0 = end_.x[0] - onset, v0 = end_.r[0];
  const double x1 = x0 + (h * (r_rigid + 0.5 * h * a) - (free.hit - end_.modes.hit));
  const double v1 = r_rigid + h * a - free.hit_velocity;
  // x lies below both parabolas of the greatest curvature through its ends; they meet at t.
  const double bend = bend_ + std::abs(a);
  const double t = (x1 - x0 - h * (v1 - 0.5 * h * bend)) / (v0 - v1 + h * bend);
  if (x0 > 0 || x1 > 0 || (t > 0 && t < h && x0 + t * (v0 + 0.5 * t * bend) > 0)) return false;
  resonator_->accept();
  ++steps_;
  double injected = 0, kinetic = 0, gap = system_.offsets[0] + free.hit;
  for (Eigen::Index j = 0; j < end_.q.size(); ++j) {
    const double mass = system_.body.modes[static_cast<std::size_t>(j)].mass;
    const double moved = h * (end_.v[j] + 0.5 * h * flight_[j]);
    injected += mass * flight_[j] * moved;
    end_.q[j] += moved;
    end_.v[j] += h * flight_[j];
    gap += system_.body.shapes(0, j) * end_.q[j];
    kinetic += 0.5 * mass * square(end_.v[j]);
    now_.q[j] = end_.q[j];
    now_.v[j] = end_.v[j];
  }
  now_.modes = end_.modes = free;
  now_.x[0] = end_.x[0] = -gap;
  now_.r[0] = end_.r[0] = v1;
  now_.t = end_.t = until;
  inside_ = false;
  const double stored = kinetic + free.energy;
  highest_ = std::max(highest_, stored);
  ledger_.close_step(stored, free.loss, injected);
  return true;
}

/// Whether the phase ends in free motion within h, and after how long.
bool ContactMarch::meets(const ResponseTable::Points& moved, const ResponseTable::Points& velocity,
                         double& h) {
  const ContactState& state = states_.front();
  const double a = flight_x_[0], r_rigid = end_.r[0] + end_.modes.hit_velocity;
  const double length = h;
  struct Motion {
    double x, v;
  };
  const auto at = [&](double t) {
    const ResponseTable::Points weights = ResponseTable::weights_at(t / length);
    Motion now{end_.x[0] + t * (r_rigid + 0.5 * t * a), r_rigid + t * a};
    for (int q = 0; q < M; ++q) {
      now.x -= weights[q] * moved[q];
      now.v -= weights[q] * velocity[q];
    }
    return now;
  };
  if (state.phase() == Phase::apart) {
    // No step is longer than the gap allows at the greatest acceleration: the touch is not passed.
    const double onset = state.onset(contacts_[0]), bend = bend_ + std::abs(a);
    const double instant = 4e-16 * (end_.t + 1 / settings_.rate);
    double t = 0;
    for (int i = 0; i < max_trials; ++i) {
      const Motion now = at(t);
      const double x = std::min(0.0, now.x - onset);
      const double root = std::sqrt(now.v * now.v - 2 * bend * x);
      const double safe = now.v > 0  ? -2 * x / (now.v + root)
                          : bend > 0 ? (root - now.v) / bend
                                     : length;
      if (!(safe > instant)) {
        if (t > 0 || now.v > 0) {
          h = t;
          event_ = {0, 0};
          return true;
        }
        return false;  // it stays where it is
      }
      t += safe;
      if (t >= length) return false;
    }
    converged_ = false;
    return false;
  }
  // Recovering: through the undeformed surface, or it turns round before.
  double before = 0;
  for (int q = 1; q < M; ++q) {
    const double t = length * ResponseTable::fractions()[q];
    const ContactState::Guards guards = state.guards(contacts_[0], at(t).x, at(t).v);
    double first = h;
    for (int g = 0; g < 2; ++g) {
      if (!(guards[static_cast<std::size_t>(g)] < 0)) continue;
      const auto guard = [&](double time) {
        return state.guards(contacts_[0], at(time).x, at(time).v)[static_cast<std::size_t>(g)];
      };
      double when = before;
      if (guard(before) > 0) {
        std::uintmax_t evaluations = 60;
        when =
            boost::math::tools::toms748_solve(
                guard, before, t,
                [&](double low, double high) { return high - low <= 4e-16 * length; }, evaluations)
                .second;
      }
      if (event_.contact >= 0 && when >= first) continue;
      first = when;
      event_ = {0, g};
    }
    if (event_.contact >= 0) {
      h = first;
      return true;
    }
    before = t;
  }
  return false;
}

}  // namespace carom
