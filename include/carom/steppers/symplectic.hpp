#pragma once

#include <cmath>

#include <carom/steppers/march.hpp>
#include <carom/steppers/wall_problem.hpp>

namespace carom {

/// Leapfrog in the variables (x, w), w = ln(1 + mu v)/mu, in which a contact f = dV/dx (1 + mu v)
/// is a separable Hamiltonian system: dw/dt = -V'(x)/m, dx/dt = (e^(mu w) - 1)/mu. The velocity
/// never crosses -1/mu, whatever the step: a kick of w by d multiplies 1 + mu v by e^(mu d). A
/// constant external force is a kick of v, split symmetrically around the rest. Other laws have no
/// such variables.
struct Symplectic {
  static constexpr StepperTraits traits{
      .name = "symplectic", .order = 2, .passive = false, .needs_proportional = true};

  ContactPoint step(const WallProblem& problem, ContactPoint s, double h) const noexcept {
    const double m = problem.mass;
    const double mu = std::visit(
        []<class Law>(const Law& law) {
          if constexpr (ProportionalLaw<Law>) return law.proportional_damping();
          return 0.0;  // refused beforehand
        },
        problem.contact.law);
    const auto elastic = [&](double x) { return problem.contact_force(x, 0.0).conserved; };
    double v = kicked(s.v + h / 2 * problem.force / m, mu, -h / 2 * elastic(s.x) / m);
    const double x = s.x + h * v;
    v = kicked(v, mu, -h / 2 * elastic(x) / m) + h / 2 * problem.force / m;
    return {x, v, problem.contact_force(x, v).total()};
  }

 private:
  /// v after w -> w + d.
  static double kicked(double v, double mu, double d) noexcept {
    return mu > 0 ? v + (1 + mu * v) * std::expm1(mu * d) / mu : v + d;
  }
};

}  // namespace carom
