#pragma once

namespace carom {

/// Newton's impact law: the relative velocity after an impact is -e times the one before it.
/// The law of the nonsmooth steppers; it has no force and no duration.  paoli2007 Sect. 2,
/// issanchou2018 eq. (9) (there rho).
struct NewtonRestitution {
  double restitution = 1.0;  ///< e, 0..1

  bool operator==(const NewtonRestitution&) const = default;

  double outgoing(double approach_speed) const noexcept { return -restitution * approach_speed; }
};

/// Throws InvalidInput unless the parameters are in their allowed range.
void validate(const NewtonRestitution& law);

}  // namespace carom
