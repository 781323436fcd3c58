#pragma once

#include <vector>

#include <carom/contacts/contact_march.hpp>
#include <carom/impact/impact.hpp>
#include <carom/steppers/wall_problem.hpp>

namespace carom {

/// One impact kept whole, for any law and under any constant force: the yardstick of simulations
/// and what the corrections are made of where there is no closed form. Accurate to about 1e-12.
class ReferenceImpact {
 public:
  ReferenceImpact() = default;
  ReferenceImpact(const AnyLaw& law, const Collision& collision);

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
  ContactPoint with_force(ContactPoint point, const ContactMemory& memory) const noexcept;
  double acceleration(const ContactPiece& piece, double t) const noexcept;

  AnyLaw law_ = PowerLaw{1.0};
  Collision collision_{1.0, 1.0};
  Impact impact_{};
  std::vector<ContactPiece> pieces_;
  ContactPoint end_;
};

}  // namespace carom
