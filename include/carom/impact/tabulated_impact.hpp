#pragma once

#include <array>
#include <memory>
#include <vector>

#include <carom/impact/hunt_crossley.hpp>

namespace carom {

/// dimensionless_impact() of one exponent for many values of epsilon: polynomials in ln(1 +
/// epsilon), made where they are first asked for. The same numbers to 1e-13 in a tenth of the time
/// once some hundred impacts have been asked for. For one thread.
class TabulatedImpact {
 public:
  explicit TabulatedImpact(double exponent);

  double exponent() const noexcept { return exponent_; }
  DimensionlessImpact operator()(double epsilon);

 private:
  static constexpr int terms = 16;
  static constexpr double width = 0.25;  ///< of a panel: sixteen terms leave less than 1e-14
  enum Column { contact_time, max_compression_time, max_force, max_force_time, columns };
  /// Coefficients of Chebyshev polynomials, all columns of a degree side by side.
  using Panel = std::array<std::array<double, columns>, terms>;

  std::unique_ptr<Panel> panel_from(double begin) const;

  double exponent_;
  std::vector<std::unique_ptr<Panel>> panels_;  ///< of ln(1 + epsilon), from zero on
};

/// impact() without an external force.
Impact impact(const HuntCrossley& law, const Collision& collision, TabulatedImpact& tabulated);

}  // namespace carom
