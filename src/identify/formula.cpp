#include <cassert>
#include <cmath>
#include <cstddef>
#include <string>

#include <carom/core/error.hpp>
#include <carom/identify/formula.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/hunt_crossley.hpp>

namespace carom {
namespace {

constexpr std::array<std::string_view, all_formulas.size()> names{
    "exact",  "hunt-crossley", "lankarani-nikravesh", "flores",
    "hu-guo", "gonthier",      "ramaswamy",           "poursina"};

void require_restitution(double e) {
  if (!(e > 0)) require_positive("restitution", e);
  require_within("restitution", e, 0, 1);
}

}  // namespace

std::span<const std::string_view> formula_names() noexcept { return names; }

std::string_view formula_name(Formula formula) noexcept {
  return names[static_cast<std::size_t>(formula)];
}

Formula formula_of(std::string_view name) {
  for (const Formula formula : all_formulas) {
    if (formula_name(formula) == name) return formula;
  }
  throw InvalidInput(unknown_name_message("formula", name, names));
}

double epsilon_by(Formula formula, double e) {
  require_restitution(e);
  switch (formula) {
    case Formula::exact:
      return epsilon_of_restitution(e);
    case Formula::hunt_crossley:
      return 1.5 * (1 - e);
    case Formula::lankarani_nikravesh:
      return 0.75 * (1 - e) * (1 + e);
    case Formula::flores:
      return 1.6 * (1 - e) / e;
    case Formula::hu_guo:
      return 1.5 * (1 - e) / e;
    case Formula::gonthier:
      return (1 - e) * (1 + e) / e;
    case Formula::ramaswamy: {
      // eq. (16), which with (14) is (17).
      const double p = ramaswamy_curvature(e);
      return (3 + 2 * p) * (1 - e) * (1 + e) / (2 * e) / ((3 + 2 * p) / (3 - 2 * p) + e);
    }
    case Formula::poursina:
      break;
  }
  throw InvalidInput("formula 'poursina' is for the law hertz-damper, not for hunt-crossley");
}

double ramaswamy_curvature(double e) {
  require_restitution(e);
  constexpr double alpha = 1.381, beta = 0.451;
  return alpha * (std::exp(-beta * e) - std::exp(-beta));
}

double ramaswamy_contact_time(double epsilon, double n) {
  require_not_negative("epsilon", epsilon);
  require_within("exponent", n, 1, 20);
  return 0.180 * std::exp(-0.880 * epsilon) + (0.853 - 1.018 * std::exp(-0.461 * n)) * epsilon +
         (1.434 * n - 0.864) * std::exp(-0.771 * n) - 0.023 * n + 2.695;
}

double ramaswamy_impact_frequency(double epsilon, double n, double contact_time) {
  require_positive("contact time", contact_time);
  return ramaswamy_contact_time(epsilon, n) / contact_time;
}

double ramaswamy_stiffness(double epsilon, double n, double contact_time, double mass,
                           double speed) {
  require_positive("mass", mass);
  require_positive("speed", speed);
  const double omega = ramaswamy_impact_frequency(epsilon, n, contact_time);
  return mass * omega * omega * std::pow(omega / speed, n - 1);
}

PoursinaConstants poursina_constants(double n) {
  require_within("exponent", n, 1, 20);
  return {.alpha = (((0.3331 * n - 1.48) * n + 3.077) * n - 2.306) * n + 1.794,
          .beta = 1.285 * std::pow(n, 0.2553) - 1.725};
}

double poursina_damping(double e, double n) {
  require_restitution(e);
  const PoursinaConstants constants = poursina_constants(n);
  return constants.alpha * std::expm1(constants.beta * std::log(e));
}

double poursina_slack(double e, double n) {
  return poursina_damping(e, n) * e / std::pow((n + 1) / 2, n / (n + 1));
}

double poursina_separation(double e, double damping, double stiffness, double n, double speed) {
  require_restitution(e);
  require_not_negative("damping", damping);
  require_positive("stiffness", stiffness);
  require_within("exponent", n, 1, 20);
  require_positive("speed", speed);
  return std::pow(speed * damping * e / stiffness, 1 / n);
}

double poursina_damping_three_halves(double e, double stiffness, double mass, double speed) {
  require_restitution(e);
  require_positive("stiffness", stiffness);
  require_positive("mass", mass);
  require_positive("speed", speed);
  return 1.95 * std::expm1(-0.3 * std::log(e)) * std::pow(stiffness, 0.4) * std::pow(speed, 0.2) *
         std::pow(mass, 0.6);
}

std::vector<FormulaCost> formula_costs(std::span<const double> asked, double exponent) {
  std::vector<FormulaCost> rows;
  rows.reserve(asked.size());
  for (const double e : asked) {
    FormulaCost row{.asked = e, .delivered = {}};
    for (const Formula formula : all_formulas) {
      row.delivered[static_cast<std::size_t>(formula)] =
          formula == Formula::poursina
              ? hertz_damper_rebound(poursina_damping(e, exponent), exponent).restitution
              : restitution_of_epsilon(epsilon_by(formula, e));
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace carom
