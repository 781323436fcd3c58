#pragma once

#include <string>

#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/output/figure.hpp>
#include <carom/steppers/simulated_impact.hpp>

namespace carom {

/// The samples of a method, to be drawn over the exact curves.
struct SampledImpact {
  std::string method;  ///< its name in the key
  const SimulatedImpact& simulated;
  double onset = 0.0;  ///< time of first touch on the clock of the samples [s]
};

/// One impact in six pictures: phase portrait, force against compression and energy against
/// velocity as in Figs 1, 2 and 4 of papetti2011, and the time history of compression, rate and
/// force. A body that never leaves is followed until it has settled, or for a few oscillations.
Figure impact_figure(const AnyLaw& law, const Collision& collision);

/// The same with a point for each sample of a method while it is in contact.
Figure impact_figure(const AnyLaw& law, const Collision& collision, const SampledImpact& sampled);

}  // namespace carom
