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

/// One contact of one effective mass for methods of fixed steps: dx/dt = v,
/// m dv/dt = -f(x, v) + f_e.
struct WallProblem {
  Contact contact = {};
  ContactState state = {};
  double mass = 1.0;           ///< m [kg], > 0
  double force = 0.0;          ///< f_e [N], > 0 pushes into the contact
  bool events_located = true;  ///< false: the method is blind to onset and release between samples

  /// With located events the body is known to touch, and nothing is cut off. Otherwise the force is
  /// zero apart, and where the law releases by force it does not pull.
  Force contact_force(double x, double v) const noexcept {
    return std::visit(
        [&](const auto& law) -> Force {
          const double compression = x - state.dent();
          if (events_located) return law.force(compression, v, state.memory());
          if (!(compression > edge(law, state.memory()))) return {};
          const Force f = law.force(compression, v, state.memory());
          return releases_by_force(law) && f.total() < 0 ? Force{f.conserved, -f.conserved} : f;
        },
        contact.law);
  }
  double acceleration(double x, double v) const noexcept {
    return (force - contact_force(x, v).total()) / mass;
  }
  double potential(double x) const noexcept {
    return std::visit(
        [&](const auto& law) { return law.potential(x - state.dent(), state.memory()); },
        contact.law);
  }
  double energy(double x, double v) const noexcept { return 0.5 * mass * v * v + potential(x); }
  /// What the damper takes [W], >= 0.
  double dissipated_power(double x, double v) const noexcept {
    return contact_force(x, v).lost * v;
  }
};

/// Work over one step [J].
struct StepWork {
  double dissipated, injected;
};

}  // namespace carom
