#include <memory>

#include <fmt/format.h>

#include <carom/output/progress.hpp>
#include <carom/output/rerun.hpp>
#include <carom/output/run.hpp>

#include "commands.hpp"
#include "scenario_command.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct RunOptions {
  std::string file, out, format = "csv";
  std::vector<std::string> sets;
  bool quiet = false, json = false, resume = false;
  std::optional<double> checkpoint;
};

/// `bounce.toml` goes to `bounce-out` in the current folder.
std::string default_folder(const std::string& file) {
  return std::filesystem::path(file).stem().string() + "-out";
}

int run(const RunOptions& options) {
  const Scenario scenario = load(options.file, options.sets);
  const InterruptGuard guard;
  ProgressLine line(scenario.file().filename().string(), options.quiet);
  RunSettings settings;
  settings.out = options.out.empty() ? default_folder(options.file) : options.out;
  settings.format = options.format == "hdf5" ? SignalFormat::hdf5 : SignalFormat::csv;
  settings.progress = [&line](const Progress& progress) { line.update(progress); };
  settings.interrupt = guard.flag();
  settings.resume = options.resume;
  if (options.checkpoint) {
    require_positive("--checkpoint", *options.checkpoint);
    settings.checkpoint = *options.checkpoint;
  }
  if (options.resume && !has_checkpoint(settings.out)) {
    if (const auto summary = finished_run(scenario, settings.out)) {
      if (options.json) print_json(*summary);
      const std::string status = summary->value("status", "");
      if (!options.quiet) {
        fmt::print(stderr, "carom: the run in '{}' has ended ({}): nothing is computed\n",
                   settings.out.string(), status);
      }
      return status == "done" ? 0 : 1;
    }
  }
  if (options.resume && !options.quiet && !has_checkpoint(settings.out)) {
    fmt::print(stderr, "carom: no checkpoint in '{}': the run starts from the beginning\n",
               settings.out.string());
  }
  settings.command = "carom run " + options.file;
  for (const std::string& set : options.sets) settings.command += " --set '" + set + "'";
  RunReport report;
  try {
    report = run_to_folder(scenario, settings);
  } catch (const Interrupted&) {
    line.clear();
    if (!options.quiet) {
      fmt::print(stderr, "carom: interrupted; {}\n",
                 has_checkpoint(settings.out) ? "the same command with --resume goes on from here"
                                              : "nothing was written");
    }
    return exit_interrupted;
  }
  line.clear();
  if (options.json) {
    print_json(report.summary);
  } else if (!options.quiet) {
    for (const auto& file : report.files) fmt::print("{}\n", file.string());
  }
  for (const Json& warning : report.summary["warnings"]) {
    fmt::print(stderr, "carom: warning: {}\n", warning.get<std::string>());
  }
  if (!report.passed) {
    fmt::print(stderr, "carom: {}: {}\n", report.summary["status"].get<std::string>(),
               report.verdict);
    return 1;
  }
  if (!options.quiet) fmt::print(stderr, "{}\n", report.verdict);
  return 0;
}

}  // namespace

Command run_command() {
  const auto options = std::make_shared<RunOptions>();
  return {
      .name = "run",
      .summary = "run a scenario; writes signals, sound, pictures and a report",
      .flags = {{"scenario", "FILE", "the scenario file", &options->file},
                {"--out", "DIR", "folder for the results; without it NAME-out here", &options->out},
                {"--set",
                 "KEY=VALUE",
                 "override a key, e.g. run.rate=96000",
                 &options->sets,
                 {},
                 all_keys()},
                {"--format", "FORMAT", "of the signals", &options->format, {"csv", "hdf5"}},
                {"--checkpoint", "SECONDS",
                 "keep the state of a long run in DIR this often, and when it is interrupted",
                 &options->checkpoint},
                {"--resume", "",
                 "go on from the checkpoint in DIR; the results are those of a run without a break",
                 &options->resume},
                {"--quiet", "", "no progress, no list of files", &options->quiet},
                {"--json", "", "print the summary as JSON", &options->json}},
      .run = [options] { return run(*options); },
      .examples =
          "  carom run bounce.toml --out results --set run.rate=96000\n"
          "  carom run string.toml --checkpoint 60      # and after any interruption\n"
          "  carom run string.toml --checkpoint 60 --resume\n"};
}

}  // namespace carom::cli
