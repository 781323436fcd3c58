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

  template <class Problem>
  ContactPoint step(const Problem& problem, ContactPoint s, double h) const noexcept {
    return problem.with_law([&](const auto& known) { return leap(known, s, h); });
  }

 private:
  template <ContactLaw Law>
  static ContactPoint leap(const WallProblemOf<Law>& problem, ContactPoint s, double h) noexcept {
    const double m = problem.mass;
    double mu = 0.0;  // other laws are refused beforehand
    if constexpr (ProportionalLaw<Law>) mu = problem.law.proportional_damping();
    const auto elastic = [&](double x) { return problem.contact_force(x, 0.0).conserved; };
    double v = kicked(s.v + h / 2 * problem.force / m, mu, -h / 2 * elastic(s.x) / m);
    const double x = s.x + h * v;
    v = kicked(v, mu, -h / 2 * elastic(x) / m) + h / 2 * problem.force / m;
    return {x, v, problem.contact_force(x, v).total()};
  }

  /// v after w -> w + d.
  static double kicked(double v, double mu, double d) noexcept {
    return mu > 0 ? v + (1 + mu * v) * std::expm1(mu * d) / mu : v + d;
  }
};

}  // namespace carom
