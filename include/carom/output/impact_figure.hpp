#pragma once

#include <carom/impact/impact.hpp>
#include <carom/laws/catalog.hpp>
#include <carom/output/figure.hpp>

namespace carom {

/// One impact in four pictures: phase portrait, force against compression, energy against velocity
/// and time history, as in Figs 1, 2 and 4 of papetti2011. A body that never leaves is followed for
/// a few oscillations.
Figure impact_figure(const AnyLaw& law, const Collision& collision);

}  // namespace carom
