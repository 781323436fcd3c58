#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <carom/identify/law_of_restitution.hpp>
#include <carom/impact/any_law.hpp>

#include "engine.hpp"

// IMPACT(q, v, q1, k, e, cmax, d) of Adams, RecurDyn, MotionSolve: laws/impact_function.hpp.

namespace carom {

static EngineSetting adams_setting(const Wanted& wanted) {
  require_contact_time(wanted, "IMPACT");
  const Collision collision{wanted.mass, wanted.speed};
  ImpactFunction law{.stiffness = 1, .depth = 1};
  const auto* own = std::get_if<ImpactFunction>(wanted.compliant());
  if (own != nullptr) {
    law = *own;
  } else {
    const std::optional<PowerTerms> terms = power_terms(*wanted.compliant());
    const double n = terms ? terms->n : 1.5;
    law.exponent = n;
    law.depth = 0.01 * impact(*wanted.compliant(), collision).max_compression;
    law.stiffness = terms ? terms->k : as_hunt_crossley(wanted, n).stiffness;
    for (int i = 0; i < 20; ++i) {
      law = std::get<ImpactFunction>(
          with_restitution(law, std::max(wanted.restitution, 1e-4), collision));
      // Similar impacts last as k^(-1/(n+1)).
      const double ratio = impact(AnyLaw(law), collision).contact_time / wanted.contact_time;
      law.stiffness *= std::pow(ratio, n + 1);
      if (std::abs(ratio - 1) < 1e-9) break;
    }
  }
  EngineSetting setting{.name = "law",
                        .parameters = {{"stiffness", law.stiffness},
                                       {"exponent", law.exponent},
                                       {"damping", law.damping},
                                       {"depth", law.depth}},
                        .snippet = fmt::format("! SI units; gap q, its rate v, touching at q = 0\n"
                                               "IMPACT(q, v, 0, {}, {}, {}, {})\n",
                                               digits(law.stiffness), digits(law.exponent),
                                               digits(law.damping), digits(law.depth)),
                        .outcome = exact_outcome(law, wanted.mass),
                        .kept = own != nullptr
                                    ? "the law itself"
                                    : matched_text("a spring with a linear damper", law.exponent)};
  if (law.exponent == 1)
    setting.warnings.push_back(
        "Adams asks for an exponent above 1: type 1.0001 where it refuses 1");
  setting.warnings.push_back(
      "in SI units: a model in mm needs k times 1000^(1-n)/1000 per mm^n, c/1000 and the depth "
      "times 1000");
  note_own_steps(wanted, setting);
  return setting;
}

Engine adams_engine() {
  return {{"adams", "Adams and others with IMPACT", "2024", false, false, "the function IMPACT"},
          adams_setting};
}

}  // namespace carom
