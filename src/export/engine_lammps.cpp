#include <fmt/format.h>

#include "engine.hpp"

// LAMMPS (pair granular, hooke with mass_velocity) and LIGGGHTS (hooke/stiffness): f = kn x +
// m_eff gamman v; limited to pushing.

namespace carom {

static EngineSetting lammps_setting(const Wanted& wanted) {
  const double m = wanted.mass;
  EngineSetting setting = grain_setting(wanted, "LAMMPS", [m](const UnitSpring& spring) -> Json {
    return {{"kn", m * spring.K}, {"gamman", spring.B}};
  });
  const double kn = setting.parameters["kn"], gamman = setting.parameters["gamman"];
  setting.snippet = fmt::format(
      "# LAMMPS\n"
      "pair_style granular\n"
      "pair_coeff * * hooke {0} {1} damping mass_velocity tangential linear_nohistory 0 0 "
      "limit_damping\n"
      "fix floor all wall/gran granular hooke {0} {1} damping mass_velocity tangential "
      "linear_nohistory 0 0 limit_damping zplane 0 NULL\n"
      "timestep {2}\n"
      "# LIGGGHTS\n"
      "pair_style gran model hooke/stiffness tangential no_history limitForce on\n"
      "fix kn all property/global kn peratomtypepair 1 {0}\n"
      "fix gn all property/global gamman peratomtypepair 1 {1}\n",
      digits(kn), digits(gamman), digits(wanted.step()));
  setting.warnings = {per_mass(wanted),
                      "without limit_damping (LIGGGHTS: limitForce on) the contact pulls, and the "
                      "rebound is slower"};
  return setting;
}

Engine lammps_engine() {
  return {{"lammps", "LAMMPS, LIGGGHTS", "2022, 3.8", true, true, "spring, input script"},
          lammps_setting};
}

}  // namespace carom
