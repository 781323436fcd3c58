#include <algorithm>

#include <fmt/format.h>

#include <carom/core/clock.hpp>
#include <carom/output/run.hpp>
#include <carom/sweep/sweep.hpp>

namespace carom {
namespace {

/// Every path to a plain value, as a column would be written; of lists the first entry.
void collect_paths(const Json& value, const std::string& path, std::vector<std::string>& paths) {
  if (value.is_object()) {
    for (const auto& [name, entry] : value.items()) {
      collect_paths(entry, path.empty() ? name : fmt::format("{}.{}", path, name), paths);
    }
  } else if (value.is_array()) {
    paths.push_back(path + ".count");
    if (!value.empty()) collect_paths(value.front(), path + ".1", paths);
  } else {
    paths.push_back(path);
  }
}

}  // namespace

SweepEstimate estimate(const SweepPlan& plan, double patience, const std::atomic<bool>* interrupt) {
  SweepEstimate result;
  std::vector<std::int64_t> tried{1, (plan.size() + 1) / 2, plan.size()};
  tried.erase(std::unique(tried.begin(), tried.end()), tried.end());
  double total = 0;
  for (const std::int64_t run : tried) {
    // A run that outlasts the patience is stopped; how far it came says how long it would be.
    std::atomic<bool> stop{false};
    double fraction = 0;
    const double begin = cpu_now();
    MemorySettings settings;
    settings.keep_signals = false;
    settings.interrupt = &stop;
    settings.progress = [&](const Progress& progress) {
      fraction = progress.fraction;
      if (cpu_now() - begin > patience || (interrupt != nullptr && *interrupt)) stop = true;
    };
    try {
      const RecordedRun recorded = run_in_memory(plan.scenario(run), settings);
      total += cpu_now() - begin;
      if (result.results.empty()) {
        for (const auto& [name, value] : recorded.summary.items()) {
          if (name != "inputs" && name != "scenario" && name != "signals")
            collect_paths(value, name, result.results);
        }
      }
      for (const SweepColumn& column : plan.columns()) look_up(recorded.summary, column);
    } catch (const Interrupted&) {
      if (interrupt != nullptr && *interrupt) throw;
      total += (cpu_now() - begin) / std::max(fraction, 1e-6);
    }
  }
  result.seconds_per_run = total / static_cast<double>(tried.size());
  return result;
}

}  // namespace carom
