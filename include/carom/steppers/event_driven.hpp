#pragma once

#include <carom/steppers/contact_flow.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// The reference: adaptive Taylor steps to a tight tolerance, onset and release located exactly.
/// A sample is only where the state is read; accuracy does not depend on the rate. The order is
/// that of its own steps, seen where the tolerance does not choose them.
template <ContactLaw Law, int terms = 16>
class EventDriven {
 public:
  static constexpr StepperTraits traits{.name = "event-driven", .order = terms, .passive = false};

  explicit EventDriven(double tolerance = 1e-16) noexcept : tolerance_(tolerance) {}

  void begin(const ContactProblem<Law>& problem, ContactPoint& point) noexcept {
    flow_ = ContactFlow<Law, terms>(problem, contact_scales(problem, point.x, point.v), tolerance_);
    point.f = problem.contact_force(point.x, point.v);
  }

  Advance advance(const ContactProblem<Law>& problem, ContactPoint& point, double dt) noexcept {
    return advance_along(flow_, problem, point, dt, [this](const ContactPoint& from, double most) {
      return flow_.step(from, most);
    });
  }

  const ContactExtremes& extremes() const noexcept { return flow_.extremes(); }

 private:
  double tolerance_;  ///< relative, of one step
  ContactFlow<Law, terms> flow_;
};

}  // namespace carom
