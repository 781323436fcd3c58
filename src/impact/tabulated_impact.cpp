#include <cassert>
#include <cmath>
#include <numbers>

#include <carom/core/error.hpp>
#include <carom/impact/tabulated_impact.hpp>

#include "hunt_crossley_path.hpp"
#include "scales.hpp"

namespace carom {

TabulatedImpact::TabulatedImpact(double exponent) : exponent_(exponent) {
  require_within("exponent", exponent, 1, 20);
}

std::unique_ptr<TabulatedImpact::Panel> TabulatedImpact::panel_from(double begin) const {
  auto panel = std::make_unique<Panel>();
  for (auto& row : *panel) row.fill(0);
  for (int node = 0; node < terms; ++node) {
    const double angle = std::numbers::pi * (node + 0.5) / terms;
    const double u = begin + width * (1 + std::cos(angle)) / 2;
    const DimensionlessImpact d = dimensionless_impact(std::expm1(u), exponent_);
    const std::array<double, columns> row{d.contact_time, d.max_compression_time, d.max_force,
                                          d.max_force_time};
    for (int k = 0; k < terms; ++k) {
      const double weight = (k == 0 ? 1.0 : 2.0) / terms * std::cos(k * angle);
      for (int c = 0; c < columns; ++c) (*panel)[k][c] += weight * row[c];
    }
  }
  return panel;
}

DimensionlessImpact TabulatedImpact::operator()(double epsilon) {
  require_within("epsilon", epsilon, 0, 1e150);
  const detail::HuntCrossleyEnds ends(epsilon);
  const double u = ends.approach_span * epsilon;
  const auto index = static_cast<std::size_t>(u / width);
  if (index >= panels_.size()) panels_.resize(index + 1);
  std::unique_ptr<Panel>& panel = panels_[index];
  if (!panel) panel = panel_from(width * static_cast<double>(index));
  const double t = 2 * (u / width - static_cast<double>(index)) - 1;
  std::array<double, columns> sum = (*panel)[0];
  double older = 1, newer = t;
  for (int k = 1; k < terms; ++k) {
    for (int c = 0; c < columns; ++c) sum[c] += (*panel)[k][c] * newer;
    const double next = 2 * t * newer - older;
    older = newer;
    newer = next;
  }
  return {.contact_time = sum[contact_time],
          .max_compression = detail::hunt_crossley_max_compression(ends, exponent_),
          .max_compression_time = sum[max_compression_time],
          .max_force = sum[max_force],
          .max_force_time = sum[max_force_time],
          .restitution = ends.restitution,
          .loss = ends.loss};
}

Impact impact(const HuntCrossley& law, const Collision& collision, TabulatedImpact& tabulated) {
  assert(law.exponent == tabulated.exponent());
  validate(law);
  detail::require_no_force("a tabulated impact", collision);
  const detail::Scales s(law.stiffness, law.exponent, collision);
  return to_impact(s, tabulated(detail::epsilon_of(law.mu, s.speed)));
}

}  // namespace carom
