#include <cmath>

#include <fmt/format.h>

#include "engine.hpp"

// PhysX 5 (DyContactPrep.cpp): a negative restitution is a stiffness with damping, solved at the
// end of the step; a positive one acts above bounceThresholdVelocity (0.2 times the speed scale as
// shipped). Restitutions are averaged. The TGS solver splits a step and gives less.

namespace carom {

static EngineSetting physx_setting(const Wanted& wanted) {
  const double e = wanted.restitution, h = wanted.step(), m = wanted.mass;
  const std::string pgs = "scene.solverType = PxSolverType::ePGS;\n";
  if (as_spring(wanted)) {
    MatchedSpring matched = matched_spring(wanted, Scheme::at_end);
    if (matched.spring.B >= 0) {
      const double k = m * matched.spring.K, c = m * matched.spring.B;
      const UnitSpring book = textbook_spring(e, wanted.contact_time);
      matched.textbook.parameters = {{"restitution", -m * book.K}, {"damping", m * book.B}};
      EngineSetting setting{
          .name = "spring",
          .parameters = {{"restitution", -k}, {"damping", c}, {"contactOffset", 1e-6}},
          .snippet = pgs + fmt::format("material->setRestitution({});  // negative: a stiffness\n"
                                       "material->setDamping({});\n"
                                       "shape->setContactOffset(1e-6f);\n"
                                       "scene->simulate({});\n",
                                       digits(-k), digits(c), digits(h)),
          .outcome = matched.outcome,
          .naive = matched.textbook};
      setting.warnings = {
          fmt::format("for an effective mass of {:g} kg; with eCOMPLIANT_ACCELERATION_SPRING the "
                      "same numbers over the mass",
                      m),
          "for the PGS solver; the damping is by PhysX's sources, only the stiffness was run"};
      return setting;
    }
  }
  const double threshold = 1e-3 * wanted.speed;
  EngineSetting setting =
      number_setting(wanted, {{"restitution", e}, {"bounceThresholdVelocity", threshold}},
                     pgs + fmt::format("scene.bounceThresholdVelocity = {};  // 2 m/s as shipped\n"
                                       "material->setRestitution({});\n",
                                       digits(threshold), digits(e)),
                     threshold);
  setting.naive = shipped_number(wanted, {{"restitution", e}, {"bounceThresholdVelocity", 2.0}}, 2);
  if (as_spring(wanted))
    setting.warnings.push_back(
        "at this step even an undamped spring loses too much, and PhysX takes no negative damping: "
        "exported as a number");
  setting.warnings.push_back("the mean of both materials counts; the TGS solver gives less");
  return setting;
}

Engine physx_engine() {
  return {{"physx", "PhysX, Isaac", "5.6.1", true, true, "spring or restitution, C++"},
          physx_setting};
}

}  // namespace carom
