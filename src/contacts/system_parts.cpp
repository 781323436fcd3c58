// Which bodies feel forces that change, and which move on by themselves.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <carom/contacts/system_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double looked_at = -1.0;  // in place of the instant: the contact is among those near

}  // namespace

/// Everything takes part, until settle() finds what does not.
void SystemMarch::arrange_all() {
  const auto coordinates = static_cast<std::size_t>(system_.coordinates());
  parts_.idle.assign(coordinates, 0);
  parts_.wakes.assign(contacts_.size(), looked_at);
  parts_.moving.resize(coordinates);
  std::iota(parts_.moving.begin(), parts_.moving.end(), 0);
  parts_.seen = parts_.moving;
  parts_.near.resize(contacts_.size());
  std::iota(parts_.near.begin(), parts_.near.end(), 0);
  const auto newton = [](const Touch& touch) { return is_newton(touch); };
  parts_.local = settings_.scheme == SystemScheme::collocation && system_.has_parts() &&
                 !system_.has_gap_rates() && !rubs_ &&
                 std::none_of(contacts_.begin(), contacts_.end(), newton);
  if (!parts_.local) return;
  parts_.contacts_of.assign(coordinates, {});
  rows_.read(system_, 0.0, end_.q);
  for (const int i : parts_.near)
    rows_.each(i, [&](int c, double) { parts_.contacts_of[index(c)].push_back(i); });
  dynamics_.set_position(end_.q);
  parts_.steady.setZero(end_.q.size());
  system_.force(0.0, end_.q, end_.v, parts_.moving, parts_.steady);
  system_.divide_by_mass(parts_.moving, parts_.steady);
  if (!dynamics_.factor()) status_ = MarchStatus::not_finite;  // M is constant: once for all
  read_energy();
}

/// What the whole has and the part has not.
void SystemMarch::read_energy() {
  dynamics_.set_position(begin_.q);
  parts_.energy = dynamics_.kinetic_energy(begin_.v) + dynamics_.potential_energy() -
                  system_.energy(begin_.q, begin_.v, parts_.moving);
}

/// At the beginning of a step: lets go of what has come to move by itself.
void SystemMarch::settle(double h) {
  if (!parts_.local) return;
  for (const int i : parts_.near) {
    if (contacts_[index(i)].asleep || !slight(i, begin_point_, 0.5)) continue;
    conclude(i);
    contacts_[index(i)].asleep = true;
  }
  bool settled = false;
  for (const int c : parts_.moving) {
    const auto& around = parts_.contacts_of[index(c)];
    if (!system_.steady(c) || !std::all_of(around.begin(), around.end(), [&](int i) {
          return left_alone_until(i) > begin_.t + 2 * h;
        })) {
      continue;
    }
    parts_.idle[index(c)] = 1;
    settled = true;
  }
  if (settled) arrange();
}

/// What the errors of the steps in which a contact has pressed can have added up to: a step leaves
/// `tolerance` of the velocities, and forces that are known as well as compressions are, which the
/// rounding of the coordinates limits [m/s].
double SystemMarch::slight_speed(const Touch& touch) const {
  const double of_forces = touch.period > 0 ? gap_rounding() / touch.period : 0.0;
  return static_cast<double>(touch.steps + 1) *
         (settings_.tolerance * std::sqrt(fastest_) + of_forces);
}

/// How far that speed compresses a contact, and rounding [m].
double SystemMarch::slight_depth(const Touch& touch) const {
  const double energy = 0.5 * touch.collision.mass * square(slight_speed(touch));
  return gap_rounding() + std::visit([&](const auto& law) { return length_of_energy(law, energy); },
                                     touch.contact.law);
}

/// Whether a contact is closed but neither moves nor is compressed by more than a share of what
/// errors could do: rounding holds such contacts closed behind a wave, and before it those that
/// just touch.
bool SystemMarch::slight(int contact, const Point& point, double share) const {
  const std::size_t i = index(contact);
  const Touch& touch = contacts_[i];
  if (touch.state.phase() == Phase::apart || rows_.rate(contact, parts_.steady) != 0) return false;
  const double edge = touch.state.edge(touch.contact);
  return std::abs(point.r[i]) <= share * slight_speed(touch) &&
         std::abs(point.x[i] - edge) <= share * slight_depth(touch) &&
         touch.state.force(touch.contact, edge, 0.0).total() == 0;
}

/// Until when a contact that is near needs not be looked at, if the bodies on both sides move by
/// themselves [s].
double SystemMarch::left_alone_until(int contact) const {
  const std::size_t i = index(contact);
  const Touch& touch = contacts_[i];
  const double x = begin_point_.x[i], r = begin_point_.r[i];
  const double a = -touch.side * rows_.rate(contact, parts_.steady);
  if (touch.state.phase() == Phase::apart)
    return begin_.t + next_crossing(touch.state, touch.contact, x, r, a).time;
  if (!touch.asleep) return 0.0;
  const double way = std::copysign(1.0, r) * (x - touch.state.edge(touch.contact));
  return r == 0 ? never : begin_.t + (slight_depth(touch) - way) / std::abs(r);
}

/// Who takes part, after `idle` has changed. The points of the step are those of its beginning.
void SystemMarch::arrange() {
  parts_.near.clear();
  parts_.moving.clear();
  parts_.seen.clear();
  parts_.until = never;
  std::vector<char>& seen = parts_.scratch;
  seen.assign(parts_.idle.size(), 0);
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    bool near = false;
    rows_.each(i, [&](int c, double) { near = near || parts_.idle[index(c)] == 0; });
    double& wakes = parts_.wakes[index(i)];
    if (near) {
      wakes = looked_at;
      parts_.near.push_back(i);
      rows_.each(i, [&](int c, double) { seen[index(c)] = 1; });
      continue;
    }
    if (wakes == looked_at) {
      wakes = left_alone_until(i);
      for (Point* p : points()) p->f[index(i)] = p->lost[index(i)] = p->target[index(i)] = 0.0;
    }
    parts_.until = std::min(parts_.until, wakes);
  }
  for (int c = 0; c < static_cast<int>(parts_.idle.size()); ++c) {
    if (parts_.idle[index(c)] == 0) {
      parts_.moving.push_back(c);
      seen[index(c)] = 1;
    } else {
      for (Point* p : points()) p->a[c] = parts_.steady[c];
    }
    if (seen[index(c)] != 0) parts_.seen.push_back(c);
  }
  read_energy();
}

/// The impact of a contact that has gone as far as can be seen. It stays closed, so that what
/// presses it again finds it so.
void SystemMarch::conclude(int contact) {
  Touch& touch = contacts_[index(contact)];
  if (!touch.state.touching() || touch.impact.record.max_compression <= slight_depth(touch)) return;
  touch.impact.record.speed_out = std::abs(begin_point_.r[index(contact)]);
  touch.impact.record.contact_time = begin_.t - touch.impact.record.time;
  touch.impact.after = {begin_.q, begin_.v};
  due_.push_back(touch.impact);
  note_touch(contact, 0.0, touch.collision.mass);
}

/// Brings back what must be looked at before `until` [s]; false: there is nothing.
bool SystemMarch::wake(double until) {
  if (!parts_.local || !(parts_.until < until)) return false;
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    const double wakes = parts_.wakes[index(i)];
    if (wakes == looked_at || !(wakes < until)) continue;
    rows_.each(i, [&](int c, double) { parts_.idle[index(c)] = 0; });
  }
  arrange();
  evaluate(begin_.t, begin_point_);
  return true;
}

/// Wakes the contacts that move or are compressed within a step, and brings in what the contacts at
/// the rim of the part push; false: nothing.
bool SystemMarch::widen() {
  if (!parts_.local) return false;
  bool wider = false;
  for (const int i : parts_.near) {
    Touch& touch = contacts_[index(i)];
    if (touch.asleep && std::any_of(nodes_.begin(), nodes_.end(),
                                    [&](const Point& node) { return !slight(i, node, 1.0); })) {
      touch.asleep = false;
      wider = true;
    }
    if (!pressed(i)) continue;
    rows_.each(i, [&](int c, double) {
      wider = wider || parts_.idle[index(c)] != 0;
      parts_.idle[index(c)] = 0;
    });
  }
  if (!wider) return false;
  arrange();
  evaluate(begin_.t, begin_point_);
  return true;
}

std::array<SystemMarch::Point*, SystemMarch::S + 3> SystemMarch::points() noexcept {
  std::array<Point*, S + 3> all{};
  for (int k = 0; k < S; ++k) all[index(k)] = &nodes_[index(k)];
  all[S] = &begin_point_;
  all[S + 1] = &end_point_;
  all[S + 2] = &scratch_;
  return all;
}

}  // namespace carom
