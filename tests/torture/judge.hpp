#pragma once

#include <atomic>
#include <filesystem>
#include <string>

namespace carom::torture {

/// Broken: the run broke the promise of its method, and its status says so. Late: it did not end
/// within its share of processor time, and answered the interruption. Failed: anything that was not
/// said.
enum class Ending { held, refused, not_converged, too_large, broken, late, failed };
constexpr int endings = 7;

struct Judgement {
  Ending ending = Ending::held;
  std::string complaint = {};  ///< of what is broken, late or failed
  double ledger = 0;  ///< what is missing in initial + injected + residual = dissipated + final
  double gain = 0;    ///< by a method that promises none; both as shares of the energy
  double disagreement = 0;  ///< with the exact impact; relative
  double samples = 0;       ///< of what is too large
};

/// Runs the scenario in memory and looks for what carom promises: finite results, a closed ledger,
/// no gain where passivity is promised, the rebound of the exact impact where the method claims it,
/// and a status that agrees with all of it. Too large: more than `max_samples`.
Judgement judge(const std::string& text, const std::filesystem::path& folder, double max_samples,
                const std::atomic<bool>& interrupt);

}  // namespace carom::torture
