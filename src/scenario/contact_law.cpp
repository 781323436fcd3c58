#include "contact_law.hpp"

#include <algorithm>
#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/identify/single_impact.hpp>

namespace carom {
namespace {

/// Which keys a law uses; everything else in [contact] would be silently ignored, so it is refused.
struct LawKeys {
  std::string_view law;
  std::vector<std::string_view> required, damping, allowed;  ///< `damping`: exactly one of them
};

const std::vector<LawKeys>& law_keys() {
  static const std::vector<LawKeys> all{
      {"hunt-crossley", {"stiffness"}, {"mu", "lambda", "restitution"}, {"exponent", "formula"}},
      {"hertz-damper",
       {"stiffness"},
       {"damping", "restitution"},
       {"exponent", "formula", "release"}},
      {"kelvin-voigt", {"stiffness"}, {"damping", "restitution"}, {"formula", "release"}},
      {"power-law", {"stiffness"}, {}, {"exponent"}},
      {"newton", {"restitution"}, {}, {}},
  };
  return all;
}

const LawKeys& keys_of(std::string_view law) {
  const auto found = std::find_if(law_keys().begin(), law_keys().end(),
                                  [&](const LawKeys& keys) { return keys.law == law; });
  return *found;
}

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string listed(const std::vector<std::string_view>& names) {
  std::string text;
  for (const std::string_view name : names) {
    text += (text.empty() ? "contact." : ", contact.") + std::string(name);
  }
  return text;
}

}  // namespace

Table contact_table(std::vector<std::string> laws) {
  const std::string first = laws.front();
  const bool compliant = first != "newton";
  const auto when = [](bool condition, const Json& value) { return condition ? value : Json(); };
  return {
      .name = "contact",
      .help = "What happens where the bodies touch.",
      .fields = {
          text("law", "of the contact").one_of(std::move(laws)).required().starts_with(first),
          number("stiffness", "N/m^n", "k in f = k x^n ...")
              .positive()
              .starts_with(when(compliant, 1e9)),
          number("exponent", "", "n; 1.5 is Hertz contact of two smooth bodies")
              .within(1, 20)
              .defaults_to(1.5)
              .starts_with(when(compliant, 1.5)),
          number("mu", "s/m", "Hunt-Crossley damping, f = k x^n (1 + mu v)")
              .not_negative()
              .starts_with(when(first == "hunt-crossley", 0.5)),
          number("lambda", "N s/m^(n+1)", "the same damping as mu k").not_negative(),
          number("damping", "N s/m", "c of the linear damper, f = k x^n + c v").not_negative(),
          number("restitution", "", "speed after an impact / speed before it; gives the damping")
              .within(0, 1)
              .starts_with(when(!compliant || first == "hertz-damper", 0.5)),
          text("formula", "how restitution becomes damping; exact, or a published approximation")
              .one_of({formula_names().begin(), formula_names().end()})
              .defaults_to("exact"),
          text("release", "when a damper lets go: as soon as it would pull, or at x = 0")
              .one_of({"zero-force", "zero-compression"})
              .defaults_to("zero-force")}};
}

void check_contact(const Scenario& scenario, Problems& problems, StiffnessFrom from) {
  const std::string& law = scenario.text("contact.law");
  const LawKeys& keys = keys_of(law);
  for (const std::string_view key : keys.required) {
    if (from == StiffnessFrom::elsewhere && key == "stiffness") continue;
    if (!scenario.has("contact." + std::string(key))) {
      problems.add("contact.law", fmt::format("law '{}' needs contact.{}", law, key));
    }
  }
  for (const char* key :
       {"stiffness", "exponent", "mu", "lambda", "damping", "restitution", "formula", "release"}) {
    const std::string path = std::string("contact.") + key;
    if (scenario.given(path) && !contains(keys.required, key) && !contains(keys.damping, key) &&
        !contains(keys.allowed, key)) {
      problems.add(path, fmt::format("{} has no meaning for law '{}'; it takes {}{}{}", path, law,
                                     listed(keys.required), keys.damping.empty() ? "" : ", ",
                                     listed(keys.damping)));
    }
  }
  if (!keys.damping.empty()) {
    std::vector<std::string_view> given;
    for (const std::string_view key : keys.damping) {
      if (scenario.has("contact." + std::string(key))) given.push_back(key);
    }
    if (given.empty()) {
      problems.add("contact.law", "law '" + law + "' needs one of " + listed(keys.damping));
    } else if (given.size() > 1) {
      problems.add("contact." + std::string(given.back()),
                   "the damping is given more than once: " + listed(given) + "; give one");
    }
    if (scenario.given("contact.formula") && !scenario.has("contact.restitution")) {
      problems.add("contact.formula", "contact.formula has no meaning without contact.restitution");
    }
    if (scenario.has("contact.restitution") && !(scenario.number("contact.restitution") > 0)) {
      problems.add("contact.restitution",
                   "contact.restitution = 0: no finite damping gives it; must be greater than 0");
    }
  }
}

WallLaw contact_law(const Scenario& scenario, double mass, double speed,
                    const std::optional<PowerLaw>& elastic) {
  const std::string& law = scenario.text("contact.law");
  if (law == "newton") return NewtonRestitution{scenario.number("contact.restitution")};
  const double k = elastic ? elastic->stiffness : scenario.number("contact.stiffness");
  const double n = elastic                 ? elastic->exponent
                   : law == "kelvin-voigt" ? 1.0
                                           : scenario.number("contact.exponent");
  if (law == "power-law") return PowerLaw{k, n};
  const auto restitution = scenario.maybe_number("contact.restitution");
  const Formula formula = formula_of(scenario.text("contact.formula"));
  const Measurement measured{
      .mass = mass, .speed = speed, .restitution = restitution, .stiffness = k, .exponent = n};
  if (law == "hunt-crossley") {
    if (restitution) return identify_hunt_crossley(measured, formula).hunt_crossley();
    HuntCrossley result{k, n, 0};
    if (const auto mu = scenario.maybe_number("contact.mu")) result.mu = *mu;
    if (const auto lambda = scenario.maybe_number("contact.lambda")) result.mu = *lambda / k;
    return result;
  }
  const Release release = scenario.text("contact.release") == "zero-compression"
                              ? Release::zero_compression
                              : Release::zero_force;
  if (restitution) return identify_hertz_damper(measured, formula, release).hertz_damper();
  return HertzDamper{k, n, scenario.number("contact.damping"), release};
}

AnyLaw compliant_law(const WallLaw& law) {
  return std::visit(
      []<class Law>(const Law& one) -> AnyLaw {
        if constexpr (std::is_same_v<Law, NewtonRestitution>) {
          throw std::logic_error("a compliant law is needed");
        } else {
          return one;
        }
      },
      law);
}

}  // namespace carom
