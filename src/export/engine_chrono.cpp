#include <fmt/format.h>

#include "engine.hpp"

// Chrono 9 (ChSystemSMC.cpp, Hooke without material properties): f = kn x + m_eff gn v >= 0,
// coefficients of two materials are averaged.

namespace carom {

static EngineSetting chrono_setting(const Wanted& wanted) {
  const double m = wanted.mass;
  EngineSetting setting = grain_setting(wanted, "Chrono", [m](const UnitSpring& spring) -> Json {
    return {{"kn", m * spring.K}, {"gn", spring.B}};
  });
  const double kn = setting.parameters["kn"], gn = setting.parameters["gn"];
  setting.snippet = fmt::format(
      "system.UseMaterialProperties(false);\n"
      "system.SetContactForceModel(ChSystemSMC::ContactForceModel::Hooke);\n"
      "material->SetKn({}f);  // both materials\n"
      "material->SetGn({}f);\n"
      "system.DoStepDynamics({});\n",
      digits(kn), digits(gn), digits(wanted.step()));
  setting.warnings = {per_mass(wanted),
                      "the mean of both materials counts: set it on both; the Flores model of "
                      "Chrono falls through to Hooke's"};
  return setting;
}

Engine chrono_engine() {
  return {{"chrono", "Chrono SMC", "9.0", false, true, "spring, C++"}, chrono_setting};
}

}  // namespace carom
