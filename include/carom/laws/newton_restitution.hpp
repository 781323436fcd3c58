#pragma once

#include <carom/laws/fields.hpp>

namespace carom {

/// Newton's impact law: the relative velocity after an impact is -e times the one before it.
/// The law of the nonsmooth steppers; it has no force and no duration.  paoli2007 Sect. 2,
/// issanchou2018 eq. (9) (there rho).
struct NewtonRestitution {
  double restitution = 1.0;  ///< e, 0..1

  static constexpr LawText text{"newton", "NewtonRestitution",
                                "impacts without duration: the velocity is reversed",
                                "v_out = -e v_in", "paoli2007 Sect. 2, issanchou2018 eq. (9)"};
  static constexpr std::tuple fields{NumberField("restitution", &NewtonRestitution::restitution,
                                                 "e", "", "speed after an impact / speed before it")
                                         .within(0, 1)
                                         .starts_with(0.5)};

  bool operator==(const NewtonRestitution&) const = default;

  double outgoing(double approach_speed) const noexcept { return -restitution * approach_speed; }
};

}  // namespace carom
