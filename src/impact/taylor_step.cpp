#include "taylor_step.hpp"

namespace carom::detail {
namespace taylor {

/// The motion without the term X^n, as a short Taylor series: c and F act, the spring is
/// negligible.
Step Integrator::without_spring(const State& s) const noexcept {
  Step step;
  step.piece.begin = s.t;
  step.piece.x[0] = s.x;
  step.piece.v[0] = s.v;
  double term = eq_.push - eq_.c * s.v;
  for (int k = 1; k <= 5; ++k) {
    step.piece.v[k] = term / k;
    term *= -eq_.c / k;
  }
  for (int k = 0; k <= 5; ++k) step.piece.x[k + 1] = step.piece.v[k] / (k + 1);
  for (int k = 0; k <= 5; ++k) {
    step.spent[k + 1] = eq_.c * product(step.piece.v, step.piece.v, k) / (k + 1);
  }
  return step;
}

State Integrator::start(Step& step) const noexcept {
  const State touch{0, 0, 1, 0, eq_.c};
  step = without_spring(touch);
  const double n = eq_.n;
  const double negligible = std::pow(1e-18 * (n + 1) / (1 + eq_.epsilon), 1 / (n + 1));
  const double h = std::min(negligible, 1e-4 / (std::abs(eq_.push) + eq_.c));
  step.piece.length = h;
  step.piece.end = h;
  return step.end_at(h, touch, eq_);
}

bool Integrator::ends_freely(const State& s) const noexcept {
  if (!(s.v < 0)) return false;
  const double v2 = s.v * s.v;
  const double spring = std::pow(s.x, eq_.n + 1) * (1 + eq_.epsilon * std::abs(s.v)) / (eq_.n + 1);
  return spring <= 1e-18 * v2 && s.x * (std::abs(eq_.push) + eq_.c * std::abs(s.v)) <= 1e-4 * v2;
}

/// From a compression too small for the spring to matter to X = 0, or to zero force before that.
Step Integrator::free_end(const State& s) const noexcept {
  Step step = without_spring(s);
  const auto x = [&](double h) { return value(step.piece.x, h); };
  const auto v = [&](double h) { return value(step.piece.v, h); };
  double h = -s.x / s.v;
  for (int i = 0; i < 6; ++i) h -= x(h) / v(h);
  if (eq_.release_at_zero_force && eq_.c > 0) {
    // c |v| = x^n; v changes little, so a fixed point iteration on x settles at once.
    for (int i = 0; i < 8; ++i) {
      const double target = std::pow(-eq_.c * v(h), 1 / eq_.n);
      for (int j = 0; j < 4; ++j) h -= (x(h) - target) / v(h);
    }
  }
  step.piece.length = h;
  step.piece.end = s.t + h;
  return step;
}

Step Integrator::in_time(const State& s) const noexcept {
  Step step;
  Series& x = step.piece.x;
  Series& v = step.piece.v;
  Series p{}, damp{};
  x[0] = s.x;
  p[0] = std::pow(s.x, eq_.n);
  // Of v and the reaction c v + x^n the one leads that is not a small difference.
  const bool creeping = eq_.c > 0 && std::abs(s.reaction) < 0.1 * p[0];
  v[0] = creeping ? (s.reaction - p[0]) / eq_.c : s.v;
  const double reaction = creeping ? s.reaction : eq_.c * s.v + p[0];
  const double n1 = eq_.n + 1;
  for (int k = 0; k < order; ++k) {
    if (k > 0) {
      // x p' = n p x'
      p[k] = weighted_product(x, p, 1, k, [&](int j) { return j * n1 - k; }) / (k * x[0]);
    }
    const double hysteresis = eq_.epsilon > 0 ? eq_.epsilon * product(p, v, k) : 0.0;
    damp[k] = eq_.c * v[k] + hysteresis;
    step.reaction[k] = k == 0 ? reaction : eq_.c * v[k] + p[k];
    x[k + 1] = v[k] / (k + 1);
    v[k + 1] = ((k == 0 ? eq_.push : 0.0) - step.reaction[k] - hysteresis) / (k + 1);
    step.spent[k + 1] = product(damp, v, k) / (k + 1);
  }
  // The scale of v near a turning point, where v itself vanishes: that of the spring, or of the
  // damping if that rules. At an equilibrium a vanishes too: the floor keeps the step from
  // vanishing.
  const double a = std::abs(v[1]) + 1e-20 * p[0];
  const double natural = std::sqrt(s.x * a);
  const double damping = eq_.c + eq_.epsilon * p[0];
  const double v_scale = std::abs(s.v) + (damping * natural > a ? a / damping : natural);
  StepLength step_length(tolerance_);
  step_length.limit(x, s.x);
  step_length.limit(v, v_scale);
  step_length.limit(step.spent, std::max(s.spent, spent_scale_));
  if (eq_.c > 0) {
    step.reaction_is_series = true;
    step_length.limit(step.reaction, std::abs(reaction) + std::abs(step.reaction[1]) /
                                                              (eq_.c + std::abs(s.v) / s.x));
  }
  // Integer exponents are smooth through X = 0: there only this keeps the step on this side of it.
  const double room = s.v > 0 ? s.x / natural : 0.5 * s.x / (natural - s.v);
  step.piece.begin = s.t;
  step.piece.length = std::min(step_length.length(), room);
  return step;
}

Step Integrator::in_logarithm(const State& s) const noexcept {
  Step step;
  step.piece.logarithmic = true;
  step.piece.x0 = s.x;
  Series& theta = step.piece.x;
  Series& v = step.piece.v;
  Series r{}, pull{}, damp{};
  const double n = eq_.n;
  v[0] = s.v;
  r[0] = 1 / s.v;
  theta[0] = r[0];
  double x = s.x, spring_x = std::pow(s.x, n + 1);
  for (int k = 0; k < order; ++k) {
    if (k > 0) {
      x /= k;
      spring_x *= (n + 1) / k;
      r[k] = -product(v, r, k, 1) * r[0];
    }
    pull[k] = eq_.push * x - spring_x;
    damp[k] = eq_.c * x + eq_.epsilon * spring_x;
    v[k + 1] = (product(pull, r, k) - damp[k]) / (k + 1);
    theta[k + 1] = (r[k] - theta[k]) / (k + 1);
    step.spent[k + 1] = product(damp, v, k) / (k + 1);
  }
  StepLength step_length(tolerance_);
  step_length.limit(v, std::abs(s.v));
  step_length.limit(theta, std::abs(theta[0]));
  step_length.limit(step.spent, std::max(s.spent, spent_scale_));
  // A decade or two at a time keeps the events of a step apart.
  const double h = std::min(step_length.length(), 4.0);
  step.piece.begin = s.t;
  step.piece.length = s.v > 0 ? h : -h;
  return step;
}

Step Integrator::advance(const State& s) const noexcept {
  // The sum, not the balance: behind a strong damper the terms cancel, but the motion is not free.
  const double terms = std::abs(eq_.push) + eq_.c * std::abs(s.v) +
                       std::pow(s.x, eq_.n) * (1 + eq_.epsilon * std::abs(s.v));
  return s.x * terms < 0.35 * s.v * s.v ? in_logarithm(s) : in_time(s);
}

/// A rigorous sign that an overdamped body on its way in (v > 0) creeps to the equilibrium without
/// overshoot: with the damping C = c + eps x^n, v <= (C/2)(x_eq - x) is never left once
/// n x_eq^(n-1) <= C^2/4.
bool Integrator::never_turns(const State& s) const noexcept {
  if (!(eq_.push > 0)) return false;
  const double n = eq_.n;
  const double rest = std::pow(eq_.push, 1 / n);
  const double damping = eq_.c + eq_.epsilon * std::pow(s.x, n);
  return s.x < rest && n * std::pow(rest, n - 1) <= damping * damping / 4 &&
         s.v <= damping / 2 * (rest - s.x);
}

/// For a body that never turns: whether its force will not exceed `limit` any more. The excess over
/// the push, g = f - F = -v', obeys g' = n x^(n-1) v (1 + eps v) - (c + eps x^n) g: once positive
/// it stays so, v only falls, and g stays below the larger of its value now and the largest
/// quotient of the two factors to come.
bool Integrator::force_stays_below(double limit, const State& s) const noexcept {
  const double n = eq_.n;
  const double excess = eq_.force(s.x, s.v) - eq_.push;
  const double to_come = eq_.epsilon > 0 ? n * s.v * (1 + eq_.epsilon * s.v) / (eq_.epsilon * s.x)
                                         : n * std::pow(eq_.push, (n - 1) / n) * s.v / eq_.c;
  const double highest = std::max(std::abs(excess), to_come);
  if (highest <= 1e-15 * eq_.push) return true;  // settled: nothing but rounding is left
  return excess > 0 && eq_.push + highest <= limit;
}

/// Rigorous signs that a body on its way out (v < 0) stays for good.
bool Integrator::never_releases(const State& s) const noexcept {
  const double n = eq_.n, c = eq_.c;
  const bool needs_zero_force = eq_.release_at_zero_force && c > 0;
  if (eq_.push > 0) {
    if (!needs_zero_force) {
      // Energy only falls, and at X = 0 it would be v^2/2 >= 0.
      if (s.v * s.v / 2 + std::pow(s.x, n + 1) / (n + 1) < eq_.push * s.x) return true;
      // Overdamped it creeps: v >= -(c/2)(x - x_eq) is never left once n x^(n-1) <= c^2/4.
      const double rest = std::pow(eq_.push, 1 / n);
      return s.x >= rest && n * std::pow(s.x, n - 1) <= c * c / 4 && s.v >= -c / 2 * (s.x - rest);
    }
    // The force g = c v + x^n can only fall through zero where g' = c F - n x^(2n-1)/c < 0. On the
    // way out x falls, so once this is positive it stays so; a later swing lies within this one.
    return n * std::pow(s.x, 2 * n - 1) < c * c * eq_.push;
  }
  // The damper creeps: v >= -c x/2 is never left once x^(n-1) <= c^2/4, so X = 0 is not reached.
  return eq_.push == 0 && !needs_zero_force && c > 0 && std::pow(s.x, n - 1) <= c * c / 4 &&
         s.v >= -c / 2 * s.x;
}

/// At rest where the push and the spring balance, to rounding.
bool Integrator::settled(const State& s) const noexcept {
  const double rest = std::pow(std::max(0.0, eq_.push), 1 / eq_.n);
  return std::abs(s.x - rest) <= 1e-14 * rest && s.v * s.v <= 1e-28 * std::pow(rest, eq_.n + 1);
}

}  // namespace taylor

double PathEquation::force(double x, double v) const noexcept {
  const double spring = std::pow(std::max(0.0, x), n);
  return c * v + spring * std::max(0.0, 1 + epsilon * v);
}

double PathPiece::time(double h) const noexcept {
  return logarithmic ? begin + x0 * (std::exp(h) * taylor::value(x, h) - x[0]) : begin + h;
}

double PathPiece::step_at(double t) const noexcept {
  if (!logarithmic) return t - begin;
  return taylor::zero_within(
      length, [&](double h) { return time(h) - t; },
      [&](double h) { return x0 * std::exp(h) / taylor::value(v, h); });
}

PathState PathPiece::state(double h, const PathEquation& equation) const noexcept {
  const double compression = logarithmic ? x0 * std::exp(h) : taylor::value(x, h);
  const double rate = taylor::value(v, h);
  return {std::max(0.0, compression), rate, equation.force(compression, rate)};
}

}  // namespace carom::detail
