#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>

#include "engine.hpp"

// Exudyn (ObjectContactSphereSphere, impactModel = 1): f = k x^n (1 + 3/2 (1 - e)/v0 v), v0 the
// speed at the beginning of each contact, so the restitution is the same at all of them.

namespace carom {

static EngineSetting exudyn_setting(const Wanted& wanted) {
  require_contact_time(wanted, "Exudyn");
  const std::optional<PowerTerms> terms =
      wanted.compliant() ? power_terms(*wanted.compliant()) : std::nullopt;
  const double n = terms ? terms->n : 1.5;
  const HuntCrossley law = as_hunt_crossley(wanted, n);
  const double epsilon = law.mu * wanted.speed, typed = 1 - 2 * epsilon / 3;
  if (typed < 0)
    throw InvalidInput(fmt::format(
        "restitution = {:.4g}: Exudyn's model reaches down to {:.3g}, where it is typed as 0",
        wanted.restitution, impact(HuntCrossley{1, n, 1.5}, {1, 1}).restitution));
  EngineSetting setting{
      .name = "law",
      .parameters = {{"contactStiffness", law.stiffness},
                     {"contactStiffnessExponent", n},
                     {"contactDamping", 0.0},
                     {"impactModel", 1},
                     {"restitutionCoefficient", typed}},
      .snippet = fmt::format("mbs.AddObject(ObjectContactSphereSphere(\n"
                             "    markerNumbers=[ball, other], spheresRadii=[radius, radius2],\n"
                             "    contactStiffness={}, contactStiffnessExponent={},\n"
                             "    contactDamping=0, impactModel=1, restitutionCoefficient={}))\n",
                             digits(law.stiffness), digits(n), digits(typed)),
      .outcome =
          [=](double speed) {
            return exact_outcome(HuntCrossley{law.stiffness, n, epsilon / speed},
                                 wanted.mass)(speed);
          },
      .kept = fmt::format("exponent {:g}", n)};
  const double naive = 1.5 * (1 - wanted.restitution);
  setting.naive = Naive{
      .parameters = {{"restitutionCoefficient", wanted.restitution}},
      .outcome =
          [=](double speed) {
            return exact_outcome(HuntCrossley{law.stiffness, n, naive / speed}, wanted.mass)(speed);
          },
      .what = "the restitution itself as restitutionCoefficient"};
  setting.warnings.push_back(
      "restitutionCoefficient is no restitution: the model is exact for slow losses only");
  note_own_steps(wanted, setting);
  return setting;
}

Engine exudyn_engine() {
  return {{"exudyn", "Exudyn", "1.9", false, false, "Hunt-Crossley by a restitution, Python"},
          exudyn_setting};
}

}  // namespace carom
