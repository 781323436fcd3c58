#pragma once

#include <algorithm>
#include <cmath>

#include <carom/steppers/contact_problem.hpp>
#include <carom/steppers/discrete_gradient.hpp>
#include <carom/steppers/invariant.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// A one-step method (Core: Rk4, Verlet, ...) as a contact method: one call is one step, cut at the
/// release when events are located. The release is the step length at which the method itself
/// arrives at the release condition, found by a bracketed secant of bounded length.
template <class Core, ContactLaw Law>
class OneStep {
 public:
  static constexpr StepperTraits traits = Core::traits;
  static constexpr int most_iterations = 100;

  void begin(const ContactProblem<Law>& problem, ContactPoint& point) noexcept {
    point.f = problem.events_located ? problem.contact_force(point.x, point.v) : 0.0;
  }

  Advance advance(const ContactProblem<Law>& problem, ContactPoint& point, double dt) noexcept {
    const ContactPoint from = point;
    ContactPoint to = core_.step(problem, from, dt);
    double used = dt;
    bool released = false;
    if (problem.events_located && !(problem.release_function(to.x, to.v) > 0) && leaving(to)) {
      used = release_time(problem, from, dt, to);
      released = true;
      if (!releases_at_zero_force(problem.law)) to.x = 0.0;
      to.f = 0.0;
    }
    point = to;
    const Work work = work_between(problem, from, to, used);
    return {used, work.dissipated, work.injected, released};
  }

 private:
  struct Work {
    double dissipated, injected;
  };

  static bool leaving(const ContactPoint& to) noexcept { return to.v < 0 || to.x <= 0; }

  /// The step length whose end state meets the release condition; `to` becomes that state.
  double release_time(const ContactProblem<Law>& problem, const ContactPoint& from, double dt,
                      ContactPoint& to) noexcept {
    double low = 0.0, high = dt, f_high = problem.release_function(to.x, to.v);
    double f_low = problem.release_function(from.x, from.v);
    for (int i = 0; i < most_iterations && high - low > 4e-16 * dt && f_high < 0; ++i) {
      double h = f_low > 0 ? high - f_high * (high - low) / (f_high - f_low) : 0.5 * (low + high);
      if (!(h > low && h < high) || i % 3 == 2) h = 0.5 * (low + high);
      const ContactPoint trial = core_.step(problem, from, h);
      const double f = problem.release_function(trial.x, trial.v);
      if (f > 0) {
        low = h, f_low = f;
      } else {
        high = h, f_high = f, to = trial;
      }
    }
    return high;
  }

  Work work_between(const ContactProblem<Law>& problem, const ContactPoint& from,
                    const ContactPoint& to, double h) const noexcept {
    const Damping d = damping(problem.law);
    if constexpr (std::is_same_v<Core, DiscreteGradient>) {
      // The external force acts as two kicks: its work is what they add to m v^2/2.
      const double kick = h / 2 * problem.force / problem.mass;
      const double injected = problem.force * h / 2 * (from.v + to.v);
      if (d.mu > 0)
        return {hunt_crossley_loss(problem.mass, d.mu, from.v + kick, to.v - kick), injected};
      return {h > 0 ? d.linear * (to.x - from.x) * (to.x - from.x) / h : 0.0, injected};
    }
    const double injected = problem.force * (to.x - from.x);
    if (d.mu == 0 && d.linear == 0) return {0.0, injected};
    return {
        0.5 * h * (problem.dissipated_power(from.x, from.v) + problem.dissipated_power(to.x, to.v)),
        injected};
  }

  Core core_;
};

}  // namespace carom
