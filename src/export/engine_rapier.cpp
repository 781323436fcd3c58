#include <fmt/format.h>

#include "engine.hpp"

// Rapier (integration_parameters.rs): restitutions are averaged. Up to 0.19 a contact that is
// predicted takes part of the approach away.

namespace carom {

static EngineSetting rapier_setting(const Wanted& wanted) {
  refuse_spring(wanted, "Rapier");
  const double e = wanted.restitution;
  EngineSetting setting = number_setting(
      wanted, {{"restitution", e}, {"restitution_combine_rule", "Average"}},
      fmt::format("// JavaScript, both colliders\n"
                  "RAPIER.ColliderDesc.ball(radius).setRestitution({0});\n"
                  "world.integrationParameters.normalizedPredictionDistance = 0;  // up to 0.19\n"
                  "// Rust, both colliders\n"
                  "ColliderBuilder::ball(radius).restitution({0})\n",
                  digits(e)));
  setting.warnings = {
      "the mean of both colliders counts: set it on both",
      "up to version 0.19 only with normalizedPredictionDistance = 0; contact_natural_frequency is "
      "no spring that rebounds"};
  return setting;
}

Engine rapier_engine() {
  return {{"rapier", "Rapier", "0.21", true, false, "restitution, JavaScript and Rust"},
          rapier_setting};
}

}  // namespace carom
