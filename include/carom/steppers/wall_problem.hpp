#pragma once

#include <algorithm>

#include <carom/contacts/contact.hpp>

namespace carom {

/// The state of one contact. `f` is the contact force that predictor-corrector methods carry from
/// step to step (papetti2011 eqs (24), (25)); the others keep it up to date for observers.
struct ContactPoint {
  double x = 0.0;  ///< compression [m]
  double v = 0.0;  ///< its rate [m/s]
  double f = 0.0;  ///< contact force [N]
};

struct WallProblem;

/// A problem whose law is known: what a step uses, so that the law is looked up once in it.
template <ContactLaw Law>
struct WallProblemOf {
  WallProblemOf(const Law& known, const WallProblem& problem) noexcept;

  const Law& law;
  const ContactState& state;
  double mass, force;
  bool events_located;

  Force contact_force(double x, double v) const noexcept {
    const double compression = x - state.dent();
    if (events_located) return law.force(compression, v, state.memory());
    if (!(compression > edge(law, state.memory()))) return {};
    const Force f = law.force(compression, v, state.memory());
    return releases_by_force(law) && f.total() < 0 ? Force{f.conserved, -f.conserved} : f;
  }
  double acceleration(double x, double v) const noexcept {
    return (force - contact_force(x, v).total()) / mass;
  }
  double dissipated_power(double x, double v) const noexcept {
    return contact_force(x, v).lost * v;
  }
  template <class F>
  auto with_law(F&& f) const noexcept {
    return f(*this);
  }
};

/// One contact of one effective mass for methods of fixed steps: dx/dt = v,
/// m dv/dt = -f(x, v) + f_e.
struct WallProblem {
  Contact contact = {};
  ContactState state = {};
  double mass = 1.0;           ///< m [kg], > 0
  double force = 0.0;          ///< f_e [N], > 0 pushes into the contact
  bool events_located = true;  ///< false: the method is blind to onset and release between samples

  /// What `f` makes of the problem with its law known.
  template <class F>
  auto with_law(F&& f) const noexcept {
    return std::visit([&](const auto& law) { return f(WallProblemOf(law, *this)); }, contact.law);
  }

  /// With located events the body is known to touch, and nothing is cut off. Otherwise the force is
  /// zero apart, and where the law releases by force it does not pull.
  Force contact_force(double x, double v) const noexcept {
    return with_law([&](const auto& known) { return known.contact_force(x, v); });
  }
  double acceleration(double x, double v) const noexcept {
    return (force - contact_force(x, v).total()) / mass;
  }
  double potential(double x) const noexcept {
    return with_law(
        [&](const auto& known) { return known.law.potential(x - state.dent(), state.memory()); });
  }
  double energy(double x, double v) const noexcept { return 0.5 * mass * v * v + potential(x); }
  /// What the damper takes [W], >= 0.
  double dissipated_power(double x, double v) const noexcept {
    return contact_force(x, v).lost * v;
  }
};

template <ContactLaw Law>
WallProblemOf<Law>::WallProblemOf(const Law& known, const WallProblem& problem) noexcept
    : law(known),
      state(problem.state),
      mass(problem.mass),
      force(problem.force),
      events_located(problem.events_located) {}

/// Work over one step [J].
struct StepWork {
  double dissipated, injected;
};

}  // namespace carom
