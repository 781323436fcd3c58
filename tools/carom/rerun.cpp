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

struct RerunOptions {
  std::string file, out;
  bool quiet = false, json = false;
};

int rerun(const RerunOptions& options) {
  if (options.file.empty()) throw InvalidInput("the summary.json of a run is needed");
  const EarlierRun earlier = read_earlier_run(options.file);
  const InterruptGuard guard;
  ProgressLine line(earlier.scenario.file().filename().string(), options.quiet);
  RunSettings settings;
  settings.out =
      options.out.empty() ? earlier.scenario.file().stem().string() + "-rerun" : options.out;
  settings.format = earlier.summary.value("sha256", Json::object()).contains("signals.h5")
                        ? SignalFormat::hdf5
                        : SignalFormat::csv;
  settings.progress = [&line](const Progress& progress) { line.update(progress); };
  settings.interrupt = guard.flag();
  settings.command = "carom rerun " + options.file;
  RunReport report;
  try {
    report = run_to_folder(earlier.scenario, settings);
  } catch (const Interrupted&) {
    line.clear();
    if (!options.quiet) fmt::print(stderr, "carom: interrupted; nothing was written\n");
    return exit_interrupted;
  }
  line.clear();
  const std::vector<std::string> files = different_files(earlier.summary, report.summary);
  if (options.json) {
    print_json({{"same", files.empty()},
                {"different_files", files},
                {"different_program", earlier.differences},
                {"out", settings.out.string()}});
  } else if (!options.quiet) {
    fmt::print("{}: {}\n", settings.out.string(),
               files.empty() ? "bit for bit identical" : "not the same");
  }
  for (const std::string& difference : earlier.differences) {
    fmt::print(stderr, "carom: warning: a different program: {}\n", difference);
  }
  if (files.empty()) return 0;
  fmt::print(stderr, "carom: the files differ: {}\n", fmt::join(files, ", "));
  return 1;
}

}  // namespace

Command rerun_command() {
  const auto options = std::make_shared<RerunOptions>();
  return {.name = "rerun",
          .summary = "repeat a run from its summary.json and compare the results bit for bit",
          .flags = {{"summary", "FILE", "summary.json of the run", &options->file},
                    {"--out", "DIR", "folder for the results; by default NAME-rerun here",
                     &options->out},
                    {"--quiet", "", "no progress, no verdict", &options->quiet},
                    {"--json", "", "print the comparison as JSON", &options->json}},
          .run = [options] { return rerun(*options); },
          .examples = "  carom rerun results/summary.json --out again\n"};
}

}  // namespace carom::cli
