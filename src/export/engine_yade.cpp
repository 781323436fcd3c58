#include <fmt/format.h>

#include "engine.hpp"

// YADE (ViscoelasticPM.cpp): kn and cn of two bodies are in series.

namespace carom {

static EngineSetting yade_setting(const Wanted& wanted) {
  const double m = wanted.mass;
  EngineSetting setting = grain_setting(wanted, "YADE", [m](const UnitSpring& spring) -> Json {
    return {{"kn", 2 * m * spring.K}, {"cn", 2 * m * spring.B}};
  });
  const double kn = setting.parameters["kn"], cn = setting.parameters["cn"];
  setting.snippet = fmt::format(
      "# both bodies\n"
      "O.materials.append(ViscElMat(kn={0}, cn={1}, ks={0}, cs=0, frictionAngle=0.3))\n"
      "O.dt = {2}\n",
      digits(kn), digits(cn), digits(wanted.step()));
  setting.warnings = {per_mass(wanted),
                      "kn and cn, not tc and en: against a wall these last 1.4 times as long"};
  return setting;
}

Engine yade_engine() {
  return {{"yade", "YADE", "2023.02a", true, true, "spring, Python"}, yade_setting};
}

}  // namespace carom
