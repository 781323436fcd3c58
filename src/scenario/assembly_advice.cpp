#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "assembly_file.hpp"
#include "contact_law.hpp"
#include "refusals.hpp"

namespace carom {
namespace {

using enum Advice::Verdict;

/// The speed at which bodies of the assembly may meet: what they have at the start, what a drive
/// has at most, what they fall through.
double typical_speed(const Assembly& parts) {
  double speed = 0, low = 0, high = 0;
  for (const AssemblyBody& body : parts.bodies) {
    speed = std::max(speed, std::hypot(body.velocity[0], body.velocity[1]));
    speed = std::max(speed, std::abs(body.motion.amplitude) * 2 * std::numbers::pi *
                                std::max(body.motion.frequency, body.motion.end_frequency));
    const double height = body.position[parts.dimension == 2 ? 1 : 0];
    low = std::min(low, height);
    high = std::max(high, height);
  }
  return std::max(speed, std::sqrt(2 * std::abs(parts.gravity) * (high - low)));
}

/// Of the two bodies of a contact: what a collision between them has for a mass [kg].
double effective_mass(const Assembly& parts, const AssemblyContact& contact) {
  double inverse = 0;
  for (const int body : {contact.first, contact.second}) {
    if (body < 0) continue;
    const AssemblyBody& part = parts.bodies[static_cast<std::size_t>(body)];
    if (part.type != BodyType::modal && moves_freely(part)) inverse += 1 / part.mass;
  }
  return inverse > 0 ? 1 / inverse : 0.0;
}

struct Shortest {
  double time = std::numeric_limits<double>::infinity();  ///< [s]
  std::string name;
};

Shortest shortest_contact(const Scenario& scenario, const AssemblyFile& file, double speed) {
  Shortest shortest;
  for (std::size_t i = 0; i < file.parts.contacts.size(); ++i) {
    const double mass = effective_mass(file.parts, file.parts.contacts[i]);
    if (!(mass > 0)) continue;
    const LawChoice law = assembly_law(scenario, i, {mass, speed});
    if (!std::holds_alternative<AnyLaw>(law)) continue;
    const double time = exact_impact(law, {mass, speed}).contact_time;
    if (time < shortest.time) shortest = {time, file.contact_names[i]};
  }
  return shortest;
}

Advice resolution(const Scenario& scenario, const AssemblyFile& file) {
  const std::string& method = scenario.text("run.method");
  const double rate = scenario.number("run.rate"), speed = typical_speed(file.parts);
  if (refusals::is_nonsmooth(method)) {
    return {good,
            "resolution",
            fmt::format("impacts take no time: at {:.3g} m/s bodies overlap by {:.2g} m at most "
                        "before a step detects it.",
                        speed, speed / rate),
            "",
            speed / rate,
            "penetration"};
  }
  const Shortest contact = speed > 0 ? shortest_contact(scenario, file, speed) : Shortest{};
  if (!std::isfinite(contact.time))
    return {good, "resolution", "nothing is known to collide at the start."};
  const double samples = contact.time * rate;
  const std::string text = fmt::format("{} at {:.3g} m/s lasts {:.3g} s: {:.3g} samples at {:g} Hz",
                                       contact.name, speed, contact.time, samples, rate);
  if (!refusals::is_classical(method)) {
    return {good,
            "contact time in samples",
            text + "; the step size adapts to the motion, whatever the rate.",
            "",
            samples,
            "samples_in_contact"};
  }
  const bool fine = samples >= 20;
  return {fine ? good : poor,
          "contact time in samples",
          text + ".",
          fine ? ""
               : fmt::format("--set run.rate={:.0f}  or  --set run.method=passive",
                             std::ceil(20 / contact.time)),
          samples,
          "samples_in_contact"};
}

}  // namespace

std::vector<Advice> advise_assembly(const Scenario& scenario) {
  Problems none(scenario);
  const AssemblyFile file = read_assembly(scenario, none);
  std::vector<Advice> advice{resolution(scenario, file)};
  const auto& bodies = file.parts.bodies;
  const bool driven = std::any_of(bodies.begin(), bodies.end(), [](const AssemblyBody& body) {
    return body.type == BodyType::driven || body.varying_force.amplitude != 0;
  });
  const bool several = file.parts.contacts.size() > 1 || file.parts.dimension == 2;
  advice.push_back(
      driven || several
          ? predictability(true,
                           "impacts that depend on when they happen (drives, several contacts) can "
                           "be sensitive: compare statistics, or measure the growth of a small "
                           "change with carom divergence.")
          : predictability(
                false,
                fmt::format("{} contact and no drive: an error carries over without growing.",
                            file.parts.contacts.empty() ? "no" : "one")));
  std::set<std::string> laws;
  for (std::size_t i = 0; i < file.parts.contacts.size(); ++i)
    laws.insert(scenario.text(fmt::format("contact.{}.law", i + 1)));
  if (laws.contains("newton") && file.parts.contacts.size() > 1 &&
      scenario.text("run.impact_law") != "sequential") {
    advice.push_back({note, "impacts at once",
                      "where impacts meet, newton, poisson and sequential give different motions "
                      "(docs/impact_laws.md); a compliant law decides by its contact times.",
                      "--set run.impact_law=sequential"});
  }
  return advice;
}

}  // namespace carom
