#include "contact_law.hpp"

#include <algorithm>
#include <cmath>

#include <carom/core/error.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/hunt_crossley.hpp>

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

/// c [N s/m] for which an impact of this mass and speed has this restitution.
double damping_of_restitution(const HertzDamper& law, double restitution, double mass,
                              double speed) {
  const double n = law.exponent;
  const double unit =
      std::pow(law.stiffness * std::pow(speed, n - 1) * std::pow(mass, n), 1 / (n + 1));
  if (restitution >= 1) return 0;
  // Restitution falls as the damping grows: a bracket in its logarithm, then halving.
  double low = std::log(1e-18), high = std::log(1e18);
  for (int i = 0; i < 200 && high - low > 1e-16; ++i) {
    const double middle = 0.5 * (low + high);
    const auto rebound = hertz_damper_rebound(std::exp(middle), n, law.release);
    (rebound.releases && rebound.restitution > restitution ? low : high) = middle;
  }
  return unit * std::exp(0.5 * (low + high));
}

}  // namespace

Table contact_table(std::vector<std::string> laws) {
  const std::string first = laws.front();
  const bool compliant = first != "newton";
  const auto when = [](bool condition, Json value) { return condition ? value : Json(); };
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
              .one_of({"exact", "ramaswamy", "hunt-crossley", "lankarani-nikravesh", "flores",
                       "hu-guo", "gonthier", "poursina"})
              .defaults_to("exact"),
          text("release", "when a damper lets go: as soon as it would pull, or at x = 0")
              .one_of({"zero-force", "zero-compression"})
              .defaults_to("zero-force")}};
}

void check_contact(const Scenario& scenario, Problems& problems) {
  const std::string& law = scenario.text("contact.law");
  const LawKeys& keys = keys_of(law);
  for (const std::string_view key : keys.required) {
    if (!scenario.has("contact." + std::string(key))) {
      problems.add("contact.law", "law '" + law + "' needs contact." + std::string(key));
    }
  }
  for (const char* key :
       {"stiffness", "exponent", "mu", "lambda", "damping", "restitution", "formula", "release"}) {
    const std::string path = std::string("contact.") + key;
    if (scenario.given(path) && !contains(keys.required, key) && !contains(keys.damping, key) &&
        !contains(keys.allowed, key)) {
      problems.add(path, path + " has no meaning for law '" + law + "'; it takes " +
                             listed(keys.required) + (keys.damping.empty() ? "" : ", ") +
                             listed(keys.damping));
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

WallLaw contact_law(const Scenario& scenario, double mass, double speed) {
  const std::string& law = scenario.text("contact.law");
  if (law == "newton") return NewtonRestitution{scenario.number("contact.restitution")};
  const double k = scenario.number("contact.stiffness");
  const double n = law == "kelvin-voigt" ? 1.0 : scenario.number("contact.exponent");
  if (law == "power-law") return PowerLaw{k, n};
  const auto restitution = scenario.maybe_number("contact.restitution");
  if (law == "hunt-crossley") {
    HuntCrossley result{k, n, 0};
    if (const auto mu = scenario.maybe_number("contact.mu")) result.mu = *mu;
    if (const auto lambda = scenario.maybe_number("contact.lambda")) result.mu = *lambda / k;
    if (restitution) result.mu = epsilon_of_restitution(*restitution) / speed;
    return result;
  }
  HertzDamper result{k, n, 0};
  if (scenario.text("contact.release") == "zero-compression") {
    result.release = Release::zero_compression;
  }
  if (const auto damping = scenario.maybe_number("contact.damping")) result.damping = *damping;
  if (restitution) result.damping = damping_of_restitution(result, *restitution, mass, speed);
  return result;
}

}  // namespace carom
