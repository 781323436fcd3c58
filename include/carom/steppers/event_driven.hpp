#pragma once

#include <algorithm>
#include <cmath>

#include <carom/steppers/contact_flow.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// The reference: adaptive Taylor steps to a tight tolerance, onset and release located exactly.
/// A sample is only where the state is read; accuracy does not depend on the rate.
template <ContactLaw Law>
class EventDriven {
 public:
  static constexpr StepperTraits traits{
      .name = "event-driven", .order = ContactFlow<Law>::order, .passive = false};
  static constexpr int most_steps = 200000;  ///< a call

  void begin(const ContactProblem<Law>& problem, ContactPoint& point) noexcept {
    flow_ = ContactFlow<Law>(problem, contact_scales(problem, point.x, point.v), 1e-16);
    point.f = problem.contact_force(point.x, point.v);
  }

  Advance advance(const ContactProblem<Law>& problem, ContactPoint& point, double dt) noexcept {
    const double start = point.x;
    Advance done{0.0, 0.0, 0.0, false};
    for (int i = 0; i < most_steps && done.used < dt && !done.released; ++i) {
      const auto step = flow_.step(point, dt - done.used);
      flow_.note(point, step);
      point = step.to;
      done.used = step.released || step.h < dt - done.used ? done.used + step.h : dt;
      done.dissipated += step.dissipated;
      done.released = step.released;
    }
    done.converged = done.released || !(done.used < dt);
    done.injected = problem.force * (point.x - start);
    return done;
  }

  const ContactExtremes& extremes() const noexcept { return flow_.extremes(); }

 private:
  ContactFlow<Law> flow_;
};

}  // namespace carom
