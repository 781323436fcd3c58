#include <fmt/format.h>

#include "engine.hpp"

// DART 6 (ContactConstraint.cpp): the product counts; no rebound where it would be slower than
// 0.1 m/s.

namespace carom {

static EngineSetting dart_setting(const Wanted& wanted) {
  refuse_spring(wanted, "DART");
  const double e = wanted.restitution, threshold = 0.1 / e;  // infinite for 0
  EngineSetting setting =
      number_setting(wanted, {{"restitution", {e, 1.0}}},
                     fmt::format("// restitutions multiply, so the other body has 1\n"
                                 "ball_shape->getDynamicsAspect()->setRestitutionCoeff({});\n"
                                 "other_shape->getDynamicsAspect()->setRestitutionCoeff(1.0);\n",
                                 digits(e)),
                     threshold);
  setting.warnings = {
      "restitutions of the two bodies multiply: one has 1, or both the square root",
      fmt::format("no rebound slower than 0.1 m/s: below {:.3g} m/s nothing bounces", threshold)};
  return setting;
}

Engine dart_engine() {
  return {{"dart", "DART, gz-sim", "6.12.1", true, false, "restitution, C++"}, dart_setting};
}

}  // namespace carom
