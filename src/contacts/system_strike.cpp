// Impacts without duration.

#include <algorithm>
#include <cmath>
#include <limits>

#include <carom/contacts/system_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr double bounce_share = 1e-16;  // of the largest energy: an impact not worth counting
constexpr double kept_alive = 1e-11;    // of it: rounding feeds bounces that should decay
constexpr double settled = 1e-12;       // of the fastest: impacts one after the other end there
constexpr double unresolved = 100;      // roundings of a gap: bounces are not seen

}  // namespace

/// The contacts that take part in an impact: the one that is struck, those that are held, and, but
/// for impacts one after the other, all that are closed at this instant.
std::vector<int> SystemMarch::struck_with(int contact) const {
  std::vector<int> all{contact};
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    const Touch& touch = contacts_[index(i)];
    if (i == contact || !is_newton(touch) || !system_.can_touch(i, end_.q)) continue;
    const bool held = touch.state.phase() == Phase::resting;
    const bool closed = touch.state.phase() == Phase::apart &&
                        std::abs(end_point_.x[index(i)]) <= gap_rounding() + landing_error();
    if (held || closed) all.push_back(i);
  }
  return all;
}

/// How far a gap may be from closed where a step was led to its end [m].
double SystemMarch::landing_error() const { return 1e-15 * end_.t * std::sqrt(fastest_); }

/// An impulse at an instant, by the impact law over all contacts without duration that are closed.
/// The relative motion loses -p.(u+ + u-)/2; an obstacle that moves does work on the system.
void SystemMarch::strike(int contact) {
  const std::vector<int> all = struck_with(contact);
  const auto n = static_cast<Eigen::Index>(all.size());
  const bool rubs = !settings_.friction.empty() && system_.has_tangents();
  const Eigen::Index rows = rubs ? 2 * n : n;
  dynamics_.set_position(end_.q);
  if (!dynamics_.factor()) status_ = MarchStatus::not_finite;
  rows_.read(system_, end_.t, end_.q);
  SparseRows tangents;
  Eigen::VectorXd slips = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(contacts_.size()));
  if (rubs) {
    tangents.resize(slips.size(), end_.q.size());
    system_.tangents(end_.t, end_.q, tangents);
    system_.slip_rates(end_.t, end_.q, slips);
  }
  const auto rate = [&](Eigen::Index row, const Eigen::VectorXd& v) {
    const int i = all[static_cast<std::size_t>(row % n)];
    return row < n ? contacts_[index(i)].side * rows_.rate(i, v) : tangents.row(i).dot(v);
  };
  // Images M^-1 G^T, Delassus matrix, rates before, and the part of them that obstacles have.
  Eigen::MatrixXd images(end_.q.size(), rows), W(rows, rows);
  Eigen::VectorXd before(rows), moving(rows);
  for (Eigen::Index b = 0; b < rows; ++b) {
    const int i = all[static_cast<std::size_t>(b % n)];
    force_.setZero();
    if (b < n) {
      rows_.push(i, contacts_[index(i)].side, force_);
    } else {
      force_ += tangents.row(i).transpose();
    }
    dynamics_.solve(force_, solved_);
    images.col(b) = solved_;
    for (Eigen::Index a = 0; a < rows; ++a) W(a, b) = rate(a, solved_);
    moving[b] = b < n ? -end_point_.moved[index(i)] : slips[i];
    before[b] = rate(b, end_.v) + moving[b];
  }
  std::vector<double> restitution, friction;
  double approach = 0.0;  // energy of the fastest [J]
  for (Eigen::Index a = 0; a < n; ++a) {
    const Touch& touch = contacts_[index(all[static_cast<std::size_t>(a)])];
    // Newton's u+ >= -e u- would turn a contact that another impact of this instant has opened
    // into one that approaches.
    const bool opened = settings_.impact_law == ImpactLaw::newton && before[a] > 0;
    restitution.push_back(opened ? 0.0 : touch.restitution);
    if (rubs) friction.push_back(settings_.friction[index(all[static_cast<std::size_t>(a)])]);
    if (before[a] < 0) approach = std::max(approach, 0.5 * square(before[a]) / W(a, a));
  }
  // Bounces that follow each other ever faster end in one without rebound, at the latest when they
  // are no higher than rounding or are kept alive by it.
  const Touch& hit = contacts_[index(contact)];
  const double height = end_point_.r[index(contact)] * hit.period;
  const bool last = approach <= bounce_share * highest_ ||
                    (approach <= kept_alive * highest_ && !hit.decays) ||
                    height <= unresolved * gap_rounding();
  if (last) restitution.assign(restitution.size(), 0.0);
  ImpactProblem problem(static_cast<int>(n), rubs, {});
  Eigen::VectorXd impulses = Eigen::VectorXd::Zero(rows);
  const LcpResult solved =
      problem.solve({W, before, before, restitution, friction, settings_.impact_law},
                    std::vector<char>(static_cast<std::size_t>(n), 1), impulses);
  if (solved.status != LcpStatus::solved) status_ = MarchStatus::not_converged;
  const Eigen::VectorXd after = before + W * impulses;
  const double still = std::max(settled * before.head(n).cwiseAbs().maxCoeff(), no_speed());
  hold_springs();
  end_.v += images * impulses;
  loss_ -= 0.5 * impulses.dot(before + after);
  struck_work_ -= impulses.dot(moving);
  end_point_.v = end_.v;
  compressions(end_.t, end_point_);
  for (Eigen::Index a = 0; a < n; ++a) {
    const int i = all[static_cast<std::size_t>(a)];
    Touch& touch = contacts_[index(i)];
    const bool was_held = touch.state.phase() == Phase::resting;
    if (impulses[a] > 0 && i != contact) note_touch(i, std::max(0.0, -before[a]), 1 / W(a, a));
    if (impulses[a] > 0 || i == contact) {
      impulse_end_[index(i)] += impulses[a];
      touch.impact.impulse = impulses[a];
      touch.impact.record.speed_out = std::abs(after[a]);
      touch.impact.record.max_force = std::numeric_limits<double>::infinity();
      touch.impact.after = {end_.q, end_.v};
      if (!last) due_.push_back(touch.impact);
    }
    if (std::abs(after[a]) <= still && (impulses[a] > 0 || was_held)) {
      touch.state.rest();  // until choose_held() finds that it does not press
      touch.ghost = false;
    } else if (impulses[a] > 0 || was_held || i == contact) {
      let_go(i);
    }
  }
}

}  // namespace carom
