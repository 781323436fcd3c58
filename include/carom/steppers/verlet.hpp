#pragma once

#include <carom/steppers/march.hpp>
#include <carom/steppers/wall_problem.hpp>

namespace carom {

/// Velocity Verlet as published in papetti2011 eq. (24): the force is evaluated once a step, at the
/// half-step velocity, and carried to the next step. First order when the force depends on the
/// velocity (the half-step velocity stands for the full-step one), second when it does not.
struct Verlet {
  static constexpr StepperTraits traits{.name = "verlet", .order = 1, .passive = false};

  template <class Problem>
  ContactPoint step(const Problem& problem, ContactPoint s, double h) const noexcept {
    const double m = problem.mass, fe = problem.force;
    const double a = (fe - s.f) / m;
    const double half = s.v + h / 2 * a;
    const double x = s.x + h * s.v + h * h / 2 * a;
    const double f = problem.contact_force(x, half).total();
    return {x, half + h / 2 * (fe - f) / m, f};
  }
};

/// Velocity Verlet as in textbooks, for forces that depend on the velocity: the force of the first
/// half is evaluated anew at (x, v), the second at the predicted full-step velocity.
struct VerletTextbook {
  static constexpr StepperTraits traits{.name = "verlet-textbook", .order = 2, .passive = false};

  template <class Problem>
  ContactPoint step(const Problem& problem, ContactPoint s, double h) const noexcept {
    const double m = problem.mass, fe = problem.force;
    const double a0 = problem.acceleration(s.x, s.v);
    const double half = s.v + h / 2 * a0;
    const double x = s.x + h * half;
    const double predicted = s.v + h * a0;
    const double f = problem.contact_force(x, predicted).total();
    return {x, half + h / 2 * (fe - f) / m, f};
  }
};

}  // namespace carom
