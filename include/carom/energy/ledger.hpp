#pragma once

#include <cmath>

namespace carom {

/// A passive method gains no energy in any step: no more than this share of the energy there is,
/// which is rounding. The one threshold of the promise.
inline constexpr double passive_tolerance = 1e-12;

/// The energy ledger of one run. Each step closes it: change of stored + dissipated = injected +
/// residual, where the residual is what the numerical method invented (> 0) or lost (< 0).
/// Cheap enough to be always on: a dozen additions a step, no memory.
class Ledger {
 public:
  explicit Ledger(double initial_energy = 0.0) noexcept
      : initial_(initial_energy), stored_(initial_energy) {}

  /// `stored`: kinetic plus elastic energy after the step [J]; `dissipated` (>= 0) and `injected`
  /// during the step [J]. Returns the residual of the step [J]: > 0 is energy out of nothing.
  double close_step(double stored, double dissipated, double injected = 0.0) noexcept {
    const double residual = (stored - stored_) + dissipated - injected;
    stored_ = stored;
    add(dissipated_, dissipated);
    add(injected_, injected);
    add(residual_, residual);
    if (std::abs(residual) > std::abs(worst_residual_)) worst_residual_ = residual;
    return residual;
  }

  double initial() const noexcept { return initial_; }                ///< [J]
  double stored() const noexcept { return stored_; }                  ///< [J], after the last step
  double dissipated() const noexcept { return dissipated_.value(); }  ///< [J], so far
  double injected() const noexcept { return injected_.value(); }      ///< [J], so far
  double residual() const noexcept { return residual_.value(); }      ///< [J], sum over all steps
  double worst_residual() const noexcept { return worst_residual_; }  ///< [J], of a single step

 private:
  /// Neumaier's sum: 10^9 small steps lose nothing against a large total.
  struct Sum {
    double total = 0.0, compensation = 0.0;
    double value() const noexcept { return total + compensation; }
  };
  static void add(Sum& sum, double term) noexcept {
    if (term == 0) return;  // of most steps: nothing is lost or injected in free flight
    const double next = sum.total + term;
    sum.compensation += std::abs(sum.total) >= std::abs(term) ? (sum.total - next) + term
                                                              : (term - next) + sum.total;
    sum.total = next;
  }

  double initial_, stored_, worst_residual_ = 0.0;
  Sum dissipated_, injected_, residual_;
};

}  // namespace carom
