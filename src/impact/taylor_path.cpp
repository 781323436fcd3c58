#include "taylor_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <carom/core/error.hpp>

#include "taylor_step.hpp"

namespace carom::detail {
namespace {

/// Far beyond what any law in its documented range needs (some hundred): a bound, not a setting.
constexpr int max_path_steps = 500'000;

/// A body that creeps to its equilibrium has no end; this many steps of it are kept to be read off.
constexpr std::size_t pieces_of_a_creep = 2000;

}  // namespace

TaylorPath::TaylorPath(const PathEquation& equation, Keep keep, double tolerance)
    : equation_(equation) {
  using namespace taylor;
  const Integrator integrator(equation, tolerance);
  const bool keep_pieces = keep == Keep::history, find_max_force = keep != Keep::rebound;
  Step step;
  State s = integrator.start(step);
  if (keep_pieces) pieces_.push_back(step.piece);
  outcome_.max_force = equation.c;  // at touch, x = 0 and v = 1
  outcome_.max_force_time = 0;
  bool turned = false;
  const bool needs_zero_force = equation.release_at_zero_force && equation.c > 0;

  const auto finish = [&](const State& last) {
    outcome_.time = last.t;
    outcome_.x = last.x;
    outcome_.v = last.v;
    const double n1 = equation.n + 1;
    outcome_.loss = 2 * (last.spent + std::pow(last.x, n1) / n1 - equation.push * last.x);
    // Nearly elastic the balance knows v better than the path, which has gathered roundings.
    if (equation.push == 0 && outcome_.loss < 0.5) outcome_.v = -std::sqrt(1 - outcome_.loss);
    // Beside the work of a strong push the path keeps few digits of v and the balance all of them,
    // if the body leaves at X = 0; if it leaves before, the balance has that work in it.
    if (std::abs(equation.push) > 1) {
      if (last.x > 0) {
        outcome_.loss = (1 - last.v) * (1 + last.v);
      } else if (equation.push > 0 && outcome_.loss < 0.75) {
        outcome_.v = -std::sqrt(1 - outcome_.loss);
      }
    }
  };

  int count = 0;
  for (; count < max_path_steps; ++count) {
    if (turned && integrator.ends_freely(s)) {
      step = integrator.free_end(s);
      if (keep_pieces) pieces_.push_back(step.piece);
      State last = step.end_at(step.piece.length, s, equation);
      if (!needs_zero_force) last.x = 0;
      finish(last);
      return;
    }
    if (turned && integrator.never_releases(s)) break;
    if (!turned && integrator.never_turns(s) &&
        (!find_max_force || integrator.force_stays_below(outcome_.max_force, s))) {
      outcome_.max_x = std::pow(equation.push, 1 / equation.n);
      outcome_.max_x_time = std::numeric_limits<double>::infinity();
      if (equation.push > outcome_.max_force) {
        outcome_.max_force = equation.push;
        outcome_.max_force_time = std::numeric_limits<double>::infinity();
      }
      while (keep_pieces && pieces_.size() < pieces_of_a_creep && !integrator.settled(s)) {
        step = integrator.advance(s);
        step.piece.end = step.piece.time(step.piece.length);
        pieces_.push_back(step.piece);
        s = step.end_at(step.piece.length, s, equation);
      }
      break;
    }
    step = integrator.advance(s);
    double h = step.piece.length;
    bool last = false;

    if (!turned && !step.piece.logarithmic && value(step.piece.v, h) <= 0) {
      const double at = zero_within(
          h, [&](double d) { return value(step.piece.v, d); },
          [&](double d) { return slope(step.piece.v, d); });
      outcome_.max_x = value(step.piece.x, at);
      outcome_.max_x_time = step.piece.time(at);
      turned = true;
    } else if (turned && !step.piece.logarithmic && value(step.piece.v, h) >= 0) {
      break;
    }
    if (needs_zero_force && step.reaction_at(h, equation) <= 0) {
      h = zero_within(
          h, [&](double d) { return step.reaction_at(d, equation); },
          [&](double d) { return step.reaction_slope(d, equation); });
      last = true;
    }
    bool torn = false;
    if (equation.push < 0 && 1 + equation.epsilon * step.v(h) <= 0) {
      h = zero_within(
          h, [&](double d) { return 1 + equation.epsilon * step.v(d); },
          [&](double d) { return equation.epsilon * slope(step.piece.v, d); });
      torn = true;
    }
    const double along = h < 0 ? -1 : 1;
    const auto rise = [&](double d) { return along * step.force_slope(d, equation); };
    if (find_max_force && rise(0) > 0 && rise(h) <= 0) {
      const double nudge = 1e-4 * h;
      const double at = zero_within(
          h, rise, [&](double d) { return (rise(d + nudge) - rise(d - nudge)) / (2 * nudge); });
      const double top = equation.force(step.x(at), step.v(at));
      if (top > outcome_.max_force) {
        outcome_.max_force = top;
        outcome_.max_force_time = step.piece.time(at);
      }
    }
    step.piece.length = h;
    step.piece.end = step.piece.time(h);
    if (keep_pieces) pieces_.push_back(step.piece);
    s = step.end_at(h, s, equation);
    if (torn) {
      // A pull tears the body off faster than -1/mu: the contact no longer pushes, and the rest of
      // the way to X = 0 is free flight.
      Step rest;
      rest.piece.begin = s.t;
      rest.piece.x = {s.x, s.v, equation.push / 2};
      rest.piece.v = {s.v, equation.push};
      rest.piece.length = 2 * s.x / (-s.v + std::sqrt(s.v * s.v - 2 * equation.push * s.x));
      rest.piece.end = s.t + rest.piece.length;
      if (keep_pieces) pieces_.push_back(rest.piece);
      State end = rest.end_at(rest.piece.length, s, equation);
      end.x = 0;
      end.spent += std::pow(s.x, equation.n + 1) / (equation.n + 1);  // left in the spring
      finish(end);
      return;
    }
    if (last) {
      // Where v is tiny the rule itself gives it with more digits than the path.
      if (s.v > -1e-3) s.v = -std::pow(s.x, equation.n) / equation.c;
      finish(s);
      return;
    }
  }
  if (count == max_path_steps) {
    throw InvalidInput("the impact is too stiff to follow: dimensionless damping " +
                       number_text(equation.epsilon + equation.c) + ", push " +
                       number_text(equation.push));
  }
  outcome_.releases = false;
}

PathState TaylorPath::at(double time) const {
  using namespace taylor;
  if (pieces_.empty()) return {0, 0, 0};
  if (time <= pieces_.back().end) {
    const auto piece = std::lower_bound(pieces_.begin(), pieces_.end(), time,
                                        [](const PathPiece& p, double t) { return p.end < t; });
    return piece->state(piece->step_at(time), equation_);
  }
  // Held down: go on from the last piece. Settled at the equilibrium nothing changes any more.
  const Integrator integrator(equation_, finest);
  const PathPiece& back = pieces_.back();
  const PathState held = back.state(back.length, equation_);
  State s{back.end, held.x, held.v, 0.5, equation_.c * held.v + std::pow(held.x, equation_.n)};
  for (int count = 0; count < max_path_steps; ++count) {
    if (integrator.settled(s)) {
      return {std::pow(std::max(0.0, equation_.push), 1 / equation_.n), 0, equation_.push};
    }
    Step step = integrator.advance(s);
    if (step.piece.time(step.piece.length) >= time) {
      return step.piece.state(step.piece.step_at(time), equation_);
    }
    s = step.end_at(step.piece.length, s, equation_);
  }
  return {s.x, s.v, equation_.force(s.x, s.v)};
}

}  // namespace carom::detail
