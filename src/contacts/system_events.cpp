// Phases that end.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <carom/contacts/system_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

/// The phases that end where the last step ended.
void SystemMarch::pass_events() {
  read_gap_rounding();
  end_point_.q = end_.q;
  end_point_.v = end_.v;
  end_point_.spring = end_.spring;
  compressions(end_.t, end_point_);
  const Event event = std::exchange(event_, {});
  if (event.contact >= 0) pass(event.contact, event.guard);
  for (const int i : parts_.near) {
    Touch& touch = contacts_[index(i)];
    const double x = end_point_.x[index(i)], r = end_point_.r[index(i)];
    const double near = 1e-13 * touch.length + gap_rounding();
    if (touch.state.phase() == Phase::apart && !touch.ghost && i != event.contact &&
        x >= touch.state.onset(touch.contact) && r >= 0 && (r > 0 || x > 0) && !just_touches(i)) {
      pass(i, 0);
    }
    // An impact next to it may have turned round a contact that has only begun. One that leaves
    // its edge more slowly than by a rounding within its period parts when it has left.
    const double slow = touch.period > 0 ? gap_rounding() / touch.period : 0.0;
    const bool ended = i == event.contact && event.guard == 0;
    const double depth = x - touch.state.edge(touch.contact);
    const bool left = r < 0 && depth < -gap_rounding();
    if (pressed(i) && !ended &&
        (left || (r < -slow && (depth <= near || (!touch.state.ends_at_edge(touch.contact) &&
                                                  touch.state.guards(touch.contact, x, r)[0] <=
                                                      -rounded(index(i), 0, end_point_)))))) {
      pass(i, 0);
    }
    // It may also have turned the motion, which ends a branch of a law, and brings a body that was
    // leaving back to a surface that was behind it.
    const bool turns = pressed(i) || (touch.state.phase() == Phase::recovering && r > 0);
    if (turns && !(i == event.contact && event.guard == 1) &&
        touch.state.guards(touch.contact, x, r)[1] < -rounded(index(i), 1, end_point_)) {
      pass(i, 1);
    }
    if (touch.state.touching() && !system_.can_touch(i, end_.q)) {
      loss_ += touch.state.potential(touch.contact, x);
      if (rubs_) loss_ += spring_energy(index(i), end_.spring[index(i)], x, r);
      touch.state.part();
      touch.ghost = x > touch.state.onset(touch.contact);
      touch.impact.record.speed_out = std::abs(r);
      touch.impact.record.contact_time = end_.t - touch.impact.record.time;
      touch.impact.after = {end_.q, end_.v};
      due_.push_back(touch.impact);
    }
  }
  press_neighbours();
  choose_held();
  slip_springs();
}

double SystemMarch::no_speed() const { return rounding * std::sqrt(fastest_); }

/// On the edge and at no speed, but for rounding.
bool SystemMarch::just_touches(int contact) const {
  const std::size_t i = index(contact);
  const double onset = contacts_[i].state.onset(contacts_[i].contact);
  return std::abs(end_point_.x[i] - onset) <= gap_rounding() &&
         std::abs(end_point_.r[i]) <= no_speed();
}

/// Bodies that just touch, at no speed, are pressed together by the forces that act on them and by
/// the contacts next to them, of which those that have only begun have no force yet but will.
void SystemMarch::press_neighbours() {
  std::vector<int> waiting, found;
  for (const int i : parts_.near) {
    const Touch& touch = contacts_[index(i)];
    if (touch.state.phase() == Phase::apart && !touch.ghost && !is_newton(touch) &&
        just_touches(i) && system_.can_touch(i, end_.q)) {
      waiting.push_back(i);
    }
  }
  while (!waiting.empty()) {
    evaluate(end_.t, end_point_);
    force_.setZero();
    for (const int i : parts_.near) {
      const Touch& touch = contacts_[index(i)];
      if (!touch.state.touching()) continue;
      const double rising = std::max(end_point_.r[index(i)], std::numeric_limits<double>::min());
      rows_.push(i, touch.side * rising, force_);
    }
    dynamics_.solve(force_, solved_);
    found.clear();
    std::erase_if(waiting, [&](int i) {
      const double side = contacts_[index(i)].side;
      const double push = -side * rows_.rate(i, end_point_.a),
                   rise = -side * rows_.rate(i, solved_);
      if (!(push > 0 || (push == 0 && rise > 0))) return false;
      found.push_back(i);
      return true;
    });
    if (found.empty()) return;
    for (const int i : found) pass(i, 0);
  }
}

/// Of the relative motion and the compression of a contact at the end of the last step [J].
double SystemMarch::contact_energy(std::size_t i) const {
  const Touch& touch = contacts_[i];
  return 0.5 * touch.collision.mass * square(end_point_.r[i]) +
         std::max(0.0, touch.state.potential(touch.contact, end_point_.x[i]));
}

/// The largest of all contacts: what one that begins at no speed can be given.
double SystemMarch::energy_beside() const {
  double energy = 0.0;
  for (const int i : parts_.near) {
    if (pressed(i)) energy = std::max(energy, contact_energy(index(i)));
  }
  return energy;
}

double SystemMarch::mobility(int contact) {
  dynamics_.set_position(end_.q);
  if (!dynamics_.factor()) return 0.0;
  rows_.read(system_, end_.t, end_.q);
  force_.setZero();
  rows_.push(contact, 1.0, force_);
  dynamics_.solve(force_, solved_);
  return rows_.rate(contact, solved_);
}

void SystemMarch::note_touch(int contact, double speed, double mass) {
  Touch& touch = contacts_[index(contact)];
  touch.collision = {mass, speed};
  touch.impact = {.contact = contact,
                  .record = {.time = end_.t, .speed_in = speed},
                  .effective_mass = mass,
                  .impulse = 0.0,
                  .before = {end_.q, end_.v},
                  .after = {}};
}

void SystemMarch::pass(int contact, int guard) {
  const std::size_t i = index(contact);
  Touch& touch = contacts_[i];
  if (guard == smooth) return;
  if (guard == rubbing) {
    pass_rubbing(contact);
    return;
  }
  if (touch.state.phase() == Phase::resting) {
    let_go(contact);
    return;
  }
  const Phase before = touch.state.phase();
  const double x = end_point_.x[i], r = end_point_.r[i], dent = touch.state.dent();
  if (before == Phase::apart && guard == turned) {
    // It did get away, and that was the top of its flight; or it did not; or another impact of the
    // same instant has pushed it back, which makes an impact of its own.
    if (x < -gap_rounding() - landing_error()) return;
    if (!(r > no_speed())) {
      touch.state.rest();
      return;
    }
  }
  if (before == Phase::apart) {
    if (!system_.can_touch(contact, end_.q)) {
      if (system_.two_sided(contact)) {
        touch.side = -touch.side;
        end_point_.x[i] = -x;
        end_point_.r[i] = -r;
      } else {
        touch.ghost = true;
      }
      return;
    }
    // Of bounces, the period is the time since the last.
    touch.period = touch.impact.impulse > 0 ? end_.t - touch.impact.record.time
                                            : std::numeric_limits<double>::infinity();
    touch.decays = std::abs(r) < touch.impact.record.speed_in;
    if (std::abs(r) > slight_speed(touch)) touch.steps = 0;
    const double mass = 1 / mobility(contact);
    touch.reach = mass * solved_.norm();
    note_touch(contact, std::abs(r), mass);
    LawChoice law = touch.law;
    if (settings_.law_of_impact && std::abs(r) > 0)
      law = settings_.law_of_impact(contact, touch.collision);
    if (const auto* newton = std::get_if<NewtonRestitution>(&law)) {
      touch.restitution = newton->restitution;
      strike(contact);
      return;
    }
    touch.contact.law = std::get<AnyLaw>(law);
  }
  const double held = rubs_ ? spring_energy(i, end_.spring[i], x, r) : 0.0;
  loss_ += touch.state.pass(touch.contact, guard, x, r);
  // Nothing is left to come back.
  if (touch.state.phase() == Phase::recovering && !touch.state.in_plastic_dent(touch.contact) &&
      x <= touch.state.dent()) {
    loss_ += touch.state.pass(touch.contact, 0, x, r);
  }
  if (before == Phase::touching && !touch.state.touching()) loss_ += held;
  if (before != Phase::touching && touch.state.touching()) {
    if (before != Phase::apart) note_touch(contact, std::abs(r), touch.collision.mass);
    const double mass = touch.collision.mass;
    const double energy = contact_energy(i) > 0 ? contact_energy(i) : energy_beside();
    begin_point_.q = end_.q;
    begin_point_.v = end_.v;
    begin_point_.spring = end_.spring;
    evaluate(end_.t, begin_point_);
    const double press = mass * std::abs(rows_.rate(contact, begin_point_.a));
    touch.length = std::visit(
        [&](const auto& chosen) {
          double length = length_of_energy(chosen, energy);
          for (int n = 0; n < 4 && press > 0; ++n) {
            length = std::max(length,
                              length_of_energy(chosen, energy + press * std::max(length, 1e-12)));
          }
          return length;
        },
        touch.contact.law);
    const double speed = std::sqrt(2 * (energy + press * touch.length) / mass);
    touch.period = speed > 0 ? touch.length / speed : 1 / settings_.rate;
    touch.impact.record.max_force = std::max(0.0, touch.state.force(touch.contact, x, r).total());
    begin_rubbing(contact);
    onset_power_ = std::max(onset_power_, grade_of(touch.contact));
    next_h_ = next_h_ > 0 ? std::min(next_h_, 0.4 * touch.period) : 0.4 * touch.period;
  }
  if (before == Phase::touching && !touch.state.touching()) {
    ImpactRecord& record = touch.impact.record;
    record.speed_out = std::abs(r);
    record.contact_time = end_.t - record.time;
    record.separation_compression = std::max(0.0, x - dent);
    touch.impact.after = {end_.q, end_.v};
    // Bodies that only just touched and part again had no impact.
    if (record.max_compression > slight_depth(touch) || record.speed_in > slight_speed(touch))
      due_.push_back(touch.impact);
    if (!touching()) next_h_ = flight_h_ > 0 ? 0.5 * flight_h_ : 0.0;
  }
}

}  // namespace carom
