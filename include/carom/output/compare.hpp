#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carom/output/figure.hpp>
#include <carom/output/run.hpp>

namespace carom {

/// One scenario by one method, measured against the reference.
struct MethodResult {
  std::string method;
  bool is_reference = false;
  int refined = 1;      ///< its steps are so many times finer than those of the scenario
  std::string failure;  ///< why it did not run; empty: it did
  bool passed = false;  ///< converged, energy promise kept
  std::string stopped;  ///< when and why it did not reach the end; empty: it did
  /// max |y - y_ref| / max |y_ref| of the main signal, in percent.
  double waveform_percent = 0;
  /// Of the first impact's outgoing speed, signed, in percent: > 0 is too fast. Absent: no impacts.
  std::optional<double> rebound_percent;
  double energy_residual = 0;        ///< relative to the energy of the run: > 0 is invented
  double cpu_seconds = 0;            ///< of the time loop
  std::vector<double> time, signal;  ///< the main signal, thinned for the picture
  std::vector<double> deviation;     ///< |signal - that of the reference| at these times
};

struct Comparison {
  std::string reference;  ///< as people read it: "exact", "moreau-jean x 4"
  std::string signal, unit;
  std::vector<MethodResult> methods;
};

struct CompareSettings {
  std::vector<Override> overrides = {};
  std::string reference = {};      ///< the reference method; empty: that of the kind
  std::optional<int> refine = {};  ///< of the reference, >= 1; none: that of the kind
  std::function<void(const Progress&)> progress = {};
  const std::atomic<bool>* interrupt = nullptr;
};

/// Runs a scenario file by each of the methods (all of its kind when there are none) and by the
/// reference method of its kind: event-driven or exact where there is one, else the kind's own
/// scheme with finer steps. Throws InvalidInput for a method the kind does not
/// know; a method that refuses the scenario is listed with its reason.
Comparison compare_methods(const std::filesystem::path& file, std::span<const std::string> methods,
                           const CompareSettings& settings = {});

Json comparison_json(const Comparison& comparison);
std::string comparison_table(const Comparison& comparison);  ///< for people, in columns
Figure comparison_figure(const Comparison& comparison);      ///< signal, errors, error over cost

}  // namespace carom
