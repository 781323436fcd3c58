#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine.hpp"
#include "error_reduction.hpp"

// SDFormat's <surface> by ODE in Gazebo Classic 11 (ODEPhysics.cc, ODESurfaceParams): kp of the two
// bodies in series, kd added, ERP = h kp/(h kp + kd), CFM = 1/(h kp + kd); the smaller restitution
// counts, above the larger threshold; max_vel bounds the speed at which an overlap is pushed out.

namespace carom {

static EngineSetting sdf_setting(const Wanted& wanted) {
  const double e = wanted.restitution, h = wanted.step(), m = wanted.mass;
  if (as_spring(wanted)) {
    MatchedSpring matched = matched_spring(wanted, Scheme::at_end);
    const double kp = 2 * m * matched.spring.K, kd = m * matched.spring.B / 2;
    const UnitSpring book = textbook_spring(e, wanted.contact_time);
    const double fastest = std::max(100.0, 100 * wanted.speed);
    matched.textbook.parameters = {{"kp", 2 * m * book.K}, {"kd", m * book.B / 2}};
    EngineSetting setting{
        .name = "spring",
        .parameters = {{"kp", kp}, {"kd", kd}, {"max_vel", fastest}, {"min_depth", 0.0}},
        .snippet = fmt::format("<!-- in the <collision> of both bodies; max_step_size {} -->\n"
                               "<surface>\n  <contact>\n    <ode>\n"
                               "      <kp>{}</kp>\n      <kd>{}</kd>\n"
                               "      <max_vel>{}</max_vel>\n      <min_depth>0</min_depth>\n"
                               "    </ode>\n  </contact>\n</surface>\n",
                               digits(h), digits(kp), digits(kd), digits(fastest)),
        .outcome = matched.outcome,
        .naive = matched.textbook};
    setting.warnings = {
        fmt::format("for an effective mass of {:g} kg; kp of two bodies is in series and kd adds: "
                    "the same on both, one that is not set adds 1 to kd",
                    m),
        "gz-sim (the new Gazebo) uses DART by default: carom export --to dart"};
    if (kd < 0)
      setting.warnings.push_back(
          "kd is negative, to undo what the step loses; a shorter step or "
          "--setting restitution avoids it");
    return setting;
  }
  constexpr double never = 100000;
  EngineSetting setting{
      .name = "restitution",
      .parameters = {{"restitution_coefficient", e}, {"threshold", 0.0}},
      .snippet = fmt::format("<!-- in the <collision> of both bodies -->\n"
                             "<surface>\n  <bounce>\n"
                             "    <restitution_coefficient>{}</restitution_coefficient>\n"
                             "    <threshold>0</threshold>\n  </bounce>\n"
                             "  <contact><ode><max_vel>{}</max_vel></ode></contact>\n</surface>\n",
                             digits(e), digits(std::max(100.0, 100 * wanted.speed))),
      .outcome = [=](double speed) { return over_phases(bounce(e, 0.2, h), h, speed, h); },
      .naive =
          shipped_number(wanted, {{"restitution_coefficient", e}, {"threshold", never}}, never)};
  setting.warnings = {"the smaller restitution of the two bodies counts: set it on both",
                      "below the ERP of the world (0.2) the overlap determines the rebound"};
  return setting;
}

Engine sdf_engine() {
  return {{"sdf", "SDF for Gazebo Classic", "1.9", false, true, "spring or restitution, SDF"},
          sdf_setting};
}

}  // namespace carom
