#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <carom/core/interrupt.hpp>
#include <carom/scenario/kind.hpp>

namespace carom {

/// An extra table of a run, e.g. impulses.csv.
struct RecordedTable {
  std::string file;
  std::vector<Signal> columns;
  std::vector<double> values;  ///< row by row
};

/// A run kept in memory: for comparisons, sweeps, Python and the browser.
struct RecordedRun {
  std::vector<Signal> signals;
  std::vector<double> time;                  ///< [s]
  std::vector<std::vector<double>> columns;  ///< in the order of `signals`
  std::vector<double> sound;                 ///< what is heard, as the run gives it
  double sound_rate = 0;                     ///< of `sound` [Hz]; sound.rate is what files have
  std::vector<EnergySample> energy;          ///< thinned to a few hundred
  std::vector<RecordedTable> tables;
  RunOutcome outcome;
  Json summary;
  bool passed = false;

  /// Throws InvalidInput with the nearest name when there is no such signal.
  const std::vector<double>& column(std::string_view name) const;
};
struct MemorySettings {
  bool keep_signals = true;  ///< false: results only
  bool keep_more = false;    ///< sound, energy and extra tables, and what the kind draws
  std::function<void(const Progress&)> progress = {};
  const std::atomic<bool>* interrupt = nullptr;
};
RecordedRun run_in_memory(const Scenario& scenario, const MemorySettings& settings = {});

}  // namespace carom
