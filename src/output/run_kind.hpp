#pragma once

#include <cstdint>

#include <carom/scenario/kind.hpp>

namespace carom {

/// Runs the kind of a scenario to its end. Throws Interrupted; a run whose numbers are not finite
/// has not converged.
RunOutcome run_kind(const Scenario& scenario, RunContext& context);

std::uint64_t seed_of(const Scenario& scenario);

}  // namespace carom
