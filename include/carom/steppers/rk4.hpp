#pragma once

#include <carom/steppers/march.hpp>
#include <carom/steppers/wall_problem.hpp>

namespace carom {

/// Fourth-order Runge-Kutta, papetti2011 eq. (26).
struct Rk4 {
  static constexpr StepperTraits traits{.name = "rk4", .order = 4, .passive = false};

  template <class Problem>
  ContactPoint step(const Problem& problem, ContactPoint s, double h) const noexcept {
    const double l1 = h * s.v, k1 = h * problem.acceleration(s.x, s.v);
    const double l2 = h * (s.v + k1 / 2), k2 = h * problem.acceleration(s.x + l1 / 2, s.v + k1 / 2);
    const double l3 = h * (s.v + k2 / 2), k3 = h * problem.acceleration(s.x + l2 / 2, s.v + k2 / 2);
    const double l4 = h * (s.v + k3), k4 = h * problem.acceleration(s.x + l3, s.v + k3);
    const double x = s.x + (l1 + 2 * l2 + 2 * l3 + l4) / 6;
    const double v = s.v + (k1 + 2 * k2 + 2 * k3 + k4) / 6;
    return {x, v, problem.force - problem.mass * k4 / h};
  }
};

}  // namespace carom
