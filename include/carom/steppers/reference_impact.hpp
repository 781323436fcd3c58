#pragma once

#include <vector>

#include <carom/impact/impact.hpp>
#include <carom/steppers/contact_flow.hpp>

namespace carom {

/// One impact by the event-driven method, kept whole: the yardstick of simulations and what the
/// corrections with an external force or a Hertz-damper are made of. For every law, accurate to
/// about 1e-14.
template <ContactLaw Law>
class ReferenceImpact {
 public:
  ReferenceImpact() = default;
  ReferenceImpact(const ContactProblem<Law>& problem, double speed) { compute(problem, speed); }

  /// Replaces the impact. Reuses memory: no allocation once the longest impact has been seen.
  void compute(const ContactProblem<Law>& problem, double speed);

  const Impact& impact() const noexcept { return impact_; }
  /// The state at `t` after first touch; in flight after release (external force included), at the
  /// equilibrium when it never leaves.
  ContactPoint at(double t) const noexcept;
  /// The state of the trajectory that has the velocity `v`, in restitution for v < 0. With an
  /// external force the velocity first rises: `near` says which of two states is meant. Beyond the
  /// ends of the contact: the end.
  ContactPoint at_velocity(double v, double near) const noexcept;
  /// The state of the trajectory nearest to (x, v) in units of its largest compression and speed.
  ContactPoint nearest(double x, double v) const noexcept;

 private:
  using Piece = typename ContactFlow<Law>::Piece;
  ContactPoint with_force(ContactPoint point) const noexcept;

  ContactProblem<Law> problem_{};
  double speed_ = 0.0;
  Impact impact_{};
  std::vector<Piece> pieces_;
  ContactPoint end_;
};

extern template class ReferenceImpact<PowerLaw>;
extern template class ReferenceImpact<HuntCrossley>;
extern template class ReferenceImpact<HertzDamper>;

}  // namespace carom
