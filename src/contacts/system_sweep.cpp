// The sweeps of a step of collocation.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <Eigen/LU>
#include <Eigen/SparseLU>

#include <carom/contacts/system_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int max_sweeps = 60;
constexpr double further = 1.1;     // than the last trial its polynomials are not followed
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

/// Sweeps over the nodes until the accelerations repeat; contact forces too stiff for that are
/// corrected by Newton's method in contact space.
bool SystemMarch::collocate(double h) {
  const Collocation& c = table();
  guess(h);
  tried_.h = 0.0;
  do {
    if (!sweep(h)) return false;
  } while (widen());
  tried_.h = h;
  tried_.clock = clock_;
  tried_.power = power_;
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

/// What the nodes begin with: the polynomials of the last trial, or else the same everywhere.
void SystemMarch::guess(double h) {
  if (!(tried_.h > 0) || h > further * tried_.h) {
    tried_.stiff = false;
    for (Point& node : nodes_) {
      for (const int i : parts_.moving) node.a[i] = begin_point_.a[i];
      node.slip = begin_point_.slip;
    }
    return;
  }
  const Collocation& then = Collocation::of(tried_.clock, tried_.power);
  std::array<Collocation::Nodes, S> basis;
  for (int k = 0; k < S; ++k)
    basis[k] = then.basis_at(then.sigma_at(table().time[k] * h / tried_.h));
  const auto move = [&](const auto& value) {
    Collocation::Nodes old;
    for (int j = 0; j < S; ++j) old[j] = value(j);
    for (int k = 0; k < S; ++k)
      value(k) = std::inner_product(old.begin(), old.end(), basis[k].begin(), 0.0);
  };
  for (const int i : parts_.moving) move([&](int k) -> double& { return nodes_[k].a[i]; });
  for (const int contact : parts_.near) {
    const std::size_t i = index(contact);
    if (rubs_) move([&](int k) -> double& { return nodes_[k].slip[i]; });
    if (tried_.stiff) move([&](int k) -> double& { return used_[static_cast<std::size_t>(k)][i]; });
  }
}

/// Positions and velocities at the nodes from the accelerations there.
void SystemMarch::move_nodes(double h, const Group& group) {
  const Collocation& c = table();
  if (parts_.local) {
    for (const int i : group.seen) {
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
  bool& stiff = tried_.stiff;
  double last = 1e300, forces_off = 0, last_off = 1e300, size = 1e-300;
  const double enough = std::max(4 * rounding, 1e-4 * settings_.tolerance);
  before_.resize(begin_.q.size());
  changes_.setZero(begin_.q.size());
  const Group* group = &parts_;
  for (int n = 0; n < max_sweeps; ++n) {
    move_nodes(h, *group);
    stretch_springs(h);
    for (const int i : group->moving) changes_[i] = 0.0;
    for (int k = 0; k < S; ++k) {
      Eigen::VectorXd& a = nodes_[k].a;
      for (const int i : group->moving) before_[i] = a[i];
      evaluate(begin_.t + h * table().time[k], nodes_[k], *group,
               stiff ? &used_[static_cast<std::size_t>(k)] : nullptr);
      for (const int i : group->moving) {
        const double off = std::abs(a[i] - before_[i]);
        if (!(off <= changes_[i])) changes_[i] = off;  // NaN stays
        size = std::max(size, std::abs(a[i]));
      }
    }
    double change = 0;
    for (const int i : group->moving) {
      if (!(changes_[i] <= change)) change = changes_[i];
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
      group = &parts_;
      for (int k = 0; k < S; ++k) {
        used_[static_cast<std::size_t>(k)] = begin_point_.f;
        for (const int i : parts_.moving) nodes_[k].a[i] = begin_point_.a[i];
      }
      change = 1e300;
    } else if (!stiff && parts_.local) {
      choose_changing(enough * size);
      group = &changing_;
    }
    last = change;
  }
  return false;
}

/// Bodies whose accelerations, and those of what they face, have changed by no more than `little`
/// need no further sweep. What links and modes depend on is not known: these always do.
void SystemMarch::choose_changing(double little) {
  std::vector<char>& live = parts_.scratch;
  live.assign(parts_.idle.size(), 0);
  changing_.near.clear();
  changing_.moving.clear();
  for (const int i : parts_.near) {
    bool changes = false;
    rows_.each(i, [&](int c, double) { changes = changes || !(changes_[c] <= little); });
    rows_.each(i, [&](int c, double) { live[index(c)] |= changes ? 1 : 0; });
  }
  for (const int c : parts_.moving) {
    if (live[index(c)] == 0 && system_.steady(c)) continue;
    live[index(c)] = 1;
    changing_.moving.push_back(c);
  }
  changing_.seen = changing_.moving;
  for (const int i : parts_.near) {
    bool around = false;
    rows_.each(i, [&](int c, double) { around = around || live[index(c)] != 0; });
    if (around) changing_.near.push_back(i);
  }
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
  // What strikes a body at rest, be it a drive without coordinates, says how fast it will be.
  double moving = end_point_.v.squaredNorm();
  for (const int i : parts_.near) {
    if (pressed(i))
      moving = std::max(moving, square(contacts_[index(i)].reach * end_point_.r[index(i)]));
  }
  // Below a millionth of the fastest so far there is but rounding to follow.
  return std::sqrt(error / std::max({moving, accelerated, 1e-12 * fastest_, 1e-300}));
}

}  // namespace carom
