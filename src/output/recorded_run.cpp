#include <algorithm>
#include <cmath>
#include <list>
#include <memory>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/recorded_run.hpp>

#include "run_kind.hpp"
#include "summary.hpp"
#include "thinning.hpp"

namespace carom {
namespace {

/// [J]. Below it the forces and powers of a contact lose digits: numbers end at 1e-308.
constexpr double least_energy = 1e-280;

class MemorySignals final : public SignalSink {
 public:
  MemorySignals(RecordedRun& run, bool keep) : run_(run), keep_(keep) {}
  void begin(const std::vector<Signal>& signals) override {
    run_.signals = signals;
    run_.columns.resize(signals.size());
  }
  void write(std::span<const double> values, std::size_t rows) override {
    if (!keep_) return;
    const std::size_t width = run_.columns.size() + 1;
    for (std::size_t row = 0; row < rows; ++row) {
      run_.time.push_back(values[row * width]);
      for (std::size_t i = 1; i < width; ++i)
        run_.columns[i - 1].push_back(values[row * width + i]);
    }
  }

 private:
  RecordedRun& run_;
  bool keep_;
};

class MemorySound final : public SoundSink {
 public:
  explicit MemorySound(RecordedRun& run) : run_(run) {}
  void begin(double rate) override { run_.sound_rate = rate; }
  void write(std::span<const double> samples) override {
    run_.sound.insert(run_.sound.end(), samples.begin(), samples.end());
  }

 private:
  RecordedRun& run_;
};

class MemoryTable final : public TableSink {
 public:
  explicit MemoryTable(std::vector<double>& values) : values_(values) {}
  using TableSink::row;
  void row(std::span<const double> values) override {
    values_.insert(values_.end(), values.begin(), values.end());
  }

 private:
  std::vector<double>& values_;
};

}  // namespace

RunOutcome run_kind(const Scenario& scenario, RunContext& context) {
  const InterruptScope interruptible(context.interrupt());
  RunOutcome outcome = find_kind(scenario.kind()).run(scenario, context);
  if (context.interrupted()) throw Interrupted();
  context.end_loop();
  context.finish();
  const EnergyAudit& energy = outcome.energy;
  const bool finite = std::isfinite(energy.final) && std::isfinite(energy.dissipated) &&
                      std::isfinite(energy.injected) && std::isfinite(energy.residual);
  if (outcome.converged && (context.not_finite_from() || !finite)) {
    outcome.converged = false;
    outcome.status = context.not_finite_from()
                         ? fmt::format("not converged: the signals are not finite from {:.6g} s on",
                                       *context.not_finite_from())
                         : "not converged: the energy is not finite";
  }
  const double largest = std::max({std::abs(energy.initial), std::abs(energy.final),
                                   std::abs(energy.dissipated), std::abs(energy.injected)});
  if (outcome.converged && largest > 0 && largest < least_energy) {
    outcome.converged = false;
    outcome.status = fmt::format(
        "not converged: energies of {:.2g} J are too small for the range of numbers", largest);
  }
  return outcome;
}

std::uint64_t seed_of(const Scenario& scenario) {
  return static_cast<std::uint64_t>(scenario.whole_number("seed"));
}

const std::vector<double>& RecordedRun::column(std::string_view name) const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    if (signals[i].name == name) return columns[i];
    names.emplace_back(signals[i].name);
  }
  throw InvalidInput(unknown_name_message("signal", name, names));
}

RecordedRun run_in_memory(const Scenario& scenario, const MemorySettings& settings) {
  RecordedRun run;
  MemorySignals signals(run, settings.keep_signals);
  MemorySound sound(run);
  EnergyHistory energy;
  std::list<RecordedTable> tables;  // whose places stay while it grows
  RunContext::Sinks sinks;
  sinks.signals = {&signals};
  sinks.progress = settings.progress;
  sinks.interrupt = settings.interrupt;
  sinks.pictures = settings.keep_more;
  if (settings.keep_more) {
    if (scenario.has("sound")) sinks.sound = &sound;
    sinks.energy = [&](const EnergySample& sample) { energy.add(sample); };
    sinks.table = [&](const std::string& file, const std::vector<Signal>& columns) {
      tables.push_back({file, columns, {}});
      return std::make_unique<MemoryTable>(tables.back().values);
    };
  }
  RunContext context(std::move(sinks), seed_of(scenario));
  run.outcome = run_kind(scenario, context);
  run.energy = energy.samples();
  run.tables.assign(std::make_move_iterator(tables.begin()), std::make_move_iterator(tables.end()));
  run.summary = make_summary(scenario, run.outcome, run.signals, context.loop_cpu_seconds());
  run.passed = run.outcome.converged && judge(run.outcome).kept;
  return run;
}

}  // namespace carom
