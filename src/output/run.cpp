#include <memory>

#include <carom/core/error.hpp>
#include <carom/output/csv.hpp>
#include <carom/output/files.hpp>
#include <carom/output/folder.hpp>
#include <carom/output/run.hpp>

#include "summary.hpp"

namespace carom {
namespace {

/// Keeps every row: for runs that are wanted in memory.
class MemorySignals final : public SignalSink {
 public:
  explicit MemorySignals(bool keep) : keep_(keep) {}
  void begin(const std::vector<Signal>& signals) override {
    names = signals;
    columns.resize(signals.size());
  }
  void write(std::span<const double> values, std::size_t rows) override {
    if (!keep_) return;
    const std::size_t width = columns.size() + 1;
    for (std::size_t row = 0; row < rows; ++row) {
      time.push_back(values[row * width]);
      for (std::size_t i = 1; i < width; ++i) columns[i - 1].push_back(values[row * width + i]);
    }
  }
  std::vector<Signal> names;
  std::vector<double> time;
  std::vector<std::vector<double>> columns;

 private:
  bool keep_;
};

/// Hands the rows of a kind to a file that the runner closes.
class TableHandle final : public TableSink {
 public:
  explicit TableHandle(CsvFile& file) : file_(file) {}
  using TableSink::row;
  void row(std::span<const double> values) override { file_.row(values); }

 private:
  CsvFile& file_;
};

RunOutcome run_kind(const Scenario& scenario, RunContext& context) {
  RunOutcome outcome = find_kind(scenario.kind()).run(scenario, context);
  if (context.interrupted()) throw Interrupted();
  context.end_loop();
  context.finish();
  return outcome;
}

std::uint64_t seed_of(const Scenario& scenario) {
  return static_cast<std::uint64_t>(scenario.whole_number("seed"));
}

}  // namespace

RunReport run_to_folder(const Scenario& scenario, const RunSettings& settings) {
  OutputFolder folder(settings.out);
  MemorySignals names(false);
  CsvSignals csv(folder.add("signals.csv"));
  std::vector<std::unique_ptr<CsvFile>> tables;

  RunContext::Sinks sinks;
  sinks.signals = {&names, &csv};
  sinks.progress = settings.progress;
  sinks.interrupt = settings.interrupt;
  sinks.table = [&](const std::string& file, const std::vector<Signal>& columns) {
    std::vector<std::string> header;
    for (const Signal& column : columns) header.push_back(column.name);
    tables.push_back(std::make_unique<CsvFile>(folder.add(file), header));
    return std::make_unique<TableHandle>(*tables.back());
  };
  RunContext context(std::move(sinks), seed_of(scenario));
  const RunOutcome outcome = run_kind(scenario, context);
  csv.close();
  for (const auto& table : tables) table->close();

  RunReport report;
  report.summary = make_summary(scenario, outcome, names.names, context.loop_cpu_seconds());
  const EnergyVerdict verdict = judge(outcome);
  report.passed = outcome.converged && verdict.kept;
  report.verdict = verdict.message;
  // Last, so that a folder with a summary is a folder with everything.
  write_file(folder.add("summary.json"), report.summary.dump(2) + "\n");
  folder.commit();
  for (const std::string& name : folder.names()) report.files.push_back(folder.folder() / name);
  return report;
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
  MemorySignals memory(settings.keep_signals);
  RunContext::Sinks sinks;
  sinks.signals = {&memory};
  sinks.progress = settings.progress;
  sinks.interrupt = settings.interrupt;
  RunContext context(std::move(sinks), seed_of(scenario));
  RecordedRun run;
  run.outcome = run_kind(scenario, context);
  run.signals = std::move(memory.names);
  run.time = std::move(memory.time);
  run.columns = std::move(memory.columns);
  run.summary = make_summary(scenario, run.outcome, run.signals, context.loop_cpu_seconds());
  run.passed = run.outcome.converged && judge(run.outcome).kept;
  return run;
}

}  // namespace carom
