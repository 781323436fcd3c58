#pragma once

#include <memory>
#include <span>

#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/laws/hertz_damper.hpp>
#include <carom/laws/hunt_crossley.hpp>
#include <carom/laws/power_law.hpp>

namespace carom {

/// The exact motion of one impact at any time: construct once, evaluate as often as wanted (below
/// 1 us each). Hunt-Crossley and the power law invert the exact time integral; with a damper or an
/// external force the Taylor pieces of the solution are kept. Before touch and after release the
/// body moves freely under the external force.
class ImpactHistory {
 public:
  ImpactHistory(const HuntCrossley& law, const Collision& collision);
  ImpactHistory(const HertzDamper& law, const Collision& collision);
  ImpactHistory(const KelvinVoigt& law, const Collision& collision)
      : ImpactHistory(law.as_hertz_damper(), collision) {}
  ImpactHistory(const PowerLaw& law, const Collision& collision);
  /// Any other law, by collocation.
  ImpactHistory(const AnyLaw& law, const Collision& collision);
  ImpactHistory(const ImpactHistory&) = default;
  ImpactHistory(ImpactHistory&&) noexcept = default;
  ImpactHistory& operator=(const ImpactHistory&) = default;
  ImpactHistory& operator=(ImpactHistory&&) noexcept = default;
  ~ImpactHistory();

  const Impact& summary() const noexcept;
  ImpactState at(double time) const;  ///< [s] from first touch; must be finite
  /// states[i] = at(times[i]); the spans have the same length.
  void at(std::span<const double> times, std::span<ImpactState> states) const;

 private:
  struct Motion;
  std::shared_ptr<const Motion> motion_;  // immutable, shared between copies
};

}  // namespace carom
