// One step of a system's own size.

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/LU>
#include <Eigen/SparseLU>

#include <carom/contacts/system_march.hpp>
#include <carom/core/interrupt.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int max_sweeps = 60, max_tries = 60;
constexpr double soft = 0.01;       // of h^2 k/m: sweeps contract by that
constexpr Eigen::Index small = 40;  // unknowns: dense elimination is quicker

/// right := matrix^-1 right; false: the matrix is singular.
bool solve_sparse(const std::vector<Eigen::Triplet<double>>& entries, Eigen::VectorXd& right) {
  if (right.size() <= small) {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(right.size(), right.size());
    for (const auto& entry : entries) matrix(entry.row(), entry.col()) += entry.value();
    right = matrix.partialPivLu().solve(right).eval();
    return right.allFinite();
  }
  Eigen::SparseMatrix<double> matrix(right.size(), right.size());
  matrix.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<Eigen::SparseMatrix<double>> solver(matrix);
  if (solver.info() != Eigen::Success) return false;
  right = solver.solve(right).eval();
  return right.allFinite();
}

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
  settle(std::min(next_h_, longest));
  // Where nothing is pressed, to the next contact that closes.
  if (parts_.moving.empty() && parts_.local)
    next_h_ = std::max(next_h_, 1.001 * (parts_.until - begin_.t));
  double h = own_steps ? std::min(next_h_, longest) : longest;
  wake(begin_.t + 1.3 * h);
  const Leaving leaves = first_to_leave();
  const int onset = std::exchange(onset_power_, 0);
  for (int tries = 0;; ++tries) {
    answer_interrupt();
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
      if (leaves.contact >= 0 && leaves.after < std::min(1.3 * h, longest)) {
        const Touch& touch = contacts_[index(leaves.contact)];
        h = leaves.after;
        // A release by force comes a little earlier: first_event() finds it.
        event = {touch.state.ends_at_edge(touch.contact) ? leaves.contact : -1, 0};
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
    if (wake(begin_.t + h)) continue;
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

/// Which contact reaches its edge first, at the accelerations of the beginning of the step.
/// Contacts that creep out, as those behind a wave do, slow down so fast that they are not near it
/// yet.
SystemMarch::Leaving SystemMarch::first_to_leave() const {
  Leaving first;
  for (const int i : parts_.near) {
    const Touch& touch = contacts_[index(i)];
    const double r = begin_point_.r[index(i)];
    if (!(r < 0) || !pressed(i)) continue;
    const double depth = begin_point_.x[index(i)] - touch.state.edge(touch.contact);
    const double braking = -touch.side * rows_.rate(i, begin_point_.a);
    const double rest = r * r - 2 * braking * depth;
    const double after = 2 * depth / (-r + std::sqrt(rest));  // NaN: it turns round before
    if (after > 0 && after < first.after) first = {i, after};
  }
  return first;
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
  for (Point& node : nodes_) {
    for (const int i : parts_.moving) node.a[i] = begin_point_.a[i];
    node.slip = begin_point_.slip;
  }
  do {
    if (!sweep(h)) return false;
  } while (widen());
  if (parts_.local) {
    end_point_.q = begin_.q + h * begin_.v + (0.5 * h * h) * parts_.steady;
    end_point_.v = begin_.v + h * parts_.steady;
  }
  for (const int i : parts_.moving) {
    double q = begin_.q[i] + h * begin_.v[i], v = begin_.v[i];
    for (int j = 0; j < S; ++j) {
      q += h * h * c.end_place[j] * nodes_[j].a[i];
      v += h * c.weight[j] * nodes_[j].a[i];
    }
    end_point_.q[i] = q;
    end_point_.v[i] = v;
  }
  stretch_to_end(h);
  return true;
}

/// Positions and velocities at the nodes from the accelerations there.
void SystemMarch::move_nodes(double h) {
  const Collocation& c = table();
  if (parts_.local) {
    for (const int i : parts_.seen) {
      Collocation::Nodes a;
      for (int j = 0; j < S; ++j) a[j] = nodes_[j].a[i];
      for (int k = 0; k < S; ++k) {
        double place = 0.0, rate = 0.0;
        for (int j = 0; j < S; ++j) {
          place += c.place[j][k] * a[j];
          rate += c.rate[j][k] * a[j];
        }
        nodes_[k].q[i] = begin_.q[i] + h * (c.time[k] * begin_.v[i] + h * place);
        nodes_[k].v[i] = begin_.v[i] + h * rate;
      }
    }
    return;
  }
  for (int k = 0; k < S; ++k) {
    nodes_[k].q = begin_.q + (h * c.time[k]) * begin_.v;
    nodes_[k].v = begin_.v;
    for (int j = 0; j < S; ++j) {
      nodes_[k].q += (h * h * c.place[j][k]) * nodes_[j].a;
      nodes_[k].v += (h * c.rate[j][k]) * nodes_[j].a;
    }
  }
}

bool SystemMarch::sweep(double h) {
  bool stiff = false;
  double last = 1e300, forces_off = 0, last_off = 1e300;
  const double enough = std::max(4 * rounding, 1e-4 * settings_.tolerance);
  const auto count = static_cast<Eigen::Index>(parts_.moving.size());
  before_.resize(std::max(count, before_.size()));
  for (int n = 0; n < max_sweeps; ++n) {
    move_nodes(h);
    stretch_springs(h);
    double change = 0, size = 1e-300;
    for (int k = 0; k < S; ++k) {
      Eigen::VectorXd& a = nodes_[k].a;
      for (Eigen::Index m = 0; m < count; ++m) before_[m] = a[parts_.moving[m]];
      evaluate(begin_.t + h * table().time[k], nodes_[k],
               stiff ? &used_[static_cast<std::size_t>(k)] : nullptr);
      for (Eigen::Index m = 0; m < count; ++m) {
        const double now = a[parts_.moving[m]];
        const double off = std::abs(now - before_[m]);
        if (!(off <= change)) change = off;  // NaN stays
        size = std::max(size, std::abs(now));
      }
    }
    if (!std::isfinite(change)) {
      if (stiff) return false;
      change = 1e300;
    }
    if (stiff) forces_off = correct_forces(h);
    const double left = n > 0 ? change * std::min(1.0, change / last) : change;
    // What no longer falls is rounding: gaps are differences of coordinates much larger than they.
    const bool forces_done =
        forces_off <= 1e-12 || (forces_off <= noise && forces_off >= 0.5 * last_off);
    if ((left <= enough * size || (change <= noise * size && change >= 0.5 * last)) && forces_done)
      return true;
    last_off = forces_off;
    if (!stiff && n > 1 && change > 0.4 * last) {
      if (!touching()) return false;
      stiff = true;
      for (int k = 0; k < S; ++k) {
        used_[static_cast<std::size_t>(k)] = begin_point_.f;
        for (const int i : parts_.moving) nodes_[k].a[i] = begin_point_.a[i];
      }
      change = 1e300;
    }
    last = change;
  }
  return false;
}

/// (I + F_x h^2 W place + F_v h W rate) correction = law's force - force in use; returns the
/// largest relative difference there was. Contacts too soft to feel their own force within the step
/// take the law's.
double SystemMarch::correct_forces(double h) {
  const Collocation& c = table();
  if (!parts_.local) {
    dynamics_.set_position(begin_.q);
    if (!dynamics_.factor()) return 1.0;
    rows_.read(system_, begin_.t, begin_.q);
  }
  if (!held_.contacts.empty()) held_.read(*this);
  std::vector<int> active;
  std::vector<Collocation::Nodes> slopes_x, slopes_v;
  double size = 1e-300, off = 0;
  for (const int contact : parts_.near) {
    const std::size_t i = index(contact);
    const Touch& touch = contacts_[i];
    if (!pressed(contact)) continue;
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
    active.push_back(contact);
    slopes_x.push_back(slope_x);
    slopes_v.push_back(slope_v);
  }
  const auto n = static_cast<Eigen::Index>(active.size());
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::VectorXd residual(n * S);
  const auto enter = [&](Eigen::Index a, Eigen::Index b, double w) {
    for (int k = 0; k < S && w != 0; ++k) {
      for (int j = 0; j < S; ++j) {
        entries.emplace_back(
            a * S + k, b * S + j,
            w * h * (slopes_x[a][k] * h * c.place[j][k] + slopes_v[a][k] * c.rate[j][k]));
      }
    }
  };
  for (Eigen::Index b = 0; b < n; ++b) {
    mobilities(active, b, enter);
    for (int k = 0; k < S; ++k) {
      const std::size_t i = index(active[b]);
      residual[b * S + k] = nodes_[k].target[i] - used_[static_cast<std::size_t>(k)][i];
      entries.emplace_back(b * S + k, b * S + k, 1.0);
    }
  }
  if (n > 0 && !solve_sparse(entries, residual)) return 1.0;
  for (Eigen::Index a = 0; a < n; ++a) {
    for (int k = 0; k < S; ++k)
      used_[static_cast<std::size_t>(k)][index(active[a])] += residual[a * S + k];
  }
  return off / size;
}

/// enter(a, b, w) for what contact b does to the rate of contact a, w = G_a M^-1 G_b^T.
template <class F>
void SystemMarch::mobilities(const std::vector<int>& active, Eigen::Index b, const F& enter) {
  const int contact = active[b];
  const double side = contacts_[index(contact)].side;
  const auto rate = [&](Eigen::Index a) {
    return contacts_[index(active[a])].side * rows_.rate(active[a], solved_);
  };
  if (parts_.local) {
    // Only those that share a body with it.
    std::vector<int> own;
    rows_.each(contact, [&](int c, double entry) {
      solved_[c] = side * entry;
      own.push_back(c);
    });
    system_.divide_by_mass(own, solved_);
    std::vector<int> beside;
    for (const int c : own) {
      const auto& around = parts_.contacts_of[index(c)];
      beside.insert(beside.end(), around.begin(), around.end());
    }
    std::sort(beside.begin(), beside.end());
    beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
    for (const int i : beside) {
      const auto found = std::lower_bound(active.begin(), active.end(), i);
      if (found != active.end() && *found == i)
        enter(found - active.begin(), b, rate(found - active.begin()));
    }
    for (const int c : own) solved_[c] = 0.0;
    return;
  }
  force_.setZero();
  rows_.push(contact, side, force_);
  dynamics_.solve(force_, solved_);
  if (!held_.contacts.empty()) solved_ += held_.images * held_.multipliers(held_rates(solved_));
  for (Eigen::Index a = 0; a < static_cast<Eigen::Index>(active.size()); ++a) enter(a, b, rate(a));
}

/// What the sum of the accelerations misses, against the speeds of the motion.
double SystemMarch::step_error(double h) const {
  const Collocation& c = table();
  double error = 0, accelerated = 0;
  for (const int j : parts_.moving) {
    const auto a = [&](int k) { return nodes_[k].a[j]; };
    double largest = 1e-300;
    for (int k = 0; k < S; ++k) largest = std::max(largest, std::abs(a(k) * c.slope[k]));
    const double off = h * unfollowed(c, false, a);
    error += square(off);
    accelerated += square(h * largest);
  }
  // Below a millionth of the fastest so far there is but rounding to follow.
  const double moving = end_point_.v.squaredNorm();
  return std::sqrt(error / std::max({moving, accelerated, 1e-12 * fastest_, 1e-300}));
}

}  // namespace carom
