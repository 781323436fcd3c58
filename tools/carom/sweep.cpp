#include <memory>

#include <fmt/format.h>

#include <carom/output/progress.hpp>
#include <carom/output/run.hpp>
#include <carom/sweep/sweep.hpp>

#include "commands.hpp"
#include "scenario_command.hpp"
#include "sweep_command.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

constexpr double dry_run_patience = 5;  ///< [s] for each of the runs that are tried

std::filesystem::path folder_of(const SweepOptions& options) {
  if (!options.out.empty()) return options.out;
  return std::filesystem::path(options.file).stem().string() + "-out";
}

SweepPart part_of(const std::string& text) {
  SweepPart part;
  if (text.empty()) return part;
  long index = 0, of = 0;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%ld/%ld%c", &index, &of, &rest) != 2 || index < 1 || index > of) {
    throw InvalidInput("--part '" + text + "': must be I/N with 1 <= I <= N, e.g. 3/10");
  }
  return {index, of};
}

SweepSettings settings_of(const SweepOptions& options) {
  SweepSettings settings;
  settings.out = folder_of(options);
  settings.resume = options.resume;
  settings.retry_failed = options.retry_failed;
  settings.part = part_of(options.part);
  if (options.jobs) {
    if (*options.jobs < 1 || *options.jobs > 1024) {
      throw InvalidInput(fmt::format("--jobs {}: must be from 1 to 1024", *options.jobs));
    }
    settings.jobs = static_cast<int>(*options.jobs);
  }
  if (options.max_failures) {
    if (*options.max_failures < 1) {
      throw InvalidInput(
          fmt::format("--max-failures {}: must be at least 1", *options.max_failures));
    }
    settings.max_failures = *options.max_failures;
  }
  return settings;
}

int dry_run(const SweepPlan& plan, const SweepSettings& settings, bool json,
            const std::atomic<bool>* interrupt) {
  const int jobs = settings.jobs > 0 ? settings.jobs : available_cores();
  validate(plan, jobs);
  const SweepEstimate expected = estimate(plan, dry_run_patience, interrupt);
  const double seconds = expected.seconds_per_run * static_cast<double>(plan.size()) / jobs;
  if (json) {
    Json document{{"runs", plan.size()},
                  {"parameters", plan.parameters()},
                  {"seconds_per_run", expected.seconds_per_run},
                  {"jobs", jobs},
                  {"estimated_seconds", seconds},
                  {"possible_columns", expected.results}};
    print_json(document);
    return 0;
  }
  fmt::print("runs        {}\n", plan.size());
  for (const SweepAxis& axis : plan.axes()) {
    fmt::print("varies      {}: {} values\n", fmt::join(axis.keys, ", "), axis.size());
  }
  for (const std::string& condition : plan.conditions()) fmt::print("where       {}\n", condition);
  fmt::print("one run     {:.3g} s of CPU time\n", expected.seconds_per_run);
  fmt::print("estimated   {} with {} {}\n", duration_text(seconds), jobs,
             jobs == 1 ? "thread" : "threads");
  fmt::print("results that could be columns:\n");
  for (const std::string& path : expected.results) fmt::print("  {}\n", path);
  return 0;
}

int conclude(const SweepOptions& options, const SweepSettings& settings, const SweepPlan& plan,
             const SweepReport& report) {
  const auto folder = part_folder(settings.out, settings.part);
  const auto store = folder / SweepStore::file_name;
  if (options.csv) export_csv(store, folder / "results.csv");
  if (options.format == "hdf5") export_hdf5(store, folder / "signals.h5");
  const SweepProgress& p = report.progress;
  if (options.json) {
    print_json(Json{{"store", store.string()},
                    {"runs", p.total},
                    {"done", p.done},
                    {"failed", p.failed},
                    {"ran", p.ran},
                    {"seconds", p.seconds},
                    {"complete", report.complete()},
                    {"interrupted", report.interrupted},
                    {"plan_hash", plan.hash()}});
  } else if (!options.quiet) {
    fmt::print("{}\n", store.string());
    if (options.csv) fmt::print("{}\n", (folder / "results.csv").string());
    if (options.format == "hdf5") fmt::print("{}\n", (folder / "signals.h5").string());
  }
  const std::string state = fmt::format("{} of {} runs done, {} failed", p.done, p.total, p.failed);
  if (report.interrupted && !report.complete()) {
    fmt::print(stderr, "carom: interrupted: {}; the same command with --resume does the rest\n",
               state);
    return exit_interrupted;
  }
  if (report.too_many_failures) {
    fmt::print(stderr,
               "carom: stopped after {} failures: {}; `carom sweep show {}` has the reasons\n",
               *settings.max_failures, state, folder.string());
    return 1;
  }
  if (!report.complete()) {
    fmt::print(stderr, "carom: {}; the same command with --resume does the rest\n", state);
    return 1;
  }
  if (!options.quiet) fmt::print(stderr, "{} in {}\n", state, duration_text(p.seconds));
  if (p.failed > 0) {
    fmt::print(stderr, "carom: {} runs failed; `carom sweep show {}` has the reasons\n", p.failed,
               folder.string());
    return 1;
  }
  return 0;
}

int sweep(const SweepOptions& options) {
  SweepSettings settings = settings_of(options);
  const std::unique_ptr<Transport> transport = connect_ranks();
  settings.transport = transport.get();
  const bool speaks = transport == nullptr || transport->rank() == 0;
  std::optional<SweepPlan> plan;
  try {
    plan.emplace(load_plan(options.file));
  } catch (const std::exception& error) {
    if (transport == nullptr) throw;
    give_up(*transport, error.what());
    if (speaks) throw;
    return 2;
  }
  const InterruptGuard guard;
  settings.interrupt = guard.flag();
  if (options.dry_run) {
    return speaks ? dry_run(*plan, settings, options.json, guard.flag()) : 0;
  }
  ProgressLine line(plan->file().filename().string(), options.quiet || !speaks);
  settings.validation_progress = [&line](double fraction) { line.update(fraction, "checking"); };
  double first = -1;
  settings.progress = [&line, &first](const SweepProgress& p) {
    const auto total = static_cast<double>(p.total);
    const double rate = p.seconds > 0 ? static_cast<double>(p.ran) / p.seconds : 0;
    if (first < 0) first = static_cast<double>(p.done + p.failed - p.ran) / total;
    // The time left comes from what this call does, not from what it found.
    const double here = static_cast<double>(p.ran) / std::max(1.0, total * (1 - first));
    line.update(here, fmt::format("{} of {} done, {} failed, {:.3g} runs/s", p.done, p.total,
                                  p.failed, rate));
  };
  SweepReport report;
  try {
    report = run_sweep(*plan, settings);
  } catch (const Interrupted&) {
    line.clear();
    if (speaks) fmt::print(stderr, "carom: interrupted; nothing was written\n");
    return exit_interrupted;
  }
  line.clear();
  return speaks ? conclude(options, settings, *plan, report) : 0;
}

int run(const SweepOptions& options) {
  if (options.file == "show") return show_sweep(options);
  if (options.file == "merge") {
    const auto [rows, runs] = merge_parts(options.store.empty() ? options.out : options.store);
    fmt::print(stderr, "{} of {} runs collected\n", rows, runs);
    return rows == runs ? 0 : 1;
  }
  if (!options.store.empty()) {
    throw InvalidInput("'" + options.store + "' is not expected; a folder goes behind --out");
  }
  if (options.file.empty()) throw InvalidInput("a sweep file is needed");
  return sweep(options);
}

}  // namespace

Command sweep_command() {
  const auto o = std::make_shared<SweepOptions>();
  return {
      .name = "sweep",
      .summary = "run a scenario over many values of its keys, and show the results",
      .flags = {{"sweep", "FILE", "the sweep file; or `show`, or `merge`", &o->file},
                {"store", "DIR", "with show and merge: the folder of the sweep", &o->store},
                {"--out", "DIR", "folder of the store; by default NAME-out here", &o->out},
                {"--jobs", "N", "threads; by default all cores (under mpirun one per rank)",
                 &o->jobs},
                {"--resume", "", "do only the runs missing in the store", &o->resume},
                {"--retry-failed", "", "the same, and repeat the runs that failed",
                 &o->retry_failed},
                {"--max-failures", "N", "stop after this many failed runs", &o->max_failures},
                {"--part", "I/N", "only every Nth run, for array jobs", &o->part},
                {"--dry-run", "", "check the plan and report its size and duration", &o->dry_run},
                {"--csv", "", "write results.csv too; with show: print CSV", &o->csv},
                {"--format",
                 "FORMAT",
                 "format of the chosen signals, in signals.h5",
                 &o->format,
                 {"hdf5"}},
                {"--by", "KEY", "show: group by this key; twice for a table of two", &o->by},
                {"--of", "COLUMN", "show: the result (by default the first)", &o->of},
                {"--where", "CONDITION", "show: only runs that meet it, e.g. 'bar.angle > 70'",
                 &o->where},
                {"--rows", "N", "show: how many rows of the table (10)", &o->rows},
                {"--plot", "FILE", "show: write an SVG picture; `text` prints it", &o->plot},
                {"--quiet", "", "no progress, no list of files", &o->quiet},
                {"--json", "", "print JSON", &o->json}},
      .run = [o] { return run(*o); },
      .examples =
          "  carom sweep angles.toml --jobs 4 --csv\n"
          "  carom sweep angles.toml --resume\n"
          "  mpirun -n 64 carom sweep angles.toml --resume\n"
          "  carom sweep show angles-out --by bar.angle --by contact.restitution --plot text\n"};
}

}  // namespace carom::cli
