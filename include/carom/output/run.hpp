#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <carom/scenario/kind.hpp>

namespace carom {

enum class SignalFormat { csv, hdf5 };

struct RunSettings {
  std::filesystem::path out;  ///< folder for the files; made when it is not there
  SignalFormat format = SignalFormat::csv;
  std::function<void(const Progress&)> progress = {};
  const std::atomic<bool>* interrupt = nullptr;  ///< set it to stop the run
  /// Wall time between two checkpoints in the folder [s]; 0: none. A run that has ended removes its
  /// checkpoint.
  double checkpoint = 0;
  bool resume = false;       ///< go on from the checkpoint in the folder, if there is one
  bool sound_only = false;   ///< sound.wav and summary.json; the scenario must have [sound]
  std::string command = {};  ///< how to run it again, for the report; empty: `carom run FILE`
};

/// The run was stopped from outside; nothing was written but a checkpoint, if asked for.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// What a run has left.
struct RunReport {
  Json summary;  ///< the contents of summary.json
  bool passed;   ///< converged, and the energy audit holds what the method promises
  std::string verdict;
  std::vector<std::filesystem::path> files;
};

/// Runs a scenario and writes summary.json, signals, sound and report into a folder: all of them or
/// nothing. Throws Interrupted; InvalidInput for what cannot be read or written.
RunReport run_to_folder(const Scenario& scenario, const RunSettings& settings);

/// Whether this folder has a checkpoint of a run that has not ended.
bool has_checkpoint(const std::filesystem::path& folder);

/// A run kept in memory: for comparisons, sweeps and Python.
struct RecordedRun {
  std::vector<Signal> signals;
  std::vector<double> time;                  ///< [s]
  std::vector<std::vector<double>> columns;  ///< in the order of `signals`
  RunOutcome outcome;
  Json summary;
  bool passed;

  /// Throws InvalidInput with the nearest name when there is no such signal.
  const std::vector<double>& column(std::string_view name) const;
};
struct MemorySettings {
  bool keep_signals = true;  ///< false: results only
  std::function<void(const Progress&)> progress = {};
  const std::atomic<bool>* interrupt = nullptr;
};
RecordedRun run_in_memory(const Scenario& scenario, const MemorySettings& settings = {});

}  // namespace carom
