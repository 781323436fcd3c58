#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <carom/output/recorded_run.hpp>

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

/// "contact time", "132.9", "µs" and a phrase about it.
struct ReadableNumber {
  std::string label, value, unit, note;
};

/// What a run has left.
struct RunReport {
  Json summary;  ///< the contents of summary.json
  bool passed;   ///< converged, and the energy audit holds what the method promises
  std::string verdict;
  std::vector<ReadableNumber> numbers;  ///< the key numbers of the report, as people read them
  std::vector<std::filesystem::path> files;
};

/// Runs a scenario and writes summary.json, signals, sound and report into a folder: all of them or
/// nothing. Throws Interrupted; InvalidInput for what cannot be read or written.
RunReport run_to_folder(const Scenario& scenario, const RunSettings& settings);

/// Throws InvalidInput unless the scenario has a table [sound]; says what would add one, if its
/// kind can sound.
void require_sound(const Scenario& scenario);

/// Whether this folder has a checkpoint of a run that has not ended.
bool has_checkpoint(const std::filesystem::path& folder);

}  // namespace carom
