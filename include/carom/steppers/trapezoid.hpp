#pragma once

#include <cmath>

#include <carom/steppers/contact_problem.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// Trapezoid rule (one-step Adams-Moulton, AM1), papetti2011 eq. (23). The delay-free loop is
/// solved as in the K-method: everything but the new force f is known, x = x^ - h^2 f/(4m),
/// v = v^ - h f/(2m), and f = contact_force(x, v) is one scalar equation. Its left side minus right
/// side grows with f, so that Newton is kept inside a bracket and bounded.
struct Trapezoid {
  static constexpr StepperTraits traits{.name = "trapezoid", .order = 2, .passive = false};
  static constexpr int most_iterations = 60;

  template <ContactLaw Law>
  ContactPoint step(const ContactProblem<Law>& problem, ContactPoint s, double h) const noexcept {
    const double m = problem.mass, fe = problem.force;
    const double v_known = s.v + h / (2 * m) * (2 * fe - s.f);
    const double x_known = s.x + h * s.v + h * h / (4 * m) * (2 * fe - s.f);
    const double v_slope = h / (2 * m), x_slope = h * h / (4 * m);
    const auto mismatch = [&](double f) {
      return f - problem.contact_force(x_known - x_slope * f, v_known - v_slope * f);
    };
    // The force at f = 0 is an upper bound of the solution, because it falls with f.
    double low = std::min(0.0, problem.contact_force(x_known, v_known));
    double high = std::max(0.0, problem.contact_force(x_known, v_known));
    double f = std::min(std::max(s.f, low), high);
    const Damping d = damping(problem.law);
    for (int i = 0; i < most_iterations && high > low; ++i) {
      const double r = mismatch(f);
      if (r == 0) break;
      (r > 0 ? high : low) = f;
      const double x = x_known - x_slope * f, v = v_known - v_slope * f;
      const double elastic = problem.law.elastic_force(x);
      const double stiffness = x > 0 ? problem.law.exponent * elastic / x * (1 + d.mu * v) : 0.0;
      const double slope =
          1 + x_slope * stiffness + v_slope * (d.mu * elastic + (x > 0 ? d.linear : 0.0));
      double next = f - r / slope;
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      const double change = std::abs(next - f);
      f = next;
      if (change <= 1e-15 * std::abs(f)) break;
    }
    return {x_known - x_slope * f, v_known - v_slope * f, f};
  }
};

}  // namespace carom
