// Coulomb's friction of compliant contacts.

#include <algorithm>
#include <cmath>
#include <limits>

#include <carom/contacts/system_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

/// Tangential over normal stiffness of elastic bodies in contact, 2 (1 - nu)/(2 - nu) at nu = 0.3.
/// [Mindlin1949]
constexpr double mindlin_ratio = 2 * (1 - 0.3) / (2 - 0.3);
constexpr double chatter = 1e-10;  // of the terms of a guard: no more than their rounding
/// Of the rounding of a gap, and of the length of a contact: compressions at which a normal force
/// is not known well enough to say what it holds.
constexpr double unsure_gaps = 1e4, unsure_length = 1e-9;

/// What friction is in proportion to. Where a contact ends by force a step that is tried beyond the
/// end goes on smoothly, or none could be made that reaches it.
template <class Touch>
double pressing(const Touch& touch, double normal) noexcept {
  return touch.state.ends_at_edge(touch.contact) ? std::max(0.0, normal) : normal;
}

}  // namespace

/// Sliding speeds u = T v + r of all contacts at a point whose q and v are known.
void SystemMarch::slips(double t, Point& point) const {
  if (!rubs_) return;
  system_.tangents(t, point.q, tangents_);
  system_.slip_rates(t, point.q, slip_rates_);
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    point.carried[i] = slip_rates_[row];
    point.slip[i] = point.carried[i];
    for (SparseRows::InnerIterator entry(tangents_, row); entry; ++entry)
      point.slip[i] += entry.value() * point.v[entry.col()];
  }
}

/// The elongation of the tangential spring: a contact that slides holds as much as mu F_n.
double SystemMarch::spring(const Touch& touch, double stuck, double normal) noexcept {
  if (touch.friction.stiffness == 0) return 0.0;
  if (touch.friction.slides == 0) return stuck;
  return touch.friction.slides * touch.friction.coefficient * pressing(touch, normal) /
         touch.friction.stiffness;
}

/// Its force is -k_t s along the tangent. Before: the normal forces and slips() of the point.
void SystemMarch::rub(Point& point, Eigen::VectorXd& force) const {
  if (!rubs_) return;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    const Touch& touch = contacts_[i];
    point.spring[i] = touch.state.touching() ? spring(touch, point.spring[i], point.f[i]) : 0.0;
    const double pull = -touch.friction.stiffness * point.spring[i];
    if (pull == 0) continue;
    for (SparseRows::InnerIterator entry(tangents_, static_cast<Eigen::Index>(i)); entry; ++entry)
      force[entry.col()] += pull * entry.value();
  }
}

/// s = s0 + int u dt at the nodes, by the slips of the sweep before.
void SystemMarch::stretch_springs(double h) {
  if (!rubs_) return;
  const Collocation& c = table();
  for (int k = 0; k < S; ++k) {
    nodes_[k].spring = begin_.spring;
    for (int j = 0; j < S; ++j) {
      for (std::size_t i = 0; i < contacts_.size(); ++i)
        nodes_[k].spring[i] += h * c.rate[j][k] * nodes_[j].slip[i];
    }
  }
}

void SystemMarch::stretch_to_end(double h) {
  if (!rubs_) return;
  end_point_.spring = begin_.spring;
  for (int j = 0; j < S; ++j) {
    for (std::size_t i = 0; i < contacts_.size(); ++i)
      end_point_.spring[i] += h * table().weight[j] * nodes_[j].slip[i];
  }
}

/// What the springs store at a moment; their elongation is taken from the normal force where they
/// slide [J].
double SystemMarch::spring_energy(std::size_t contact, double stuck, double x, double r) const {
  const Touch& touch = contacts_[contact];
  if (!rubs_ || touch.friction.stiffness == 0 || !touch.state.touching()) return 0.0;
  const double normal = touch.state.force(touch.contact, x, r).total();
  return 0.5 * touch.friction.stiffness * square(spring(touch, stuck, normal));
}

/// Positive while a contact goes on sticking, mu F_n - k_t |s|, or sliding, the speed of its slip
/// u - s' in that direction. `at`: -1 the beginning of a step, then its nodes, S its end.
double SystemMarch::rubbing_guard(std::size_t contact, int at, double h) const {
  const Touch& touch = contacts_[contact];
  const Friction& friction = touch.friction;
  if (!rubs_ || friction.stiffness == 0 || !touch.state.touching()) return ContactState::holds;
  const Point& point = at < 0 ? begin_point_ : at < S ? nodes_[at] : end_point_;
  if (point.x[contact] - touch.state.edge(touch.contact) <=
      unsure_gaps * gap_rounding() + unsure_length * touch.length)
    return ContactState::holds;
  const double limit = friction.coefficient * std::max(0.0, point.f[contact]);
  // What the rounding of the gap makes of the limit [N].
  const double beside =
      touch.state.force(touch.contact, point.x[contact] + gap_rounding(), point.r[contact]).total();
  const double unsure = friction.coefficient * std::abs(beside - point.f[contact]);
  if (friction.slides == 0) {
    const double held = friction.stiffness * std::abs(point.spring[contact]);
    return limit - held + chatter * (limit + held) + unsure;
  }
  const Collocation& c = table();
  const double sigma = at < 0 ? 0.0 : at < S ? c.sigma[at] : 1.0;
  const double clock = c.slope_at(sigma);
  if (!(clock > 0)) return ContactState::holds;  // at the singular end of a clock
  const Collocation::Nodes slopes = c.basis_slope_at(sigma);
  double growth = 0;  // of mu F_n/k_t
  for (int j = 0; j < S; ++j) growth += slopes[j] * pressing(touch, nodes_[j].f[contact]);
  growth *= friction.coefficient / (friction.stiffness * h * clock);
  const double slip = friction.slides * point.slip[contact];
  return slip - growth + chatter * (std::abs(slip) + std::abs(growth)) +
         unsure / (friction.stiffness * h);
}

/// A contact that has just begun: how stiff its spring is, and whether it holds. A force that
/// begins at zero holds only what grows more slowly than it.
void SystemMarch::begin_rubbing(int contact) {
  const std::size_t i = index(contact);
  Touch& touch = contacts_[i];
  Friction& friction = touch.friction;
  if (!rubs_) return;
  end_.spring[i] = end_point_.spring[i] = 0.0;
  friction.slides = 0;
  friction.stiffness = 0;
  if (!(friction.coefficient > 0)) return;
  const double stored =
      std::visit([&](const auto& law) { return law.potential(touch.length, ContactMemory{}); },
                 touch.contact.law);
  friction.stiffness =
      friction.given > 0 ? friction.given : mindlin_ratio * 2 * stored / square(touch.length);
  if (!(friction.stiffness > 0) || !std::isfinite(friction.stiffness)) friction.stiffness = 0;
  if (friction.stiffness == 0) return;
  slips(end_.t, end_point_);
  const double u = end_point_.slip[i], x = end_point_.x[i], r = end_point_.r[i];
  const auto normal = [&](double at) { return touch.state.force(touch.contact, at, r).total(); };
  if (normal(x) > 0) return;
  const double ahead = 1e-6 * touch.length;
  const double growth = std::max(0.0, normal(x + ahead)) / ahead * std::max(0.0, r) *
                        friction.coefficient / friction.stiffness;
  if (std::abs(u) > growth) friction.slides = u > 0 ? 1 : -1;
}

/// From sticking to sliding, or back. What a spring held beyond the limit is lost.
void SystemMarch::pass_rubbing(int contact) {
  const std::size_t i = index(contact);
  Friction& friction = contacts_[i].friction;
  if (friction.slides != 0) {
    friction.slides = 0;
    return;
  }
  const double way = end_.spring[i] != 0 ? end_.spring[i] : end_point_.slip[i];
  const double x = end_point_.x[i], r = end_point_.r[i];
  const double held = spring_energy(i, end_.spring[i], x, r);
  friction.slides = way > 0 ? 1 : -1;
  loss_ += held - spring_energy(i, end_.spring[i], x, r);
}

/// An impact beside it changes the rate of a contact, and with it what holds a spring, at an
/// instant in which the spring stays as it is: those that hold too much for it begin to slide.
void SystemMarch::hold_springs() {
  for (std::size_t i = 0; rubs_ && i < contacts_.size(); ++i) {
    if (contacts_[i].state.touching()) contacts_[i].friction.slides = 0;
  }
}

void SystemMarch::slip_springs() {
  for (std::size_t i = 0; rubs_ && i < contacts_.size(); ++i) {
    const Touch& touch = contacts_[i];
    if (!touch.state.touching() || touch.friction.slides != 0) continue;
    const double normal =
        touch.state.force(touch.contact, end_point_.x[i], end_point_.r[i]).total();
    const double limit = touch.friction.coefficient * std::max(0.0, normal);
    if (touch.friction.stiffness * std::abs(end_.spring[i]) > limit * (1 + chatter))
      pass_rubbing(static_cast<int>(i));
  }
}

/// Steps in which sweeps over a tangential spring contract.
double SystemMarch::longest_rubbing_step() {
  double longest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; rubs_ && i < contacts_.size(); ++i) {
    const Touch& touch = contacts_[i];
    if (touch.friction.stiffness == 0 || !touch.state.touching()) continue;
    force_.setZero();
    for (SparseRows::InnerIterator entry(tangents_, static_cast<Eigen::Index>(i)); entry; ++entry)
      force_[entry.col()] += entry.value();
    dynamics_.solve(force_, solved_);
    double mobility = 0;
    for (SparseRows::InnerIterator entry(tangents_, static_cast<Eigen::Index>(i)); entry; ++entry)
      mobility += entry.value() * solved_[entry.col()];
    if (mobility > 0)
      longest = std::min(longest, 0.7 / std::sqrt(touch.friction.stiffness * mobility));
  }
  return longest;
}

}  // namespace carom
