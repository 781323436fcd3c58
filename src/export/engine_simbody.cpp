#include <cmath>

#include <fmt/format.h>

#include "engine.hpp"

// Simbody 3.7 (HuntCrossleyForce.cpp): f = 4/3 E sqrt(R) x^(3/2) (1 + 3/2 c v), E = that of two
// equal materials times 2^(-3/2).

namespace carom {

static EngineSetting simbody_setting(const Wanted& wanted) {
  require_contact_time(wanted, "Simbody");
  constexpr double n = 1.5;
  const HuntCrossley law = as_hunt_crossley(wanted, n);
  const double radius = wanted.radius.value_or(0.01);
  const double pair = 3 * law.stiffness / (4 * std::sqrt(radius)), each = std::pow(2.0, 1.5) * pair,
               dissipation = 2 * law.mu / 3;
  EngineSetting setting{
      .name = "law",
      .parameters = {{"stiffness", each}, {"dissipation", dissipation}, {"radius", radius}},
      .snippet = fmt::format("// both bodies the same; friction as you like\n"
                             "HuntCrossleyForce contact(forces, contacts, set);\n"
                             "contact.setBodyParameters(0, {0}, {1}, 0, 0, 0);\n"
                             "contact.setBodyParameters(1, {0}, {1}, 0, 0, 0);\n"
                             "// OpenSim's HuntCrossleyForce: stiffness {0}, dissipation {1}\n",
                             digits(each), digits(dissipation)),
      .outcome = exact_outcome(law, wanted.mass),
      .kept = is_hunt_crossley(wanted, n) ? "the law itself, f = k x^(3/2) (1 + mu v)"
                                          : matched_text("Hunt-Crossley", n)};
  // The manual's e = 1 - c v, typed for this speed.
  const double manual = (1 - wanted.restitution) / wanted.speed;
  HuntCrossley typed = law;
  typed.mu = 1.5 * manual;
  setting.naive =
      Naive{.parameters = {{"stiffness", each}, {"dissipation", manual}, {"radius", radius}},
            .outcome = exact_outcome(typed, wanted.mass),
            .what = "dissipation by the manual's e = 1 - c v"};
  setting.warnings.push_back(
      "stiffness is that of two equal bodies, 2^1.5 times the plane-strain modulus of the pair");
  if (!wanted.radius)
    setting.warnings.push_back(
        "for a ball with a radius of 0.01 m on a plane; --body-radius R gives it, the stiffness "
        "goes with 1/sqrt(R)");
  note_own_steps(wanted, setting);
  return setting;
}

Engine simbody_engine() {
  return {
      {"simbody", "Simbody, OpenSim", "3.7", true, false, "Hunt-Crossley with exponent 3/2, C++"},
      simbody_setting};
}

}  // namespace carom
