#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/impact/derivatives.hpp>

namespace carom {
namespace {

using Outcome = std::array<double, 5>;

Outcome outcome_of(const AnyLaw& law, const Collision& collision) {
  const Impact hit = impact(law, collision);
  return {hit.rebound_speed, hit.restitution, hit.max_compression, hit.max_force, hit.contact_time};
}

/// f'(0) from f(j h): the derivative of the polynomial through nine points, in the middle or at its
/// end.
struct Stencil {
  int first;
  std::array<double, 9> weights;
};
constexpr Stencil central{
    -4, {1.0 / 280, -4.0 / 105, 1.0 / 5, -4.0 / 5, 0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280}};
constexpr Stencil forward{
    0, {-761.0 / 280, 8, -14, 56.0 / 3, -35.0 / 2, 56.0 / 5, -14.0 / 3, 8.0 / 7, -1.0 / 8}};

Outcome derivative(const std::function<Outcome(double)>& at, double step, const Stencil& stencil) {
  Outcome sum{};
  for (std::size_t j = 0; j < stencil.weights.size(); ++j) {
    if (stencil.weights[j] == 0) continue;
    const Outcome here = at(step * (stencil.first + static_cast<int>(j)));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += stencil.weights[j] * here[i] / step;
  }
  return sum;
}

/// Truncation grows with the eighth power of a step, rounding with its inverse: of a smooth
/// function of ln(parameter) they meet near here.
constexpr double relative_step = 0.02, one_sided_step = 0.01;

/// How large a parameter is that may be zero: the loss that takes a part of the energy like this
/// one.
double natural_size(const AnyLaw& law, const FieldInfo& field, const Collision& collision) {
  const double x = std::visit(
      [&](const auto& one) {
        return length_of_energy(one, 0.5 * collision.mass * collision.speed * collision.speed);
      },
      law);
  AnyLaw lossy = law;
  set_number(lossy, field.name, 1);
  const Force force =
      std::visit([&](const auto& one) { return one.force(0.5 * x, collision.speed, {}); }, lossy);
  const double ratio = std::abs(force.conserved / force.lost);
  return std::isfinite(ratio) && ratio > 0 ? ratio : 1.0;
}

}  // namespace

std::vector<ImpactDerivative> impact_derivatives(const AnyLaw& law, const Collision& collision) {
  std::vector<ImpactDerivative> out;
  const auto add = [&](std::string_view name, const Outcome& d) {
    out.push_back({std::string(name), d[0], d[1], d[2], d[3], d[4]});
  };
  const FieldValues values = values_of(law);
  for (const FieldInfo* field : law_info(law).fields) {
    if (field->type != FieldType::number) continue;
    const double value = std::get<double>(values.find(field->name)->second);
    double lowest = field->lowest;
    if (!field->lowest_is.empty()) lowest = std::get<double>(values.find(field->lowest_is)->second);
    const double size = value != 0 ? std::abs(value) : natural_size(law, *field, collision);
    const bool bounded = value - 4 * relative_step * size < lowest;
    const double step = size * (bounded ? one_sided_step : relative_step);
    add(field->name, derivative(
                         [&](double change) {
                           AnyLaw moved = law;
                           set_number(moved, field->name, value + change);
                           return outcome_of(moved, collision);
                         },
                         step, bounded ? forward : central));
  }
  const auto of_collision = [&](std::string_view name, double Collision::*member) {
    add(name, derivative(
                  [&](double change) {
                    Collision moved = collision;
                    moved.*member += change;
                    return outcome_of(law, moved);
                  },
                  relative_step * std::abs(collision.*member), central));
  };
  of_collision("mass", &Collision::mass);
  of_collision("speed", &Collision::speed);
  if (collision.force != 0) of_collision("force", &Collision::force);
  return out;
}

}  // namespace carom
