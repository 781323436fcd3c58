#pragma once

#include <vector>

#include "axes.hpp"

namespace carom {

/// What varies, from `[grid]`, `[zip]` and `[sample]` of a sweep file, in this order.
std::vector<SweepAxis> read_axes(const Node& root, const ScenarioVariations& variations,
                                 PlanProblems& problems);

}  // namespace carom
