#include <fmt/format.h>

#include "engine.hpp"

// Jolt (PhysicsSettings.h): the larger restitution counts, above 1 m/s as shipped.

namespace carom {

static EngineSetting jolt_setting(const Wanted& wanted) {
  refuse_spring(wanted, "Jolt");
  const double e = wanted.restitution;
  EngineSetting setting = number_setting(
      wanted, {{"mRestitution", e}, {"mMinVelocityForRestitution", 0.0}},
      fmt::format("JPH::PhysicsSettings settings = physics_system.GetPhysicsSettings();\n"
                  "settings.mMinVelocityForRestitution = 0.0f;  // 1 m/s as shipped\n"
                  "physics_system.SetPhysicsSettings(settings);\n"
                  "body_settings.mRestitution = {}f;  // both bodies\n",
                  digits(e)));
  setting.naive =
      shipped_number(wanted, {{"mRestitution", e}, {"mMinVelocityForRestitution", 1.0}}, 1.0);
  setting.warnings = {"the larger restitution of the two bodies counts",
                      "with the engine's defaults nothing slower than 1 m/s rebounds"};
  return setting;
}

Engine jolt_engine() {
  return {{"jolt", "Jolt", "5.4", true, false, "restitution, C++"}, jolt_setting};
}

}  // namespace carom
