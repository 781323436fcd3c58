#pragma once

#include <cmath>

#include <carom/steppers/contact_problem.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// Leapfrog in the variables (x, w), w = ln(1 + mu v)/mu, in which a Hunt-Crossley contact is a
/// separable Hamiltonian system: dw/dt = -(k/m) x^n, dx/dt = (e^(mu w) - 1)/mu. The velocity never
/// crosses -1/mu, whatever the step: a kick of w by d multiplies 1 + mu v by e^(mu d). A constant
/// external force is a kick of v, split symmetrically around the rest. Not for the Hertz-damper,
/// which has no such variables.
struct Symplectic {
  static constexpr StepperTraits traits{.name = "symplectic", .order = 2, .passive = false};

  template <ContactLaw Law>
  ContactPoint step(const ContactProblem<Law>& problem, ContactPoint s, double h) const noexcept {
    const double mu = damping(problem.law).mu, m = problem.mass;
    double v = kicked(s.v + h / 2 * problem.force / m, mu, -h / 2 * elastic(problem, s.x) / m);
    const double x = s.x + h * v;
    v = kicked(v, mu, -h / 2 * elastic(problem, x) / m) + h / 2 * problem.force / m;
    return {x, v, problem.contact_force(x, v)};
  }

 private:
  template <ContactLaw Law>
  static double elastic(const ContactProblem<Law>& problem, double x) noexcept {
    return problem.law.elastic_force(x);
  }
  /// v after w -> w + d.
  static double kicked(double v, double mu, double d) noexcept {
    return mu > 0 ? v + (1 + mu * v) * std::expm1(mu * d) / mu : v + d;
  }
};

template <class Method, class Law>
inline constexpr bool accepts_law = true;
template <>
inline constexpr bool accepts_law<Symplectic, HertzDamper> = false;

}  // namespace carom
