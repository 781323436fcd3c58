#include <cmath>

#include <carom/core/error.hpp>
#include <carom/identify/law_of_restitution.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/impact/any_law.hpp>

#include "root.hpp"

namespace carom {
namespace {

Measurement measured_with(double stiffness, double exponent, double e, const Collision& c) {
  return {.mass = c.mass,
          .speed = c.speed,
          .restitution = e,
          .stiffness = stiffness,
          .exponent = exponent};
}

template <class Law>
InvalidInput unpublished(Formula formula) {
  return InvalidInput("formula '" + std::string(formula_name(formula)) +
                      "' was not published for law '" + std::string(Law::text.name) + "'");
}

double loss_of(const HuntCrossley& law, double e, const Collision& c, Formula formula) {
  return *identify_hunt_crossley(measured_with(law.stiffness, law.exponent, e, c), formula).mu;
}

double loss_of(const HertzDamper& law, double e, const Collision& c, Formula formula) {
  return *identify_hertz_damper(measured_with(law.stiffness, law.exponent, e, c), formula,
                                law.release)
              .damping;
}

double loss_of(const KelvinVoigt& law, double e, const Collision& c, Formula formula) {
  return loss_of(law.as_hertz_damper(), e, c, formula);
}

/// The phase path of a linear oscillator with this damping ratio: tsuji.hpp.
double loss_of(const Tsuji& law, double e, const Collision& c, Formula formula) {
  if (formula != Formula::exact) throw unpublished<Tsuji>(formula);
  const double n = law.exponent;
  return damping_ratio_of_restitution(e) * std::sqrt(2 * (n + 1) * law.stiffness * c.mass);
}

/// e = sqrt(k1/k2), [WaltonBraun1986].
double loss_of(const WaltonBraun& law, double e, const Collision&, Formula formula) {
  if (formula != Formula::exact) throw unpublished<WaltonBraun>(formula);
  return law.stiffness / (e * e);
}

/// How much of the field makes the lost force as large as the conserved one at half the length of
/// the impact: where the search begins.
template <class Law>
double natural_loss(Law law, const NumberField<Law>& field, const Collision& c) {
  const double x = 0.5 * length_of_energy(law, 0.5 * c.mass * c.speed * c.speed);
  law.*field.member = 1;
  const Force force = law.force(x, c.speed, {});
  const double ratio = std::abs(force.conserved) / force.lost;
  return std::isfinite(ratio) && ratio > 0 ? ratio : 1.0;
}

/// By the exact impact. The restitution falls from its value without loss as the field grows.
template <class Law>
double loss_of(const Law& law, const NumberField<Law>& field, double e, const Collision& c) {
  const double least = field.lowest_member ? law.*field.lowest_member : field.lowest;
  const auto excess = [&](double loss) {
    Law tried = law;
    tried.*field.member = loss;
    const Impact hit = impact(AnyLaw(tried), c);
    return (hit.releases ? hit.restitution : 0.0) - e;
  };
  if (!(excess(least) >= 0)) {
    throw InvalidInput("restitution = " + number_text(e) + ": law '" + std::string(Law::text.name) +
                       "' stays below it with any " + std::string(field.name));
  }
  if (e == 1) return least;
  double step = least > 0 ? least : natural_loss(law, field, c), low = least;
  constexpr int max_doublings = 200;
  for (int i = 0; excess(least + step) > 0; ++i) {
    if (i == max_doublings) {
      throw InvalidInput("restitution = " + number_text(e) + ": law '" +
                         std::string(Law::text.name) + "' stays above it with any " +
                         std::string(field.name));
    }
    low = least + step;
    step *= 2;
  }
  return detail::bracketed_root(excess, low, least + step).value_or(low);
}

}  // namespace

AnyLaw with_restitution(const AnyLaw& any, double e, const Collision& collision, Formula formula) {
  if (!(e > 0)) require_positive("restitution", e);
  require_within("restitution", e, 0, 1);
  const Collision free{collision.mass, collision.speed};
  return std::visit(
      [&]<class Law>(Law law) -> AnyLaw {
        bool found = false;
        for_each_field<Law>([&]<class Field>(const Field& field) {
          if constexpr (std::is_same_v<Field, NumberField<Law>>) {
            if (!field.by_restitution) return;
            found = true;
            if constexpr (requires { loss_of(law, e, free, formula); }) {
              law.*field.member = loss_of(law, e, free, formula);
            } else if (formula != Formula::exact) {
              throw unpublished<Law>(formula);
            } else {
              law.*field.member = loss_of(law, field, e, free);
            }
          }
        });
        if (!found) {
          throw InvalidInput("restitution = " + number_text(e) + ": law '" +
                             std::string(Law::text.name) + "' has no loss that it could set");
        }
        validate(law);
        return law;
      },
      any);
}

LawChoice law_of_values(std::string_view name, FieldValues values, const Collision& collision,
                        std::string_view prefix, Formula formula) {
  const LawInfo& info = law_info(name);
  for (const FieldProblem& problem : field_problems(info, values, prefix))
    throw InvalidInput(problem.message);
  const auto given = values.find("restitution");
  if (info.by_restitution() == nullptr || given == values.end())
    return make_law_choice(name, values, prefix);
  const double e = std::get<double>(given->second);
  values.erase(given);
  return with_restitution(lossless_law(name, values), e, collision, formula);
}

std::optional<AnyLaw> example_law(const LawInfo& info, double restitution,
                                  const Collision& collision) {
  FieldValues values;
  for (const FieldInfo* field : info.fields) {
    if (field->type == FieldType::text || field->type == FieldType::columns) return {};
    if (field->by_restitution) {
      values["restitution"] = restitution;
    } else if (field->type == FieldType::number && std::isfinite(field->example)) {
      values[std::string(field->name)] = field->example;
    }
  }
  return std::get<AnyLaw>(law_of_values(info.text.name, std::move(values), collision));
}

}  // namespace carom
