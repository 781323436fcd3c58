#pragma once

#include <string>
#include <vector>

#include <carom/scenario/kind.hpp>

namespace carom {

/// The plain verdict on the energy ledger of a run.
struct EnergyVerdict {
  bool kept;            ///< what the method promises was kept
  double relative;      ///< residual / scale: what the method gained (> 0) or lost (< 0)
  std::string message;  ///< one sentence for people
};
EnergyVerdict judge(const RunOutcome& outcome);

/// Everything of a run but its rows, as summary.json has it.
Json make_summary(const Scenario& scenario, const RunOutcome& outcome,
                  const std::vector<Signal>& signals, double cpu_seconds);

}  // namespace carom
