#include <cmath>

#include <fmt/format.h>

#include "engine.hpp"

// Bullet 3 (btSequentialImpulseConstraintSolver.cpp, btManifoldResult.cpp): stiffness and damping
// of a contact become ERP = h k/(h k + c), CFM = 1/(h (h k + c)), solved at the end of the step.
// Restitutions multiply, stiffnesses are in series, dampings add. A contact that is not yet closed
// but within the processing threshold is solved too, which takes the rebound away at small steps.

namespace carom {
namespace {

std::string number_snippet(double e) {
  return fmt::format(
      "# PyBullet; restitutions multiply, so the other body has 1\n"
      "p.changeDynamics(ball, -1, restitution={0}, contactProcessingThreshold=0)\n"
      "p.changeDynamics(other, -1, restitution=1, contactProcessingThreshold=0)\n"
      "p.setPhysicsEngineParameter(restitutionVelocityThreshold=0, contactERP=0, contactSlop=0,\n"
      "                            splitImpulsePenetrationThreshold=0)\n"
      "// C++\n"
      "ball->setRestitution({0}); other->setRestitution(1);\n"
      "ball->setContactProcessingThreshold(0); other->setContactProcessingThreshold(0);\n"
      "world->getSolverInfo().m_restitutionVelocityThreshold = 0;\n"
      "world->getSolverInfo().m_splitImpulsePenetrationThreshold = 0;\n",
      digits(e));
}

std::string spring_snippet(double k, double c, double h) {
  return fmt::format(
      "# PyBullet; stiffnesses are in series and dampings add: the same on both bodies\n"
      "p.setTimeStep({0})\n"
      "for body in (ball, other):\n"
      "    p.changeDynamics(body, -1, contactStiffness={1}, contactDamping={2},\n"
      "                     contactProcessingThreshold=0)\n"
      "<!-- URDF, in both links -->\n"
      "<contact><stiffness value=\"{1}\"/><damping value=\"{2}\"/></contact>\n"
      "// C++\n"
      "for (btCollisionObject* body : {{ball, other}}) {{\n"
      "  body->setContactStiffnessAndDamping({1}, {2});\n"
      "  body->setContactProcessingThreshold(0);\n"
      "}}\n",
      digits(h), digits(k), digits(c));
}

}  // namespace

static EngineSetting bullet_setting(const Wanted& wanted) {
  const double e = wanted.restitution, h = wanted.step(), m = wanted.mass;
  if (as_spring(wanted)) {
    MatchedSpring matched = matched_spring(wanted, Scheme::at_end);
    const bool negative = matched.spring.B < 0;
    if (!negative || wanted.setting == ExportSetting::spring) {
      const double k = 2 * m * matched.spring.K, c = m * matched.spring.B / 2;
      const UnitSpring book = textbook_spring(e, wanted.contact_time);
      matched.textbook.parameters = {{"contactStiffness", 2 * m * book.K},
                                     {"contactDamping", m * book.B / 2},
                                     {"contactProcessingThreshold", 0}};
      EngineSetting setting{.name = "spring",
                            .parameters = {{"contactStiffness", k},
                                           {"contactDamping", c},
                                           {"contactProcessingThreshold", 0}},
                            .snippet = spring_snippet(k, c, h),
                            .outcome = matched.outcome,
                            .naive = matched.textbook};
      setting.warnings = {
          fmt::format("for an effective mass of {:g} kg; a contact of several points shares the "
                      "stiffness among them",
                      m),
          "both bodies must be set: one that is not adds a damping of 0.1"};
      if (negative)
        setting.warnings.push_back(
            "the damping is negative, to undo what the step loses: C++ and URDF take it, "
            "PyBullet's "
            "changeDynamics does not");
      return setting;
    }
  }
  EngineSetting setting = number_setting(
      wanted, {{"restitution", {e, 1.0}}, {"contactProcessingThreshold", 0}}, number_snippet(e));
  if (as_spring(wanted))
    setting.warnings.push_back(fmt::format(
        "at this step even an undamped spring loses too much (its damping would be negative): "
        "exported as a number; a shorter time step, or --setting spring for C++ and URDF"));
  setting.warnings.push_back(
      "restitutions of the two bodies multiply: one has 1, or both the square root");
  return setting;
}

Engine bullet_engine() {
  return {{"bullet", "Bullet, PyBullet", "3.24", true, true,
           "spring or restitution, Python, URDF and C++"},
          bullet_setting};
}

}  // namespace carom
