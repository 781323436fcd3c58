#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

#include <carom/sweep/plan.hpp>
#include <carom/sweep/store.hpp>
#include <carom/sweep/transport.hpp>

namespace carom {

/// How far a sweep has come.
struct SweepProgress {
  std::int64_t total = 0;   ///< runs of the plan (of this part)
  std::int64_t done = 0;    ///< in the store, earlier ones included
  std::int64_t failed = 0;  ///< in the store
  std::int64_t ran = 0;     ///< since the start of this process
  double seconds = 0;       ///< since the start of this process [s]
};

struct SweepSettings {
  std::filesystem::path out = {};  ///< folder of the store
  int jobs = 0;                    ///< threads; 0: all cores, with several ranks 1 for each
  bool resume = false;
  bool retry_failed = false;                      ///< runs that failed once more
  std::optional<std::int64_t> max_failures = {};  ///< stop when so many have failed in this call
  SweepPart part = {};
  std::function<void(const SweepProgress&)> progress = {};  ///< a few times a second
  std::function<void(double)> validation_progress = {};     ///< fraction
  const std::atomic<bool>* interrupt = nullptr;             ///< set it to stop
  Transport* transport = nullptr;  ///< of several ranks; null: this process alone
};

struct SweepReport {
  SweepProgress progress;
  bool interrupted = false;
  bool too_many_failures = false;
  bool complete() const noexcept { return progress.done + progress.failed == progress.total; }
};

/// Runs what is missing of a plan. On rank 0 it writes the store and returns the report; on the
/// others it works until rank 0 has nothing left and returns an empty report.
/// Throws InvalidInput, ScenarioError.
SweepReport run_sweep(const SweepPlan& plan, const SweepSettings& settings);

/// Tells the other ranks that this one could not read the plan: everybody goes home.
void give_up(Transport& transport, const std::string& reason);

/// The same without a store: the table in memory, for Python and reproductions of papers.
SweepTable sweep_in_memory(const SweepPlan& plan, const SweepSettings& settings);

/// All threads of this machine that the process may use.
int available_cores();

/// What `--dry-run` says, from a few runs that are tried and thrown away.
struct SweepEstimate {
  double seconds_per_run = 0;        ///< CPU [s]
  std::vector<std::string> results;  ///< every path that could be a column
};
SweepEstimate estimate(const SweepPlan& plan, double patience,
                       const std::atomic<bool>* interrupt = nullptr);

}  // namespace carom
