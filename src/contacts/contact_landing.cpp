// The ends of phases within a step of contact, and the way to them.

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/tools/toms748_solve.hpp>

#include <carom/contacts/contact_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int max_landings = 40;

}  // namespace

/// Compression and rate of a contact at node k of the solved step, or at its end for k = S.
ContactMarch::Motion ContactMarch::motion_at(int contact, int k, double h,
                                             const Collocation& table) const {
  const auto at = std::find(active_.begin(), active_.end(), contact);
  if (at != active_.end()) {
    const Unknown& u = unknowns_[static_cast<std::size_t>(at - active_.begin())];
    return k < S ? Motion{u.x[k], u.v[k]} : Motion{u.x1, u.r1};
  }
  const std::size_t i = index(contact);
  const double t = k < S ? h * table.time[k] : h;
  Motion now{t * (end_.r[i] + 0.5 * t * pushed_x_[i]), end_.r[i] + t * pushed_x_[i]};
  for (std::size_t b = 0; b < active_.size(); ++b) {
    const double w = delassus_(contact, active_[b]);
    if (w == 0) continue;
    const Unknown& other = unknowns_[b];
    if (k == S) {
      now.x -= w * other.travel;
      now.v -= w * other.impulse;
      continue;
    }
    for (int j = 0; j < S; ++j) {
      now.x -= w * h * h * table.place[j][k] * other.f[j];
      now.v -= w * h * table.rate[j][k] * other.f[j];
    }
  }
  now.x += end_.x[i];
  return now;
}

/// The first phase that ends within the step, and an estimate of when; all but one.
ContactMarch::Event ContactMarch::first_event(double h, const Collocation& table, double& when,
                                              Event except) const {
  Event first;
  for (int i = 0; i < static_cast<int>(states_.size()); ++i) {
    const ContactState& state = states_[index(i)];
    const Contact& contact = contacts_[index(i)];
    if (state.phase() == Phase::resting) continue;
    Motion last{end_.x[index(i)], end_.r[index(i)]};
    ContactState::Guards before = state.guards(contact, last.x, last.v);
    double t_before = 0;
    for (int k = 0; k <= S; ++k) {
      const double t = k < S ? h * table.time[k] : h;
      const Motion now = motion_at(i, k, h, table);
      const ContactState::Guards guards = state.guards(contact, now.x, now.v);
      // On its edge a contact has but the rounding of its neighbours' motion.
      const bool open =
          !state.touching() || std::abs(now.x - state.edge(contact)) > on_edge * length_[index(i)];
      double crossing = h;
      int guard = -1;
      for (int g = 0; g < 2; ++g) {
        if (!open && !(g == 1 && k == S)) continue;
        if (!(guards[g] < 0) || !(before[g] > 0 || k > 0)) continue;
        if (i == except.contact && g == except.guard) continue;
        const double share = before[g] > 0 && before[g] < ContactState::holds
                                 ? before[g] / (before[g] - guards[g])
                                 : 0.5;
        if (guard >= 0 && !(t_before + share * (t - t_before) < crossing)) continue;
        crossing = t_before + share * (t - t_before);
        guard = g;
      }
      if (guard < 0 && state.phase() == Phase::apart) {
        const double summit = summit_beyond(state.onset(contact), last, now, t - t_before);
        if (summit > 0) {
          crossing = t_before + summit;
          guard = 0;
        }
      }
      if (guard >= 0) {
        if (first.contact < 0 || crossing < when) {
          when = std::min(when, crossing);
          first = {i, guard};
        }
        break;
      }
      last = now;
      before = guards;
      t_before = t;
    }
  }
  return first;
}

double ContactMarch::guard_at_end(Event event, double h, const Collocation& table) const {
  const Motion now = motion_at(event.contact, S, h, table);
  return states_[index(event.contact)].guards(contacts_[index(event.contact)], now.x,
                                              now.v)[event.guard];
}

/// Where the step first leaves the smooth piece of a law that it begins in, and an estimate of
/// when.
ContactMarch::Event ContactMarch::first_break(double h, const Collocation& table,
                                              double& when) const {
  Event first;
  for (std::size_t a = 0; a < active_.size(); ++a) {
    const std::size_t i = index(active_[a]);
    const Unknown& u = unknowns_[a];
    const double near = on_edge * length_[i], begin = end_.x[i];
    const double edge = states_[i].edge(contacts_[i]);
    const auto beyond = [&](double x, int way) {
      const double place = states_[i].next_break(contacts_[i], x, way);
      return place > edge + near ? place : -std::numeric_limits<double>::infinity();
    };
    // The first node tells the piece, unless there is an end of it on the way there.
    double low = beyond(u.x[0], -1), high = beyond(u.x[0], 1);
    if (begin < low - near) high = beyond(begin + near, 1);
    if (begin > high + near) low = beyond(begin - near, -1);
    double t_before = 0, x_before = begin;
    for (int k = 0; k <= S; ++k) {
      const double t = k < S ? h * table.time[k] : h, x = k < S ? u.x[k] : u.x1;
      if (x > high + near || x < low - near) {
        const double place = x > high ? high : low;
        const double share = std::clamp((place - x_before) / (x - x_before), 0.0, 1.0);
        const double crossing = t_before + share * (t - t_before);
        if (first.contact < 0 || crossing < when) {
          when = crossing;
          first = {active_[a], Event::law_break, place};
        }
        break;
      }
      t_before = t;
      x_before = x;
    }
  }
  return first;
}

/// Leads a solved step to the first break in it: of the motion beyond nothing is known. `event` is
/// left as it was where there is none.
bool ContactMarch::land_on_break(Event& event, double& h, const Collocation& table) {
  for (std::size_t n = 0; n <= 2 * active_.size(); ++n) {
    double when = h;
    const Event found = first_break(h, table, when);
    if (found.contact < 0) return true;
    event = found;
    h = when;
    if (!land_on(found.contact, found.place, found.place > end_.x[index(found.contact)] ? 1 : -1, h,
                 table)) {
      return false;
    }
  }
  return false;
}

/// The force is not smooth on the way to the edge.
bool ContactMarch::break_before_edge(int contact) const {
  const std::size_t i = index(contact);
  const double near = on_edge * length_[i], edge = states_[i].edge(contacts_[i]);
  return states_[i].next_break(contacts_[i], end_.x[i] - near, -1) > edge + near;
}

/// Leads the step to the event, or to another that turns out to be earlier.
bool ContactMarch::land_first(Event& event, double& h, const Collocation*& table) {
  for (std::size_t n = 0; n <= 2 * states_.size(); ++n) {
    if (!land(event, h, table)) return false;
    double when = h;
    const Event earlier = first_event(h, *table, when, event);
    if (earlier.contact < 0 || !(when < (1 - 1e-9) * h)) return true;
    event = earlier;
    h = when;
  }
  return false;
}

/// Leads the step to the instant at which the guard is zero: h becomes its length. The last solve
/// is for that h.
bool ContactMarch::land(Event event, double& h, const Collocation*& table) {
  const std::size_t i = index(event.contact);
  if (event.guard == Event::law_break) {
    return land_on(event.contact, event.place, event.place > end_.x[i] ? 1 : -1, h, *table);
  }
  const bool to_edge = states_[i].ends_at_edge(contacts_[i]) && event.guard == 0;
  if (to_edge && table->kind == ClockKind::plain) {
    table = &Collocation::of(ClockKind::release, grade_of(contacts_[i]));
  }
  if (to_edge) return land_on(event.contact, states_[i].edge(contacts_[i]), -1, h, *table);
  if (states_[i].phase() == Phase::apart) {
    double length = h;
    if (land_on(event.contact, states_[i].onset(contacts_[i]), 1, length, *table)) {
      h = length;
      return true;
    }
  }
  return land_between(event, h, *table);
}

/// Newton's method for the time at which the compression falls (way = -1) or rises (1) to `place`.
bool ContactMarch::land_on(int contact, double place, int way, double& h,
                           const Collocation& table) {
  const std::size_t i = index(contact);
  // Modes move the contact to the rounding of their sum.
  const double enough = resonator_ ? 1e-14 * length_[i] + 8 * rounding * std::abs(end_.modes.hit)
                                   : 4e-16 * length_[i];
  const auto at = std::find(active_.begin(), active_.end(), contact);
  double last = 1e300;
  for (int n = 0; n < max_landings; ++n) {
    if (!(solved_ == &table && solved_h_ == h) && !solve(h, table)) return false;
    const Motion now = motion_at(contact, S, h, table);
    if (!(way * now.v > 0)) return false;
    const double miss = now.x - place, correction = miss / now.v;
    const bool rounded = std::abs(correction) >= 0.5 * last && std::abs(correction) <= 1e-12 * h;
    if (std::abs(miss) <= enough || std::abs(correction) <= 2e-16 * h || rounded) {
      if (at != active_.end()) unknowns_[static_cast<std::size_t>(at - active_.begin())].x1 = place;
      return true;
    }
    last = std::abs(correction);
    h -= correction;
    if (!(h > 0)) return false;
  }
  return false;
}

/// Other guards are smooth in time: a bracketed root over solves of the step.
bool ContactMarch::land_between(Event event, double& h, const Collocation& table) {
  const std::size_t i = index(event.contact);
  double low = 0, high = h;
  const auto guard = [&](double length) {
    if (!solve(length, table)) return std::numeric_limits<double>::quiet_NaN();
    return guard_at_end(event, length, table);
  };
  double at_high = guard(high);
  for (int n = 0; n < 8 && at_high > 0; ++n) {
    low = high;
    high *= 1.05;
    at_high = guard(high);
  }
  if (!(at_high <= 0)) return false;
  double at_low = states_[i].guards(contacts_[i], end_.x[i], end_.r[i])[event.guard];
  if (low > 0) at_low = guard(low);
  if (!(at_low < ContactState::holds)) {  // the guard exists further on only: step towards it
    for (int n = 0; n < 60 && !(at_low > 0 && at_low < ContactState::holds); ++n) {
      const double middle = 0.5 * (low + high);
      const double value = guard(middle);
      if (value <= 0) {
        high = middle;
        at_high = value;
      } else {
        low = middle;
        at_low = value;
      }
      if (at_low < ContactState::holds && at_low > 0) break;
    }
  }
  // low == high: a guard that exists from where it is violated, found to the last digit.
  if (!(at_low > 0) || at_high == 0 || !(low < high)) {
    h = at_high == 0 || low == high ? high : std::max(low, 1e-3 * high);
    return solve(h, table);
  }
  std::uintmax_t evaluations = max_landings;
  const auto close_enough = [&](double a, double b) { return std::abs(b - a) <= 4e-16 * h; };
  const auto bracket = boost::math::tools::toms748_solve(guard, low, high, at_low, at_high,
                                                         close_enough, evaluations);
  h = bracket.second;
  if (!solve(h, table)) return false;
  // Solved anew the guard may be a rounding error on the wrong side: the next phase would end where
  // it begins.
  double more = 4 * rounding * h;
  for (int n = 0; n < 20 && guard_at_end(event, h, table) > 0; ++n, more *= 4) {
    h += more;
    if (!solve(h, table)) return false;
  }
  return true;
}

}  // namespace carom
