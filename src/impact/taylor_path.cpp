#include "taylor_path.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <carom/core/error.hpp>

namespace carom::detail {
namespace {

constexpr int order = PathPiece::order;
using Series = PathPiece::Series;

/// Truncation allowed per step, below rounding.
constexpr double tolerance = 2e-17;
/// Far beyond what any law in its documented range needs (some hundred): a bound, not a setting.
constexpr int most_steps = 500'000;

double value(const Series& s, double h) noexcept {
  double sum = s[order];
  for (int k = order - 1; k >= 0; --k) sum = sum * h + s[k];
  return sum;
}

double slope(const Series& s, double h) noexcept {
  double sum = order * s[order];
  for (int k = order - 1; k >= 1; --k) sum = sum * h + k * s[k];
  return sum;
}

/// Sum over j of a[j] b[k - j].
double product(const Series& a, const Series& b, int k) noexcept {
  double even = 0, odd = 0;
  int j = 0;
  for (; j < k; j += 2) {
    even += a[j] * b[k - j];
    odd += a[j + 1] * b[k - j - 1];
  }
  if (j == k) even += a[k] * b[0];
  return even + odd;
}

/// The zero of f between 0 and h, where its sign changes. Newton kept inside the bracket.
template <class Function, class Slope>
double zero_within(double h, Function f, Slope df) noexcept {
  double low = 0, high = h;
  const bool rising = f(h) > f(0.0);
  double at = h / 2;
  for (int i = 0; i < 100; ++i) {
    const double residual = f(at);
    if (residual == 0) return at;
    ((residual > 0) == rising ? high : low) = at;
    double next = at - residual / df(at);
    if (!(next > std::min(low, high) && next < std::max(low, high))) next = (low + high) / 2;
    const double change = std::abs(next - at);
    at = next;
    if (change <= 1e-16 * std::abs(h)) break;
  }
  return at;
}

/// Where the integration stands.
struct State {
  double t, x, v;
  double spent;  ///< dissipated so far
  double grip;   ///< c v + x^n; carried, because behind a strong damper it is a tiny difference
};

/// One Taylor step with what the events need. Forces are evaluated from x and v, not as series:
/// where the spring is weak the step may be longer than a series for X^n would bear.
struct Step {
  PathPiece piece;
  Series spent{};
  Series grip{};
  bool grip_is_series = false;

  double x(double h) const noexcept {
    return piece.logarithmic ? piece.x0 * std::exp(h) : value(piece.x, h);
  }
  double v(double h) const noexcept { return value(piece.v, h); }
  State end_at(double h, const State& from, const PathEquation& eq) const noexcept {
    return {piece.time(h), x(h), v(h), from.spent + value(spent, h), grip_at(h, eq)};
  }
  /// c v + x^n, which the zero-force rule watches, and its derivative along the step.
  double grip_at(double h, const PathEquation& eq) const noexcept {
    return grip_is_series ? value(grip, h) : eq.c * v(h) + std::pow(x(h), eq.n);
  }
  double grip_slope(double h, const PathEquation& eq) const noexcept {
    return grip_is_series ? slope(grip, h) : eq.c * slope(piece.v, h) + spring_slope(h, eq);
  }
  /// The derivative of the whole force along the step.
  double force_slope(double h, const PathEquation& eq) const noexcept {
    const double rate = slope(piece.v, h);
    return eq.c * rate + (1 + eq.epsilon * v(h)) * spring_slope(h, eq) +
           eq.epsilon * std::pow(x(h), eq.n) * rate;
  }

 private:
  double spring_slope(double h, const PathEquation& eq) const noexcept {
    return piece.logarithmic ? eq.n * std::pow(x(h), eq.n) : eq.n * std::pow(x(h), eq.n - 1) * v(h);
  }
};

/// The longest step at which the last two terms of each series stay below the tolerance.
class StepLength {
 public:
  void limit(const Series& s, double scale) noexcept {
    for (const int k : {order - 1, order}) {
      const double last = std::abs(s[k]);
      if (last > 0) smallest_ = std::min(smallest_, std::log(tolerance * scale / last) / k);
    }
  }
  double length() const noexcept { return std::exp(std::min(smallest_, 300.0)); }

 private:
  double smallest_ = std::numeric_limits<double>::infinity();
};

class Integrator {
 public:
  explicit Integrator(const PathEquation& equation)
      : eq_(equation), spent_scale_(std::min(0.25, 0.3 * (equation.c + equation.epsilon))) {}

  State start(Step& step) const noexcept;
  Step advance(const State& s) const noexcept;
  bool ends_freely(const State& s) const noexcept;
  Step free_end(const State& s) const noexcept;
  bool never_turns(const State& s) const noexcept;
  bool never_releases(const State& s) const noexcept;

 private:
  Step in_time(const State& s) const noexcept;
  Step in_logarithm(const State& s) const noexcept;
  Step without_spring(const State& s) const noexcept;

  PathEquation eq_;
  double spent_scale_;
};

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
  // Of v and the grip c v + x^n the one leads that is not a small difference.
  const bool creeping = eq_.c > 0 && std::abs(s.grip) < 0.1 * p[0];
  v[0] = creeping ? (s.grip - p[0]) / eq_.c : s.v;
  const double grip = creeping ? s.grip : eq_.c * s.v + p[0];
  const double n1 = eq_.n + 1;
  for (int k = 0; k < order; ++k) {
    if (k > 0) {
      // x p' = n p x'
      double even = 0, odd = 0;
      int j = 1;
      for (; j < k; j += 2) {
        even += (j * n1 - k) * (x[j] * p[k - j]);
        odd += ((j + 1) * n1 - k) * (x[j + 1] * p[k - j - 1]);
      }
      if (j == k) even += (k * n1 - k) * (x[k] * p[0]);
      p[k] = (even + odd) / (k * x[0]);
    }
    const double hysteresis = eq_.epsilon > 0 ? eq_.epsilon * product(p, v, k) : 0.0;
    damp[k] = eq_.c * v[k] + hysteresis;
    step.grip[k] = k == 0 ? grip : eq_.c * v[k] + p[k];
    x[k + 1] = v[k] / (k + 1);
    v[k + 1] = ((k == 0 ? eq_.push : 0.0) - step.grip[k] - hysteresis) / (k + 1);
    step.spent[k + 1] = product(damp, v, k) / (k + 1);
  }
  // The scale of v near a turning point, where v itself vanishes: that of the spring, or of the
  // damping if that rules. At an equilibrium a vanishes too: the floor keeps the step from
  // vanishing.
  const double a = std::abs(v[1]) + 1e-20 * p[0];
  const double natural = std::sqrt(s.x * a);
  const double damping = eq_.c + eq_.epsilon * p[0];
  const double v_scale = std::abs(s.v) + (damping * natural > a ? a / damping : natural);
  StepLength step_length;
  step_length.limit(x, s.x);
  step_length.limit(v, v_scale);
  step_length.limit(step.spent, std::max(s.spent, spent_scale_));
  if (eq_.c > 0) {
    step.grip_is_series = true;
    step_length.limit(step.grip,
                      std::abs(grip) + std::abs(step.grip[1]) / (eq_.c + std::abs(s.v) / s.x));
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
      double even = 0, odd = 0;
      int j = 1;
      for (; j < k; j += 2) {
        even += v[j] * r[k - j];
        odd += v[j + 1] * r[k - j - 1];
      }
      if (j == k) even += v[k] * r[0];
      r[k] = -(even + odd) * r[0];
    }
    pull[k] = eq_.push * x - spring_x;
    damp[k] = eq_.c * x + eq_.epsilon * spring_x;
    v[k + 1] = (product(pull, r, k) - damp[k]) / (k + 1);
    theta[k + 1] = (r[k] - theta[k]) / (k + 1);
    step.spent[k + 1] = product(damp, v, k) / (k + 1);
  }
  StepLength step_length;
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

}  // namespace

double PathEquation::force(double x, double v) const noexcept {
  const double spring = std::pow(std::max(0.0, x), n);
  return c * v + spring * std::max(0.0, 1 + epsilon * v);
}

double PathPiece::time(double h) const noexcept {
  return logarithmic ? begin + x0 * (std::exp(h) * value(x, h) - x[0]) : begin + h;
}

double PathPiece::step_at(double t) const noexcept {
  if (!logarithmic) return t - begin;
  return zero_within(
      length, [&](double h) { return time(h) - t; },
      [&](double h) { return x0 * std::exp(h) / value(v, h); });
}

PathState PathPiece::state(double h, const PathEquation& equation) const noexcept {
  const double compression = logarithmic ? x0 * std::exp(h) : value(x, h);
  const double rate = value(v, h);
  return {std::max(0.0, compression), rate, equation.force(compression, rate)};
}

TaylorPath::TaylorPath(const PathEquation& equation, Keep keep) : equation_(equation) {
  const Integrator integrator(equation);
  const bool keep_pieces = keep == Keep::history;
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
  for (; count < most_steps; ++count) {
    if (turned && integrator.ends_freely(s)) {
      step = integrator.free_end(s);
      if (keep_pieces) pieces_.push_back(step.piece);
      State last = step.end_at(step.piece.length, s, equation);
      if (!needs_zero_force) last.x = 0;
      finish(last);
      return;
    }
    if (turned && integrator.never_releases(s)) break;
    if (!turned && integrator.never_turns(s)) {
      outcome_.max_x = std::pow(equation.push, 1 / equation.n);
      outcome_.max_x_time = std::numeric_limits<double>::infinity();
      if (equation.push > outcome_.max_force) {
        outcome_.max_force = equation.push;
        outcome_.max_force_time = std::numeric_limits<double>::infinity();
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
    if (needs_zero_force && step.grip_at(h, equation) <= 0) {
      h = zero_within(
          h, [&](double d) { return step.grip_at(d, equation); },
          [&](double d) { return step.grip_slope(d, equation); });
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
    if (rise(0) > 0 && rise(h) <= 0) {
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
  if (count == most_steps) {
    throw InvalidInput("the impact is too stiff to follow: dimensionless damping " +
                       number_text(equation.epsilon + equation.c) + ", push " +
                       number_text(equation.push));
  }
  outcome_.releases = false;
}

PathState TaylorPath::at(double time) const {
  if (pieces_.empty()) return {0, 0, 0};
  if (time <= pieces_.back().end) {
    const auto piece = std::lower_bound(pieces_.begin(), pieces_.end(), time,
                                        [](const PathPiece& p, double t) { return p.end < t; });
    return piece->state(piece->step_at(time), equation_);
  }
  // Held down: go on from the last piece. Settled at the equilibrium nothing changes any more.
  const Integrator integrator(equation_);
  const PathPiece& back = pieces_.back();
  const PathState held = back.state(back.length, equation_);
  State s{back.end, held.x, held.v, 0.5, equation_.c * held.v + std::pow(held.x, equation_.n)};
  for (int count = 0; count < most_steps; ++count) {
    const double rest = std::pow(std::max(0.0, equation_.push), 1 / equation_.n);
    const bool settled = std::abs(s.x - rest) <= 1e-14 * rest &&
                         s.v * s.v <= 1e-28 * std::pow(rest, equation_.n + 1);
    if (settled) return {rest, 0, equation_.push};
    Step step = integrator.advance(s);
    if (step.piece.time(step.piece.length) >= time) {
      return step.piece.state(step.piece.step_at(time), equation_);
    }
    s = step.end_at(step.piece.length, s, equation_);
  }
  return {s.x, s.v, equation_.force(s.x, s.v)};
}

}  // namespace carom::detail
