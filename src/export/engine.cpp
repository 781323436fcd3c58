#include "engine.hpp"

#include <cmath>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/impact/any_law.hpp>

namespace carom {

std::string digits(double value) { return fmt::format("{:.9g}", value); }

bool as_spring(const Wanted& wanted) {
  if (wanted.setting == ExportSetting::restitution) return false;
  if (std::isnan(wanted.contact_time)) {
    if (wanted.setting == ExportSetting::spring)
      throw InvalidInput(
          "setting 'spring': a spring needs a contact time, and law 'newton' has none");
    return false;
  }
  return wanted.setting == ExportSetting::spring || wanted.steps() >= fewest_steps;
}

void require_contact_time(const Wanted& wanted, std::string_view engine) {
  if (wanted.setting == ExportSetting::restitution)
    throw InvalidInput(fmt::format("setting 'restitution': {} takes contact forces only", engine));
  if (std::isnan(wanted.contact_time))
    throw InvalidInput(fmt::format(
        "{} needs a law with a contact time, and law 'newton' has none; give a compliant law, or "
        "--restitution with --contact-time",
        engine));
}

EngineSetting number_setting(const Wanted& wanted, Json parameters, std::string snippet,
                             double threshold) {
  const double e = wanted.restitution, h = wanted.timestep.value_or(1e-3);
  return {
      .name = "restitution",
      .parameters = std::move(parameters),
      .snippet = std::move(snippet),
      .outcome = [=](double speed) { return over_phases(impulse(e, h, threshold), h, speed, h); }};
}

Naive shipped_number(const Wanted& wanted, Json parameters, double threshold) {
  return {.parameters = std::move(parameters),
          .outcome = number_setting(wanted, {}, {}, threshold).outcome,
          .what = "the same number with the engine's default threshold"};
}

MatchedSpring matched_spring(const Wanted& wanted, Scheme scheme) {
  const double h = wanted.step(), T = wanted.contact_time, e = wanted.restitution;
  const auto by = [=](const UnitSpring& spring) -> OutcomeAt {
    return [=](double speed) { return over_phases(spring_step(scheme, spring, h), h, speed, T); };
  };
  const UnitSpring spring = discrete_spring(scheme, e, T, h);
  return {.spring = spring,
          .outcome = by(spring),
          .textbook = {.parameters = {},
                       .outcome = by(textbook_spring(e, T)),
                       .what = "stiffness and damping of the textbook's damped oscillator"}};
}

OutcomeAt exact_outcome(const AnyLaw& law, double mass) {
  return [=](double speed) {
    const Impact hit = impact(law, {mass, speed});
    const double e = hit.releases ? hit.restitution : 0.0;
    return Outcome{e, e, e, hit.contact_time, hit.max_compression};
  };
}

std::optional<PowerTerms> power_terms(const AnyLaw& law) {
  struct Terms {
    std::optional<PowerTerms> operator()(const PowerLaw& l) const {
      return PowerTerms{l.stiffness, l.exponent, 0, 0};
    }
    std::optional<PowerTerms> operator()(const HuntCrossley& l) const {
      return PowerTerms{l.stiffness, l.exponent, l.stiffness * l.mu, l.exponent};
    }
    std::optional<PowerTerms> operator()(const HertzDamper& l) const {
      // At x = 0 it would have to pull, which engines do not.
      if (l.release != Release::zero_force) return {};
      return PowerTerms{l.stiffness, l.exponent, l.damping, 0};
    }
    std::optional<PowerTerms> operator()(const KelvinVoigt& l) const {
      return (*this)(l.as_hertz_damper());
    }
    std::optional<PowerTerms> operator()(const PowerDamper& l) const {
      return PowerTerms{l.stiffness, l.exponent, l.damping, l.damping_exponent};
    }
    std::optional<PowerTerms> operator()(const Tsuji& l) const {
      return (*this)(l.as_power_damper());
    }
    std::optional<PowerTerms> operator()(const KuwabaraKono& l) const {
      return (*this)(l.as_power_damper());
    }
    std::optional<PowerTerms> operator()(const WaltonBraun&) const { return {}; }
    std::optional<PowerTerms> operator()(const JKR&) const { return {}; }
    std::optional<PowerTerms> operator()(const ImpactFunction&) const { return {}; }
    std::optional<PowerTerms> operator()(const ForceTable&) const { return {}; }
    std::optional<PowerTerms> operator()(const ForceFormula&) const { return {}; }
  };
  return std::visit(Terms{}, law);
}

bool is_hunt_crossley(const Wanted& wanted, double exponent) {
  if (wanted.compliant() == nullptr) return false;
  const std::optional<PowerTerms> terms = power_terms(*wanted.compliant());
  return terms && terms->n == exponent && (terms->c == 0 || terms->p == exponent);
}

HuntCrossley as_hunt_crossley(const Wanted& wanted, double exponent) {
  if (is_hunt_crossley(wanted, exponent)) {
    const PowerTerms terms = *power_terms(*wanted.compliant());
    return {.stiffness = terms.k, .exponent = exponent, .mu = terms.c / terms.k};
  }
  return identify_hunt_crossley({.mass = wanted.mass,
                                 .speed = wanted.speed,
                                 .restitution = wanted.restitution,
                                 .contact_time = wanted.contact_time,
                                 .exponent = exponent})
      .hunt_crossley();
}

void refuse_spring(const Wanted& wanted, std::string_view engine) {
  if (wanted.setting == ExportSetting::spring)
    throw InvalidInput(fmt::format(
        "setting 'spring': springs of {} do not rebound; it takes a restitution", engine));
}

EngineSetting grain_setting(const Wanted& wanted, std::string_view engine,
                            const std::function<Json(const UnitSpring&)>& spelled) {
  require_contact_time(wanted, engine);
  MatchedSpring matched = matched_spring(wanted, Scheme::at_begin);
  matched.textbook.parameters = spelled(textbook_spring(wanted.restitution, wanted.contact_time));
  return {.name = "spring",
          .parameters = spelled(matched.spring),
          .snippet = "",
          .outcome = matched.outcome,
          .naive = matched.textbook};
}

std::string per_mass(const Wanted& wanted) {
  return fmt::format("for an effective mass of {:g} kg; other masses have other numbers",
                     wanted.mass);
}

std::string matched_text(std::string_view what, double exponent) {
  return fmt::format("{} with exponent {:g}, matched at this speed", what, exponent);
}

void note_own_steps(const Wanted& wanted, EngineSetting& setting) {
  if (wanted.timestep)
    setting.warnings.push_back(
        "its integrator chooses the steps by its own accuracy; --timestep changes nothing");
}

}  // namespace carom
