// The ends of phases within a step, and the way to them.

#include <algorithm>
#include <cmath>

#include <boost/math/tools/toms748_solve.hpp>

#include <carom/contacts/system_march.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int max_landings = 60;

}  // namespace

/// Whether the nodes of the step show all that gaps do: between two of them bodies either are too
/// far apart to meet, or their gap turns so little that a cubic follows it.
bool SystemMarch::follows_gaps(double h) {
  if (!system_.has_gap_paces()) return true;
  constexpr double little = 0.3;  // [rad]
  for (auto* paces : {&reach_, &turn_}) {
    for (Eigen::VectorXd& each : *paces) each.resize(gaps_.size());
  }
  system_.gap_paces(begin_.t, begin_point_.q, begin_point_.v, reach_[0], turn_[0]);
  system_.gap_paces(begin_.t + h, end_point_.q, end_point_.v, reach_[1], turn_[1]);
  for (const int row : parts_.near) {
    const std::size_t i = index(row);
    const Touch& touch = contacts_[i];
    if (touch.state.phase() != Phase::apart || touch.ghost) continue;
    const double pace = std::max(turn_[0][row], turn_[1][row]),
                 speed = std::max(reach_[0][row], reach_[1][row]),
                 onset = touch.state.onset(touch.contact);
    double before = onset - begin_point_.x[i], t_before = 0.0;
    for (int k = 0; k <= S; ++k) {
      const double gap = onset - (k < S ? nodes_[k] : end_point_).x[i],
                   t = k < S ? h * table().time[k] : h, length = t - t_before;
      if (pace * length > little && before + std::max(gap, 0.0) < speed * length) return false;
      if (!(gap > 0)) break;  // first_event() finds it
      before = gap;
      t_before = t;
    }
  }
  return true;
}

/// The first phase that ends within the step, and an estimate of when; all but one.
SystemMarch::Event SystemMarch::first_event(double h, double& when, Event except) {
  Event first;
  const bool own_steps = settings_.scheme == SystemScheme::collocation;
  for (const int i : parts_.near) {
    const Touch& touch = contacts_[index(i)];
    if (touch.asleep) continue;
    Guards before = guards(index(i), -1, h);
    const Point* last = &begin_point_;
    double t_before = 0;
    bool outside = !touch.ghost;
    // On its edge already, but for rounding: pass_events() lets it go when it has left.
    const bool leaving = touch.state.ends_at_edge(touch.contact) && before[0] <= 0;
    for (int k = own_steps ? 0 : S; k <= S; ++k) {
      const Guards now = guards(index(i), k, h);
      const double t = k < S ? h * table().time[k] : h;
      for (int g = 0; g < guard_count; ++g) {
        // Inside, where it is no contact, a ghost can only turn round.
        if (!outside && g != turned) continue;
        if (leaving && g == 0) continue;
        if (touch.ghost && outside && g == turned) continue;
        if (!(now[g] < 0) || (i == except.contact && g == except.guard)) continue;
        if (now[g] >= -rounded(index(i), g, k < S ? nodes_[k] : end_point_)) continue;
        const bool known = before[g] > 0 && before[g] < ContactState::holds;
        const double crossing =
            t_before + (known ? before[g] / (before[g] - now[g]) : 0.5) * (t - t_before);
        if (first.contact >= 0 && crossing >= when) continue;
        when = std::min(h, crossing);
        first = {i, g};
      }
      if (first.contact == i) break;
      const Point& p = k < S ? nodes_[k] : end_point_;
      const double summit =
          summit_beyond(touch.state.onset(touch.contact), {last->x[index(i)], last->r[index(i)]},
                        {p.x[index(i)], p.r[index(i)]}, t - t_before);
      if (outside && touch.state.phase() == Phase::apart && summit > 0 && i != except.contact &&
          t_before + summit < when) {
        when = t_before + summit;
        first = {i, 0};
        break;
      }
      last = &p;
      before = now;
      t_before = t;
      outside = outside || now[0] > 0;
    }
  }
  return first;
}

/// Of the phase of a contact; of a held one its force, of a ghost the speed at which it leaves.
SystemMarch::Guards SystemMarch::guards(std::size_t contact, int at, double h) const {
  const Touch& touch = contacts_[contact];
  const Point& point = at < 0 ? begin_point_ : at < S ? nodes_[at] : end_point_;
  const double x = point.x[contact], r = point.r[contact];
  if (touch.state.phase() == Phase::resting)
    return {point.f[contact], ContactState::holds, ContactState::holds, ContactState::holds};
  const ContactState::Guards both = touch.state.guards(touch.contact, x, r);
  const bool pieces = touch.state.touching() && settings_.scheme == SystemScheme::collocation;
  return {both[0], touch.ghost && is_newton(touch) ? -r : both[1], rubbing_guard(contact, at, h),
          pieces ? std::min({touch.piece[1] - x, x - touch.piece[0], ContactState::holds})
                 : ContactState::holds};
}

void SystemMarch::read_gap_rounding() {
  gap_rounding_ = end_.q.size() > 0 ? 2 * rounding * end_.q.lpNorm<Eigen::Infinity>() : 0.0;
}

/// What rounding makes of a guard: bodies that only just touch, are held by no force, turn round at
/// no speed, or creep out of a damper that holds back as much as the spring drives would part and
/// meet again by nothing else.
double SystemMarch::rounded(std::size_t contact, int guard, const Point& point) const {
  constexpr double of_forces = 1e-12;  // of a held contact, from accelerations and differences
  const Touch& touch = contacts_[contact];
  if (guard == rubbing) return 0.0;
  if (guard == smooth) return gap_rounding() + on_edge * touch.length;
  if (touch.state.phase() == Phase::resting)
    return of_forces * touch.collision.mass * point.a.lpNorm<Eigen::Infinity>();
  if (touch.ghost && guard == turned) return no_speed();
  const double x = point.x[contact], r = point.r[contact];
  if (guard == 0 &&
      (touch.state.phase() != Phase::touching || touch.state.ends_at_edge(touch.contact) ||
       x <= touch.state.edge(touch.contact))) {
    return gap_rounding();
  }
  const auto value = [&](double dx, double dr) {
    return touch.state.guards(touch.contact, x + dx, r + dr)[index(guard)];
  };
  const double at = value(0, 0);
  return std::abs(value(gap_rounding(), 0) - at) + std::abs(value(0, no_speed()) - at);
}

/// Two times at the end of a step h that are no further apart are the same [s].
double SystemMarch::instant(double h) const { return 4e-16 * (begin_.t + h + 1 / settings_.rate); }

/// Leads the step to the event, or to another that turns out to be earlier.
bool SystemMarch::land_first(Event& event, double& h) {
  for (std::size_t n = 0; n <= 2 * contacts_.size(); ++n) {
    if (!land(event, h)) return false;
    double when = h;
    const Event earlier = first_event(h, when, event);
    // Of events closer to the beginning than an instant can be told none is earlier.
    if (earlier.contact < 0 || !(when < (1 - 1e-9) * h) || h <= instant(h)) return true;
    event = earlier;
    h = when;
  }
  return false;
}

/// Leads the step to the instant at which the guard is zero. The last trial is for that h.
bool SystemMarch::land(Event event, double& h) {
  const std::size_t i = index(event.contact);
  const Touch& touch = contacts_[i];
  const bool own_steps = settings_.scheme == SystemScheme::collocation;
  // Shorter than time can be told apart there is nothing to lead to: the guard is but rounding
  // above zero.
  const double shortest = instant(h);
  if (h <= shortest) {
    h = shortest;
    return trial(h);
  }
  if (own_steps && touch.state.ends_at_edge(touch.contact) && event.guard == 0) {
    if (clock_ == ClockKind::plain) {
      clock_ = ClockKind::release;
      power_ = grade_of(touch.contact);
    }
    const double edge = touch.state.edge(touch.contact);
    double last = 1e300;
    for (int n = 0; n < max_landings; ++n) {
      if (!trial(h)) return false;
      if (!(end_point_.r[i] < 0)) return false;
      const double miss = end_point_.x[i] - edge, correction = miss / end_point_.r[i];
      // What no longer falls is the rounding of the gap.
      const bool rounded = std::abs(correction) >= 0.5 * last && std::abs(correction) <= noise * h;
      if (std::abs(miss) <= 1e-15 * touch.length + gap_rounding() || rounded) return true;
      last = std::abs(correction);
      h -= correction;
      if (!(h > 0)) return false;
    }
    return false;
  }
  const auto guard = [&](double length) {
    if (!trial(length)) return std::nan("");
    return guards(i, S, length)[index(event.guard)];
  };
  // A contact that begins on its edge is outside half-way to the next touch.
  double low = touch.ghost && event.guard != turned ? 0.5 * h : 0.0, high = h,
         at_high = guard(high);
  for (int n = 0; n < 12 && at_high > 0; ++n) {
    low = high;
    high *= 1.1;
    at_high = guard(high);
  }
  if (!(at_high <= 0)) return false;
  double at_low = low > 0 ? guard(low) : guards(i, -1, h)[index(event.guard)];
  for (int n = 0; n < 60 && !(at_low < ContactState::holds); ++n) {
    const double middle = 0.5 * (low + high), value = guard(middle);
    (value <= 0 ? high : low) = middle;
    (value <= 0 ? at_high : at_low) = value;
  }
  // Left exactly on the edge: a place outside it, before the crossing, is needed for the bracket.
  for (int n = 0; n < 40 && !(at_low > 0); ++n) {
    low = low > 0 ? 0.5 * low : 0.5 * high;
    at_low = guard(low);
  }
  if (!(at_low > 0) || at_high == 0 || !(low < high)) {
    h = high;
    return trial(h);
  }
  std::uintmax_t evaluations = max_landings;
  const auto bracket = boost::math::tools::toms748_solve(
      guard, low, high, at_low, at_high,
      [&](double a, double b) { return std::abs(b - a) <= shortest; }, evaluations);
  if (!(bracket.first <= bracket.second)) return false;  // a trial in between was not made
  h = bracket.second;
  return trial(h);
}

}  // namespace carom
