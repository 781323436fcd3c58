#include <fmt/format.h>

#include "engine.hpp"

// Box2D (types.h: b2WorldDef): the larger restitution counts, above 1 m/s as shipped.

namespace carom {

static EngineSetting box2d_setting(const Wanted& wanted) {
  refuse_spring(wanted, "Box2D");
  const double e = wanted.restitution;
  EngineSetting setting =
      number_setting(wanted, {{"restitution", e}, {"restitutionThreshold", 0.0}},
                     fmt::format("// version 3\n"
                                 "worldDef.restitutionThreshold = 0.0f;  // 1 m/s as shipped\n"
                                 "shapeDef.material.restitution = {0}f;\n"
                                 "// version 2.4\n"
                                 "fixtureDef.restitution = {0}f;\n"
                                 "fixtureDef.restitutionThreshold = 0.0f;\n",
                                 digits(e)));
  setting.naive = shipped_number(wanted, {{"restitution", e}, {"restitutionThreshold", 1.0}}, 1.0);
  setting.warnings = {
      "the larger restitution of the two shapes counts",
      "with the engine's defaults nothing slower than 1 m/s rebounds; contactHertz is no "
      "spring that rebounds"};
  return setting;
}

Engine box2d_engine() {
  return {{"box2d", "Box2D", "3.1", true, false, "restitution, C"}, box2d_setting};
}

}  // namespace carom
