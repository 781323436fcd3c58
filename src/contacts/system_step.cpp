// One step of a system's own size.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <carom/contacts/system_march.hpp>
#include <carom/core/interrupt.hpp>

#include "parts.hpp"

namespace carom {

using namespace detail;

namespace {

constexpr int max_tries = 60;

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
  if (own_steps) {
    const double after = begin_.t + instant(0.0);
    longest = std::min(longest, system_.next_break(after, touching()) - begin_.t);
  } else {
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
  tried_.h = 0.0;
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
    choose_pieces();
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
    if (own_steps && !follows_gaps(h)) {
      h *= 0.5;
      continue;
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

/// The pieces of laws that are smooth piece by piece in which the step begins. On the border of two
/// the motion tells which.
void SystemMarch::choose_pieces() {
  for (const int i : parts_.near) {
    Touch& touch = contacts_[index(i)];
    const double x = begin_point_.x[index(i)], near = on_edge * touch.length + gap_rounding(),
                 inside = x + std::copysign(near, begin_point_.r[index(i)]);
    const auto end = [&](int way) { return touch.state.next_break(touch.contact, inside, way); };
    touch.piece = {end(-1), end(1)};
    // The edge is where the contact ends.
    if (!(touch.piece[0] > touch.state.edge(touch.contact) + near))
      touch.piece[0] = -std::numeric_limits<double>::infinity();
  }
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

}  // namespace carom
