#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine.hpp"
#include "error_reduction.hpp"

// ODE 0.16 (ode/src/joints/contact.cpp) and SDF's <surface> as Gazebo Classic hands it to ODE
// (ODEPhysics.cc): a contact is a constraint with ERP and CFM, solved at the end of the step. A
// bounce leaves with the larger of e v and ERP depth/h.

namespace carom {

ErrorReduction error_reduction(const UnitSpring& spring, double mass, double timestep) {
  const double k = mass * spring.K, c = mass * spring.B, h = timestep;
  return {h * k / (h * k + c), 1 / (h * k + c)};
}

EngineStep bounce(double restitution, double erp, double timestep) {
  return [=](double& x, double& v) {
    const bool turns = x > 0 && v > 0;
    if (turns) v = -std::max(restitution * v, erp * x / timestep);
    x += timestep * v;
    return turns;
  };
}

static EngineSetting ode_setting(const Wanted& wanted) {
  const double e = wanted.restitution, h = wanted.step(), m = wanted.mass;
  if (as_spring(wanted)) {
    MatchedSpring matched = matched_spring(wanted, Scheme::at_end);
    const ErrorReduction exported = error_reduction(matched.spring, m, h),
                         book = error_reduction(textbook_spring(e, wanted.contact_time), m, h);
    matched.textbook.parameters = {{"soft_erp", book.erp}, {"soft_cfm", book.cfm}};
    EngineSetting setting{
        .name = "spring",
        .parameters = {{"soft_erp", exported.erp}, {"soft_cfm", exported.cfm}},
        .snippet = fmt::format("contact.surface.mode = dContactSoftERP | dContactSoftCFM;\n"
                               "contact.surface.soft_erp = {};\n"
                               "contact.surface.soft_cfm = {};\n"
                               "dWorldQuickStep(world, {});\n",
                               digits(exported.erp), digits(exported.cfm), digits(h)),
        .outcome = matched.outcome,
        .naive = matched.textbook};
    setting.warnings = {fmt::format(
        "for an effective mass of {:g} kg; several contact points share it: soft_cfm times their "
        "number",
        m)};
    if (exported.erp > 1)
      setting.warnings.push_back(
          "soft_erp is above 1, to undo what the step loses: ODE takes it as it is");
    return setting;
  }
  constexpr double shipped = 0.2;  // ERP of a world
  const double erp = std::min(shipped, e);
  return {
      .name = "restitution",
      .parameters = {{"bounce", e}, {"bounce_vel", 0.0}, {"soft_erp", erp}},
      .snippet = fmt::format("contact.surface.mode = dContactBounce | dContactSoftERP;\n"
                             "contact.surface.bounce = {};\n"
                             "contact.surface.bounce_vel = 0;\n"
                             "contact.surface.soft_erp = {};  // above it the overlap decides\n",
                             digits(e), digits(erp)),
      .outcome = [=](double speed) { return over_phases(bounce(e, erp, h), h, speed, h); },
      .naive = Naive{
          .parameters = {{"bounce", e}, {"bounce_vel", 0.0}, {"soft_erp", shipped}},
          .outcome = [=](double speed) { return over_phases(bounce(e, shipped, h), h, speed, h); },
          .what = "the same number with the ERP of the world"}};
}

Engine ode_engine() {
  return {{"ode", "ODE", "0.16.2", true, true, "spring or restitution, C++"}, ode_setting};
}

}  // namespace carom
