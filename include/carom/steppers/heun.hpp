#pragma once

#include <carom/steppers/march.hpp>
#include <carom/steppers/wall_problem.hpp>

namespace carom {

/// Heun as published in papetti2011 eq. (25): the force is evaluated once a step, at the corrected
/// position and the predicted velocity, and carried to the next step. Second order
/// where the force does not depend on the velocity; with damping too, since the carried force is
/// off by O(h^2) only.
struct Heun {
  static constexpr StepperTraits traits{.name = "heun", .order = 2, .passive = false};

  template <class Problem>
  ContactPoint step(const Problem& problem, ContactPoint s, double h) const noexcept {
    const double m = problem.mass, fe = problem.force;
    const double predicted = s.v + h * (fe - s.f) / m;
    const double x = s.x + h / 2 * (s.v + predicted);
    const double f = problem.contact_force(x, predicted).total();
    return {x, s.v + h / 2 * (2 * fe - s.f - f) / m, f};
  }
};

/// Heun as in textbooks: explicit Euler predictor for both variables, trapezoid corrector.
struct HeunTextbook {
  static constexpr StepperTraits traits{.name = "heun-textbook", .order = 2, .passive = false};

  template <class Problem>
  ContactPoint step(const Problem& problem, ContactPoint s, double h) const noexcept {
    const double a0 = problem.acceleration(s.x, s.v);
    const double predicted = s.v + h * a0;
    const double f = problem.contact_force(s.x + h * s.v, predicted).total();
    const double a1 = (problem.force - f) / problem.mass;
    return {s.x + h / 2 * (s.v + predicted), s.v + h / 2 * (a0 + a1), f};
  }
};

}  // namespace carom
