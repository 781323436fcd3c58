#pragma once

#include <vector>

#include <carom/scenario/kind.hpp>

namespace carom {

/// A field of [run]; null: the kind has none.
const Field* run_field(const Kind& kind, const char* name);

/// Finer steps by so many times, and rows at the same times. Throws InvalidInput where the kind has
/// no steps.
void refine(const Scenario& scenario, const Kind& kind, int times,
            std::vector<Override>& overrides);

/// y(at) on the straight lines between the points (x ascending).
double interpolate(const std::vector<double>& x, const std::vector<double>& y, double at);

}  // namespace carom
