#pragma once

#include <cmath>

#include <carom/steppers/march.hpp>
#include <carom/steppers/wall_problem.hpp>

namespace carom {

/// Trapezoid rule (one-step Adams-Moulton, AM1), papetti2011 eq. (23). The delay-free loop is
/// solved as in the K-method: everything but the new force f is known, x = x^ - h^2 f/(4m),
/// v = v^ - h f/(2m), and f = contact_force(x, v) is one scalar equation. Its left side minus right
/// side grows with f, so that the secant is kept inside a bracket and bounded.
struct Trapezoid {
  static constexpr StepperTraits traits{.name = "trapezoid", .order = 2, .passive = false};
  static constexpr int max_iterations = 60;

  template <class Problem>
  ContactPoint step(const Problem& problem, ContactPoint s, double h) const noexcept {
    const double m = problem.mass, fe = problem.force;
    const double v_known = s.v + h / (2 * m) * (2 * fe - s.f);
    const double x_known = s.x + h * s.v + h * h / (4 * m) * (2 * fe - s.f);
    const double v_slope = h / (2 * m), x_slope = h * h / (4 * m);
    const auto mismatch = [&](double f) {
      return f - problem.contact_force(x_known - x_slope * f, v_known - v_slope * f).total();
    };
    // The force at f = 0 is an upper bound of the solution, because it falls with f.
    const double at_zero = -mismatch(0.0);
    double low = std::fmin(0.0, at_zero), high = std::fmax(0.0, at_zero);
    double f = std::fmin(std::fmax(s.f, low), high);
    double previous_f = 0.0, previous_r = -at_zero;
    for (int i = 0; i < max_iterations && high > low; ++i) {
      const double r = mismatch(f);
      if (r == 0) break;
      (r > 0 ? high : low) = f;
      double next = f - r * (f - previous_f) / (r - previous_r);
      if (!(next > low && next < high) || std::abs(r) > 0.5 * std::abs(previous_r)) {
        next = 0.5 * (low + high);
      }
      previous_f = f;
      previous_r = r;
      const double change = std::abs(next - f);
      f = next;
      if (change <= 1e-15 * std::abs(f)) break;
    }
    return {x_known - x_slope * f, v_known - v_slope * f, f};
  }
};

}  // namespace carom
