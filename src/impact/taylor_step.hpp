#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "taylor_path.hpp"

/// One step of a TaylorPath; what a path makes of them is in taylor_path.cpp.
namespace carom::detail::taylor {

inline constexpr int order = PathPiece::order;
using Series = PathPiece::Series;

// Sums are kept in several parts, which a processor adds up side by side.
static_assert(order % 2 == 0);

/// value(s, h) - s[0], without the rounding of that sum.
inline double gain(const Series& s, double h) noexcept {
  const double h2 = h * h;
  double even = s[order], odd = s[order - 1];
  for (int k = order - 2; k >= 2; k -= 2) {
    even = even * h2 + s[k];
    odd = odd * h2 + s[k - 1];
  }
  return even * h2 + odd * h;
}

inline double value(const Series& s, double h) noexcept { return gain(s, h) + s[0]; }

inline double slope(const Series& s, double h) noexcept {
  const double h2 = h * h;
  double odd = order * s[order], even = (order - 1) * s[order - 1];
  for (int k = order - 2; k >= 2; k -= 2) {
    odd = odd * h2 + k * s[k];
    even = even * h2 + (k - 1) * s[k - 1];
  }
  return even + odd * h;
}

/// Sum of weight(j) a[j] b[k - j] over j from first to k.
template <class Weight>
double weighted_product(const Series& a, const Series& b, int first, int k,
                        Weight weight) noexcept {
  std::array<double, 4> sum{};
  int j = first;
  for (; j + 3 <= k; j += 4) {
    for (int part = 0; part < 4; ++part) {
      sum[part] += weight(j + part) * (a[j + part] * b[k - j - part]);
    }
  }
  for (; j <= k; ++j) sum[0] += weight(j) * (a[j] * b[k - j]);
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Sum of a[j] b[k - j] over j from first to k.
inline double product(const Series& a, const Series& b, int k, int first = 0) noexcept {
  return weighted_product(a, b, first, k, [](int) { return 1.0; });
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
  double spent;     ///< dissipated so far
  double reaction;  ///< c v + x^n; carried, because behind a strong damper it is a tiny difference
  double x_carry = 0;  ///< what x has lost to rounding: a creeping body moves less than that a step
};

/// One Taylor step with what the events need. Forces are evaluated from x and v, not as series:
/// where the spring is weak the step may be longer than a series for X^n would bear.
struct Step {
  PathPiece piece;
  Series spent{};
  Series reaction{};
  bool reaction_is_series = false;

  double x(double h) const noexcept {
    return piece.logarithmic ? piece.x0 * std::exp(h) : value(piece.x, h);
  }
  double v(double h) const noexcept { return value(piece.v, h); }
  State end_at(double h, const State& from, const PathEquation& eq) const noexcept {
    State end{piece.time(h), x(h), v(h), from.spent + value(spent, h), reaction_at(h, eq)};
    if (!piece.logarithmic) {
      const double moved = gain(piece.x, h) + from.x_carry;
      end.x = from.x + moved;
      end.x_carry = moved - (end.x - from.x);
    }
    return end;
  }
  /// c v + x^n, which the zero-force rule watches, and its derivative along the step.
  double reaction_at(double h, const PathEquation& eq) const noexcept {
    return reaction_is_series ? value(reaction, h) : eq.c * v(h) + std::pow(x(h), eq.n);
  }
  double reaction_slope(double h, const PathEquation& eq) const noexcept {
    return reaction_is_series ? slope(reaction, h) : eq.c * slope(piece.v, h) + spring_slope(h, eq);
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
  explicit StepLength(double tolerance) : tolerance_(tolerance) {}
  void limit(const Series& s, double scale) noexcept {
    for (const int k : {order - 1, order}) {
      const double last = std::abs(s[k]);
      if (last > 0) smallest_ = std::min(smallest_, std::log(tolerance_ * scale / last) / k);
    }
  }
  double length() const noexcept { return std::exp(std::min(smallest_, 300.0)); }

 private:
  double tolerance_;
  double smallest_ = std::numeric_limits<double>::infinity();
};

/// Takes the steps: in time, or in ln X where the spring is weak.
class Integrator {
 public:
  Integrator(const PathEquation& equation, double tolerance)
      : eq_(equation),
        tolerance_(tolerance),
        spent_scale_(std::min(0.25, 0.3 * (equation.c + equation.epsilon))) {}

  State start(Step& step) const noexcept;
  Step advance(const State& s) const noexcept;
  bool ends_freely(const State& s) const noexcept;
  Step free_end(const State& s) const noexcept;
  bool never_turns(const State& s) const noexcept;
  bool force_stays_below(double limit, const State& s) const noexcept;
  bool never_releases(const State& s) const noexcept;
  bool settled(const State& s) const noexcept;

 private:
  Step in_time(const State& s) const noexcept;
  Step in_logarithm(const State& s) const noexcept;
  Step without_spring(const State& s) const noexcept;

  PathEquation eq_;
  double tolerance_;
  double spent_scale_;
};

}  // namespace carom::detail::taylor
