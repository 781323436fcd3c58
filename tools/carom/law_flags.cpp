#include "law_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>
#include <carom/identify/single_impact.hpp>

namespace carom::cli {

std::vector<Flag> law_flags(LawFlags& flags, const char* exponent_help) {
  return {
      {"--law", "NAME", "contact law", &flags.law, {law_names.begin(), law_names.end()}},
      {"--stiffness", "N/m^n", "k in f = k x^n ...", &flags.stiffness},
      {"--exponent", "n", exponent_help, &flags.exponent},
      {"--mu", "s/m", "Hunt-Crossley damping over stiffness, lambda/k", &flags.mu},
      {"--lambda", "N s/m^(n+1)", "Hunt-Crossley damping", &flags.lambda},
      {"--restitution", "e", "rebound speed over impact speed, 0 to 1", &flags.restitution},
      {"--release",
       "RULE",
       "when a damper lets go",
       &flags.release,
       {"zero-force", "zero-compression"}},
  };
}

void require_flags(
    std::initializer_list<std::pair<const char*, const std::optional<double>*>> flags) {
  std::vector<std::string> missing;
  for (const auto& [name, value] : flags) {
    if (!value->has_value()) missing.emplace_back(name);
  }
  if (!missing.empty()) throw InvalidInput(fmt::format("missing: {}", fmt::join(missing, ", ")));
}

double exponent_of(const LawFlags& flags) {
  if (flags.law != "kelvin-voigt") return flags.exponent.value_or(1.5);
  if (flags.exponent.value_or(1.0) != 1.0) {
    throw InvalidInput(fmt::format(
        "--exponent {}: must be 1 for kelvin-voigt (any other exponent is hertz-damper)",
        *flags.exponent));
  }
  return 1.0;
}

Release release_of(const LawFlags& flags) {
  return flags.release == "zero-force" ? Release::zero_force : Release::zero_compression;
}

const char* release_name(Release release) noexcept {
  return release == Release::zero_force ? "zero-force" : "zero-compression";
}

void refuse_foreign_flags(const LawFlags& flags) {
  const auto refuse = [&](const char* name, const std::optional<double>& value, const char* fits) {
    if (value) throw InvalidInput(fmt::format("{} {}: {} takes {}", name, *value, flags.law, fits));
  };
  if (flags.law == "hunt-crossley") {
    refuse("--damping", flags.damping, "--mu, --lambda or --restitution");
  } else if (flags.law == "power-law") {
    for (const auto& [name, value] :
         {std::pair{"--mu", flags.mu}, {"--lambda", flags.lambda}, {"--damping", flags.damping}}) {
      refuse(name, value, "no damping: it is lossless");
    }
  } else {
    refuse("--mu", flags.mu, "--damping or --restitution");
    refuse("--lambda", flags.lambda, "--damping or --restitution");
  }
  if (flags.release != "zero-force" && (flags.law == "hunt-crossley" || flags.law == "power-law")) {
    throw InvalidInput(
        fmt::format("--release {}: {} has force and compression zero at the same time",
                    flags.release, flags.law));
  }
}

AnyLaw law_from(const LawFlags& flags, const Collision& collision) {
  refuse_foreign_flags(flags);
  const double k = flags.stiffness.value(), n = exponent_of(flags);
  std::vector<std::string> dampings;
  for (const auto& [name, value] : {std::pair{"--mu", flags.mu},
                                    {"--lambda", flags.lambda},
                                    {"--damping", flags.damping},
                                    {"--restitution", flags.restitution}}) {
    if (value) dampings.emplace_back(name);
  }
  if (dampings.size() > 1) {
    throw InvalidInput(fmt::format("{}: each fixes the damping; give only one of them",
                                   fmt::join(dampings, " and ")));
  }
  const auto identified = [&] {
    const Measurement measured{.mass = collision.mass,
                               .speed = collision.speed,
                               .restitution = flags.restitution,
                               .stiffness = k,
                               .exponent = n};
    return flags.law == "hunt-crossley"
               ? identify_hunt_crossley(measured)
               : identify_hertz_damper(measured, Formula::exact, release_of(flags));
  };
  AnyLaw law = PowerLaw{k, n};
  if (flags.law == "power-law") {
    if (flags.restitution) {
      throw InvalidInput(fmt::format(
          "--restitution {}: power-law is lossless, its restitution is 1", *flags.restitution));
    }
  } else if (flags.law == "hunt-crossley") {
    law = flags.restitution
              ? identified().hunt_crossley()
              : HuntCrossley{k, n, flags.lambda ? *flags.lambda / k : flags.mu.value_or(0.0)};
  } else {
    law = flags.restitution ? identified().hertz_damper()
                            : HertzDamper{k, n, flags.damping.value_or(0.0), release_of(flags)};
  }
  validate(law);
  return law;
}

}  // namespace carom::cli
