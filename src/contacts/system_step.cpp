// One step of a system's own size.

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/LU>

#include <carom/contacts/system_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int max_sweeps = 60, max_tries = 60;
constexpr double soft = 0.01;  // of h^2 k/m: sweeps contract by that

}  // namespace

double SystemMarch::first_step() const {
  const double speed = begin_point_.v.norm(), acceleration = begin_point_.a.norm();
  if (acceleration > 0 && speed > 0) return 0.1 * speed / acceleration;
  return acceleration > 0 || speed > 0 ? 1e-3 : 1.0;
}

void SystemMarch::internal_step() {
  loss_ = struck_work_ = 0;
  pass_events();
  if (loss_ != 0 || struck_work_ != 0)
    ledger_.close_step(stored(end_), std::exchange(loss_, 0.0), struck_work_);
  ledger_before_ = ledger_;
  impulse_begin_ = impulse_end_;
  begin_ = end_;
  ++steps_;
  double longest = std::isfinite(settings_.end) && end_.t < settings_.end
                       ? settings_.end - end_.t
                       : std::max(16 / settings_.rate, 0.25 * end_.t);
  Work work;
  if (status_ == MarchStatus::at_rest) {
    end_.t += longest;
    ledger_.close_step(ledger_.stored(), loss_, 0.0);
    return;
  }
  if (status_ != MarchStatus::going) return;
  const bool own_steps = settings_.scheme == SystemScheme::collocation;
  begin_point_.q = begin_.q;
  begin_point_.v = begin_.v;
  begin_point_.spring = begin_.spring;
  evaluate(begin_.t, begin_point_);
  longest = std::min(longest, longest_rubbing_step());
  if (!own_steps) {
    const double sample =
        (std::floor(begin_.t * settings_.rate * (1 + 1e-14)) + 1) / settings_.rate;
    longest = std::min(longest, sample - begin_.t);
  }
  if (next_h_ == 0) next_h_ = first_step();
  const int onset = std::exchange(onset_power_, 0);
  double h = own_steps ? std::min(next_h_, longest) : longest;
  for (int tries = 0;; ++tries) {
    if (tries == max_tries || status_ == MarchStatus::not_finite) {
      if (status_ == MarchStatus::going) status_ = MarchStatus::not_converged;
      return;
    }
    clock_ = ClockKind::plain;
    power_ = 1;
    Event event;
    if (own_steps && onset > 0) {
      clock_ = ClockKind::onset;
      power_ = onset;
    } else if (own_steps) {
      // A plain step that ended just short of the edge would leave the singularity to the next.
      double reach = std::min(1.3 * h, longest);
      for (std::size_t i = 0; i < contacts_.size(); ++i) {
        const Touch& touch = contacts_[i];
        const double r = begin_point_.r[i];
        if (!(r < 0) || !touch.state.touching()) continue;
        const double out = (begin_point_.x[i] - touch.state.edge(touch.contact)) / -r;
        if (!(out > 0) || !(out < reach)) continue;
        h = reach = out;
        // A release by force comes a little earlier: first_event() finds it.
        event = {touch.state.ends_at_edge(touch.contact) ? static_cast<int>(i) : -1, 0};
        clock_ = ClockKind::release;
        power_ = grade_of(touch.contact);
      }
    }
    if (!trial(h)) {
      h *= event.contact >= 0 ? 0.35 : 0.5;
      continue;
    }
    double factor = 4.0;
    if (own_steps) {
      const double error = step_error(h);
      factor = 0.9 * std::pow(settings_.tolerance / std::max(error, 1e-300), 0.5 * power_ / S);
      if (!(error <= settings_.tolerance)) {
        // Beyond the reach of 1.3 h, or the same release would be tried again.
        h *= std::clamp(factor, 0.2, 0.9) / (clock_ == ClockKind::release ? 1.5 : 1.0);
        continue;
      }
    }
    double when = h;
    const Event crossed = first_event(h, when, {});
    const bool other = crossed.contact != event.contact || crossed.guard != event.guard;
    if (crossed.contact >= 0 && other && (event.contact < 0 || when < (1 - 1e-9) * h)) {
      event = crossed;
      const Touch& touch = contacts_[index(event.contact)];
      const bool early = when < 0.5 * h && own_steps && event.guard == 0 &&
                         touch.state.ends_at_edge(touch.contact);
      h = when;
      if (early && tries + 1 < max_tries) continue;  // forces beyond the edge have spoilt the step
    }
    const double before_landing = h;
    if (event.contact >= 0) {
      const bool landed = land_first(event, h);
      // Led further than it was tried a step is another one.
      const bool too_long =
          own_steps && h > 1.1 * before_landing && !(step_error(h) <= settings_.tolerance);
      if (!landed || too_long) {
        h = 0.5 * before_landing;
        continue;
      }
    }
    work = work_of(h);
    if (passive() && !close(h, work, event.contact >= 0)) {
      h *= 0.5;
      continue;
    }
    event_ = event;
    const bool flying = !touching();
    accept(h, work);
    next_h_ = h * std::clamp(factor, 0.3, 4.0);
    if (flying && event.contact < 0) flight_h_ = next_h_;
    break;
  }
  if (own_steps) check_rest();
  const double energy = stored(end_);
  if (!std::isfinite(energy)) status_ = MarchStatus::not_finite;
  highest_ = std::max(highest_, std::abs(energy));
  ledger_.close_step(energy, loss_, work.injected);
}

bool SystemMarch::trial(double h) {
  if (!(h > 0)) return false;
  const bool made = settings_.scheme == SystemScheme::collocation ? collocate(h) : one_step(h);
  if (!made) return false;
  keep_closed(begin_.t + h, end_point_);
  evaluate(begin_.t + h, end_point_);
  return end_point_.a.allFinite();
}

/// Sweeps over the nodes until the accelerations repeat; contact forces too stiff for that are
/// corrected by Newton's method in contact space.
bool SystemMarch::collocate(double h) {
  const Collocation& c = table();
  const Eigen::VectorXd &q0 = begin_.q, &v0 = begin_.v;
  for (Point& node : nodes_) {
    node.a = begin_point_.a;
    node.slip = begin_point_.slip;
  }
  bool stiff = false, done = false;
  double last = 1e300, forces_off = 0, last_off = 1e300;
  const double enough = std::max(4 * rounding, 1e-4 * settings_.tolerance);
  for (int sweep = 0; sweep < max_sweeps && !done; ++sweep) {
    for (int k = 0; k < S; ++k) {
      const double t = h * c.time[k];
      nodes_[k].q = q0 + t * v0;
      nodes_[k].v = v0;
      for (int j = 0; j < S; ++j) {
        nodes_[k].q += (h * h * c.place[j][k]) * nodes_[j].a;
        nodes_[k].v += (h * c.rate[j][k]) * nodes_[j].a;
      }
    }
    stretch_springs(h);
    double change = 0, size = 1e-300;
    for (int k = 0; k < S; ++k) {
      solved_ = nodes_[k].a;
      const Eigen::VectorXd before = solved_;
      evaluate(begin_.t + h * c.time[k], nodes_[k],
               stiff ? &used_[static_cast<std::size_t>(k)] : nullptr);
      change = std::max(change, (nodes_[k].a - before).lpNorm<Eigen::Infinity>());
      size = std::max(size, nodes_[k].a.lpNorm<Eigen::Infinity>());
    }
    if (!std::isfinite(change)) {
      if (stiff) return false;
      change = 1e300;
    }
    if (stiff) forces_off = correct_forces(h);
    const double left = sweep > 0 ? change * std::min(1.0, change / last) : change;
    // What no longer falls is rounding: gaps are differences of coordinates much larger than they.
    const bool forces_done =
        forces_off <= 1e-12 || (forces_off <= noise && forces_off >= 0.5 * last_off);
    done =
        (left <= enough * size || (change <= noise * size && change >= 0.5 * last)) && forces_done;
    last_off = forces_off;
    if (!done && !stiff && sweep > 1 && change > 0.4 * last) {
      if (!touching()) return false;
      stiff = true;
      for (int k = 0; k < S; ++k) {
        used_[static_cast<std::size_t>(k)] = begin_point_.f;
        nodes_[k].a = begin_point_.a;
      }
      change = 1e300;
    }
    last = change;
  }
  if (!done) return false;
  end_point_.q = q0 + h * v0;
  end_point_.v = v0;
  for (int j = 0; j < S; ++j) {
    end_point_.q += (h * h * c.end_place[j]) * nodes_[j].a;
    end_point_.v += (h * c.weight[j]) * nodes_[j].a;
  }
  stretch_to_end(h);
  return true;
}

/// (I + F_x h^2 W place + F_v h W rate) correction = law's force - force in use; returns the
/// largest relative difference there was. Contacts too soft to feel their own force within the step
/// take the law's.
double SystemMarch::correct_forces(double h) {
  const Collocation& c = table();
  dynamics_.set_position(begin_.q);
  if (!dynamics_.factor()) return 1.0;
  rows_.read(system_, begin_.t, begin_.q);
  if (!held_.contacts.empty()) held_.read(*this);
  std::vector<std::size_t> active;
  std::vector<Collocation::Nodes> slopes_x, slopes_v;
  double size = 1e-300, off = 0;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Touch& touch = contacts_[i];
    if (!touch.state.touching()) continue;
    Collocation::Nodes slope_x, slope_v;
    double stiffest = 0;
    for (int k = 0; k < S; ++k) {
      const double x = nodes_[k].x[i], r = nodes_[k].r[i], f = nodes_[k].target[i];
      const double dx = 1e-7 * (std::abs(x) + 1e-3 * touch.length);
      const double dv = 1e-7 * (std::abs(r) + 1e-3 * touch.length / touch.period);
      const auto force = [&](double at_x, double at_r) {
        return touch.state.force(touch.contact, at_x, at_r).total();
      };
      slope_x[k] = (force(x + dx, r) - f) / dx;
      slope_v[k] = (force(x, r + dv) - f) / dv;
      stiffest = std::max(stiffest, h * (h * std::abs(slope_x[k]) + std::abs(slope_v[k])));
      size = std::max(size, std::abs(f));
      off = std::max(off, std::abs(f - used_[static_cast<std::size_t>(k)][i]));
    }
    if (stiffest < soft * touch.collision.mass) {
      for (int k = 0; k < S; ++k) used_[static_cast<std::size_t>(k)][i] = nodes_[k].target[i];
      continue;
    }
    active.push_back(i);
    slopes_x.push_back(slope_x);
    slopes_v.push_back(slope_v);
  }
  const auto n = static_cast<Eigen::Index>(active.size());
  Eigen::MatrixXd jacobian = Eigen::MatrixXd::Identity(n * S, n * S);
  Eigen::VectorXd residual(n * S);
  for (Eigen::Index b = 0; b < n; ++b) {
    force_.setZero();
    rows_.push(static_cast<Eigen::Index>(active[b]), contacts_[active[b]].side, force_);
    dynamics_.solve(force_, solved_);
    if (!held_.contacts.empty()) solved_ += held_.images * held_.multipliers(held_rates(solved_));
    for (Eigen::Index a = 0; a < n; ++a) {
      const double w =
          contacts_[active[a]].side * rows_.rate(static_cast<Eigen::Index>(active[a]), solved_);
      if (w == 0) continue;
      for (int k = 0; k < S; ++k) {
        for (int j = 0; j < S; ++j) {
          jacobian(a * S + k, b * S + j) +=
              w * h * (slopes_x[a][k] * h * c.place[j][k] + slopes_v[a][k] * c.rate[j][k]);
        }
      }
    }
    for (int k = 0; k < S; ++k) {
      residual[b * S + k] =
          nodes_[k].target[active[b]] - used_[static_cast<std::size_t>(k)][active[b]];
    }
  }
  if (n > 0) residual = jacobian.partialPivLu().solve(residual).eval();
  for (Eigen::Index a = 0; a < n; ++a) {
    for (int k = 0; k < S; ++k) {
      used_[static_cast<std::size_t>(k)][active[a]] += residual[a * S + k];
    }
  }
  return off / size;
}

/// What the sum of the accelerations misses, against the speeds of the motion.
double SystemMarch::step_error(double h) const {
  const Collocation& c = table();
  double error = 0, moving = 0, accelerated = 0;
  for (Eigen::Index j = 0; j < begin_.q.size(); ++j) {
    const auto a = [&](int k) { return nodes_[k].a[j]; };
    double largest = 1e-300;
    for (int k = 0; k < S; ++k) largest = std::max(largest, std::abs(a(k) * c.slope[k]));
    const double off = h * unfollowed(c, false, a);
    error += square(off);
    moving += square(end_point_.v[j]);
    accelerated += square(h * largest);
  }
  // Below a millionth of the fastest so far there is but rounding to follow.
  return std::sqrt(error / std::max({moving, accelerated, 1e-12 * fastest_, 1e-300}));
}

}  // namespace carom
