#include <fmt/format.h>

#include "engine.hpp"

// Any f = k x^n + c x^p v as an equation. Modelica's own ElastoGap limits the damper to the
// spring's force and is another law.

namespace carom {

static EngineSetting modelica_setting(const Wanted& wanted) {
  require_contact_time(wanted, "Modelica");
  const std::optional<PowerTerms> own = power_terms(*wanted.compliant());
  PowerTerms terms;
  if (own) {
    terms = *own;
  } else {
    const HuntCrossley law = as_hunt_crossley(wanted, 1.5);
    terms = {law.stiffness, law.exponent, law.stiffness * law.mu, law.exponent};
  }
  const PowerDamper law{terms.k, terms.n, terms.c, terms.p};
  EngineSetting setting{
      .name = "law",
      .parameters = {{"k", terms.k}, {"n", terms.n}, {"c", terms.c}, {"p", terms.p}},
      .snippet = fmt::format(
          "model ImpactContact \"f = k x^n + c x^p v, never pulling\"\n"
          "  extends "
          "Modelica.Mechanics.Translational.Interfaces.PartialCompliantWithRelativeStates;\n"
          "  parameter Real k = {};\n  parameter Real n = {};\n"
          "  parameter Real c = {};\n  parameter Real p = {};\n"
          "protected\n  Real x = max(-s_rel, 0) \"compression\";\n"
          "equation\n"
          "  f = if s_rel < 0 then -max(0, k*x^n + c*x^p*(-v_rel)) else 0;\n"
          "end ImpactContact;\n",
          digits(terms.k), digits(terms.n), digits(terms.c), digits(terms.p)),
      .outcome = exact_outcome(AnyLaw(law), wanted.mass),
      .kept = own ? "the law itself" : matched_text("Hunt-Crossley", 1.5)};
  setting.warnings.push_back(
      "Modelica.Mechanics.Translational.Components.ElastoGap limits its damper to the spring's "
      "force and gives another restitution");
  note_own_steps(wanted, setting);
  return setting;
}

Engine modelica_engine() {
  return {{"modelica", "Modelica", "MSL 4.0", false, false, "the law as a component"},
          modelica_setting};
}

}  // namespace carom
