#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <carom/steppers/contact_problem.hpp>
#include <carom/steppers/zero_between.hpp>

namespace carom {

/// The extremes of one contact, located between steps. Times count from onset [s].
struct ContactExtremes {
  double max_compression = 0.0, max_compression_time = 0.0;
  double max_force = 0.0, max_force_time = 0.0;
};

/// The motion in contact as a Taylor series, k x^n (1 + mu v) + c v against m dv/dt, with steps
/// chosen from the last coefficients. One power a step whatever the order, dense output for free,
/// and events found on the polynomial. At x = 0 a non-integer n makes the motion singular: contact
/// starts with its leading fractional term and ends with the reverse of it, both over a stretch so
/// short (1e-5 of the length scale) that what they leave out is below rounding.
/// Sixteen terms reach rounding in a few dozen steps a contact; fewer are there to measure that the
/// order is the number of terms, which rounding hides at sixteen.
template <ContactLaw Law, int terms = 16>
class ContactFlow {
 public:
  static constexpr int order = terms;
  static constexpr double edge = 1e-5;  ///< of the length scale
  using Series = std::array<double, order + 1>;

  ContactFlow() = default;
  ContactFlow(const ContactProblem<Law>& problem, const ContactScales& scales,
              double tolerance) noexcept
      : problem_(problem),
        damping_(damping(problem.law)),
        scales_(scales),
        tolerance_(tolerance),
        guess_(0.1 * scales.time) {
    extremes_.max_force = damping_.linear * scales.speed;  // at first touch, before the spring acts
  }

  /// One step of at most `most`. `dissipated` is what the damper took.
  struct Step {
    ContactPoint to;
    double h;
    double dissipated;
    bool released;
  };

  Step step(const ContactPoint& from, double most) noexcept {
    on_series_ = from.x > 0;
    if (!on_series_) return leave_edge(from, most);
    if (from.v < 0 && from.x <= edge * scales_.length && !releases_at_zero_force(problem_.law)) {
      const Step last = reach_edge(from);
      on_series_ = !(last.released && last.h <= most);
      if (!on_series_) return last;
    }
    expand(from, guess_);
    double theta = std::min(accepted(), 4.0);
    // Moving out, the singularity at x = 0 lies ahead: stop well before it.
    if (from.v < 0) theta = std::min(theta, 0.7 * from.x / (-from.v * guess_));
    if (from.v > 0)
      theta = std::min(theta, 2.0 * (from.x + edge * scales_.length) / (from.v * guess_));
    double h = theta * guess_;
    const bool whole = !(h < most);
    if (whole) {
      h = most;
      theta = h / guess_;
    }
    bool released = false;
    if (releases_at_zero_force(problem_.law) && value(f_, theta) < 0) {
      theta = root(f_, theta);
      h = theta * guess_;
      released = true;
    }
    const Step done{{value(x_, theta), value(v_, theta), released ? 0.0 : value(f_, theta)},
                    h,
                    std::max(0.0, value(d_, theta)),
                    released};
    theta_ = theta;
    scale_ = guess_;
    if (!whole && !released) guess_ = h;
    return done;
  }

  /// Takes note of the extremes within the step that was just made from `from`.
  void note(const ContactPoint& from, const Step& step) noexcept {
    raise(step.to.x, step.to.f, elapsed_ + step.h);
    if (on_series_) {
      if (from.v > 0 && step.to.v <= 0) note_at(root(v_, theta_));
      Series slope{};
      for (int j = 0; j < order; ++j) slope[j] = (j + 1) * f_[j + 1];
      if (slope[0] > 0 && value(slope, theta_) <= 0) note_at(root(slope, theta_));
    }
    elapsed_ += step.h;
  }
  const ContactExtremes& extremes() const noexcept { return extremes_; }

  /// One step as polynomials of t/unit from its beginning: dense output.
  struct Piece {
    double begin, length, unit;  ///< [s]
    Series x, v;
    ContactPoint at(double t) const noexcept {
      const double theta = (t - begin) / unit;
      return {value(x, theta), value(v, theta), 0.0};
    }
  };
  /// The piece of the step that was just made from `from`, beginning at `begin`.
  Piece piece(const ContactPoint& from, const Step& step, double begin) const noexcept {
    Piece p{begin, step.h, on_series_ ? scale_ : step.h, x_, v_};
    if (!on_series_) {  // a stretch so short that a cubic is exact to rounding
      const double h = step.h, rise = step.to.x - from.x, a = h * from.v, b = h * step.to.v;
      p.x = {from.x, a, 3 * rise - 2 * a - b, a + b - 2 * rise};
      p.v = {from.v, step.to.v - from.v};
    }
    return p;
  }

 private:
  /// Coefficients of x, v, the force and the loss in powers of t/T, T = time_unit. The power
  /// y = k x^n follows from x y' = n y x': with x' = v,
  ///   (j + 1) x_0 y_(j+1) = (n + 1) T sum_i v_i y_(j-i) - (j + 1) sum_i x_(i+1) y_(j-i),
  /// whose first sum is that of the damping force. One loop, three independent sums.
  void expand(const ContactPoint& from, double time_unit) noexcept {
    const double n = problem_.law.exponent, k = problem_.law.stiffness, m = problem_.mass;
    const double mu = damping_.mu, c = damping_.linear, T = time_unit;
    Series y{}, damper{};
    x_[0] = from.x;
    v_[0] = from.v;
    y[0] = k * std::pow(from.x, n);
    d_[0] = 0;
    elastic_ = y[0];
    const double inverse_x = 1 / from.x;
    for (int j = 0; j <= order; ++j) {
      if (j < order) x_[j + 1] = T / (j + 1) * v_[j];
      double product = 0, rest = 0, loss = 0;
      for (int i = 0; i < j; ++i) {
        product += v_[i] * y[j - i];
        rest += x_[i + 1] * y[j - i];
        loss += damper[i] * v_[j - i];
      }
      product += v_[j] * y[0];
      damper[j] = mu * product + c * v_[j];
      f_[j] = y[j] + damper[j];
      if (j == order) break;
      rest += x_[j + 1] * y[0];
      loss += damper[j] * v_[0];
      const double unit = T / (j + 1);
      d_[j + 1] = unit * loss;
      v_[j + 1] = unit / m * ((j == 0 ? problem_.force : 0.0) - f_[j]);
      y[j + 1] = ((n + 1) * unit * product - rest) * inverse_x;
    }
  }

  /// The step, in units of the guess, whose last two terms stay within the tolerance.
  double accepted() const noexcept {
    // Relative to the energy that is left, not to the initial one: a strongly damped impact keeps
    // a millionth of it.
    const double m = problem_.mass, x = x_[0], v = v_[0];
    const double energy =
        0.5 * m * v * v + x * (elastic_ / (problem_.law.exponent + 1) + std::abs(problem_.force));
    const double speed = std::sqrt(2 * energy / m);
    const auto size = [this, energy, speed](int j) {
      return std::max({std::abs(x_[j]) / scales_.length, std::abs(v_[j]) / speed,
                       std::abs(d_[j]) / energy, 1e-300});
    };
    return 0.9 * std::pow(tolerance_ / std::max(size(order), size(order - 1)), 1.0 / order);
  }

  void note_at(double theta) noexcept {
    raise(value(x_, theta), value(f_, theta), elapsed_ + theta * scale_);
  }
  void raise(double x, double f, double time) noexcept {
    if (x > extremes_.max_compression) {
      extremes_.max_compression = x;
      extremes_.max_compression_time = time;
    }
    if (f > extremes_.max_force) {
      extremes_.max_force = f;
      extremes_.max_force_time = time;
    }
  }

  /// From first touch, x = 0 and v > 0: smooth motion under c and f_e plus the leading term of the
  /// spring.
  Step leave_edge(const ContactPoint& from, double most) noexcept {
    const double n = problem_.law.exponent, m = problem_.mass;
    const double c = damping_.linear, mu = damping_.mu;
    const double a = (problem_.force - c * from.v) / m;
    const double decay = std::max({c / m, std::abs(a) / std::max(from.v, 1e-3 * scales_.speed),
                                   1 / scales_.time, mu * from.v / scales_.time});
    const double h = std::min(most, edge / decay);
    const double b = -c * a / m;
    const double travel = h * (from.v + h * (a / 2 + h * b / 6));
    const double spring = problem_.law.elastic_force(h * from.v) / m;
    const double gain = spring * (1 + mu * from.v) * h / (n + 1);
    const double x = travel - gain * h / (n + 2), v = from.v + h * (a + h * b / 2) - gain;
    const double loss =
        mu * from.v * from.v * m * spring * h / (n + 1) +
        c * h * (from.v * from.v + from.v * a * h + (a * a + from.v * b) * h * h / 3);
    guess_ = h;
    return {{x, v, problem_.contact_force(x, v)}, h, loss, false};
  }

  /// From 0 < x <= edge, v < 0 to x = 0; not released when it turns round before.
  Step reach_edge(const ContactPoint& from) const noexcept {
    const double n = problem_.law.exponent, m = problem_.mass, mu = damping_.mu;
    const double c = damping_.linear;
    const double elastic = problem_.law.elastic_force(from.x);
    const double a = (problem_.force - c * from.v) / m;
    // x + v t + a t^2/2 = 0 with v < 0, in the form that does not cancel.
    const double discriminant = from.v * from.v - 2 * a * from.x;
    if (discriminant <= 0) return {from, 0.0, 0.0, false};
    const double t_free = 2 * from.x / (-from.v + std::sqrt(discriminant));
    // The spring acts as (1 - t/t_free)^n and shortens the way out.
    const double push = elastic * std::max(0.0, 1 + mu * from.v) / m;
    const double t_out = t_free - push * t_free * t_free / ((n + 2) * -from.v);
    const double v = from.v + a * t_out * (1 - 0.5 * c / m * t_out) - push * t_out / (n + 1);
    const double loss = mu * elastic * from.v * from.v * t_out / (n + 1) +
                        c * (from.v * from.v + from.v * v + v * v) / 3 * t_out;
    return {{0.0, v, 0.0}, t_out, loss, true};
  }

  static double value(const Series& series, double theta) noexcept {
    double sum = series[order];
    for (int j = order - 1; j >= 0; --j) sum = sum * theta + series[j];
    return sum;
  }
  static double root(const Series& series, double theta) noexcept {
    return zero_between(0.0, theta, [&](double t) { return value(series, t); });
  }

  ContactProblem<Law> problem_{};
  Damping damping_;
  ContactScales scales_{};
  double tolerance_ = 0.0;
  double guess_ = 0.0;
  double theta_ = 0.0, scale_ = 1.0;
  bool on_series_ = false;
  double elastic_ = 0.0;  ///< k x^n where the last series begins [N]
  double elapsed_ = 0.0;
  ContactExtremes extremes_;
  Series x_{}, v_{}, f_{}, d_{};
};

/// Steps of the contact's own size until `dt` has passed or the contact has ended, made by
/// `step(from, most)` and noted in `flow`.
template <ContactLaw Law, int terms, class MakeStep>
Advance advance_along(ContactFlow<Law, terms>& flow, const ContactProblem<Law>& problem,
                      ContactPoint& point, double dt, MakeStep&& make_step) noexcept {
  constexpr int most_steps = 200000;
  const double start = point.x;
  Advance done{0.0, 0.0, 0.0, false};
  for (int i = 0; i < most_steps && done.used < dt && !done.released; ++i) {
    const double rest = dt - done.used;
    const typename ContactFlow<Law, terms>::Step step = make_step(point, rest);
    flow.note(point, step);
    point = step.to;
    done.used = step.released || step.h < rest ? done.used + step.h : dt;
    done.dissipated += step.dissipated;
    done.released = step.released;
  }
  done.converged = done.released || !(done.used < dt);
  done.injected = problem.force * (point.x - start);
  return done;
}

}  // namespace carom
