#include <chrono>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include <carom/output/progress.hpp>
#include <carom/output/rerun.hpp>
#include <carom/output/run.hpp>

#include "commands.hpp"
#include "play.hpp"
#include "scenario_command.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct RunOptions {
  std::string file, out, note, format = "csv";
  std::vector<std::string> sets;
  bool quiet = false, json = false, resume = false;
  bool sound_only = false, play = false, watch = false;
  std::optional<double> checkpoint;
};

/// `bounce.toml` goes to `bounce-out` in the current folder.
std::string default_folder(const std::string& file) {
  return std::filesystem::path(file).stem().string() + "-out";
}

/// Once, from reading the file to the last note.
int run_once(const RunOptions& options, const InterruptGuard& guard) {
  const Scenario scenario = load(options.file, options.sets);
  const std::vector<std::string> player = options.play ? find_player() : std::vector<std::string>{};
  if (options.play) require_sound(scenario);
  ProgressLine line(scenario.file().filename().string(), options.quiet);
  RunSettings settings;
  settings.out = options.out.empty() ? default_folder(options.file) : options.out;
  settings.format = options.format == "hdf5" ? SignalFormat::hdf5 : SignalFormat::csv;
  settings.progress = [&line](const Progress& progress) { line.update(progress); };
  settings.interrupt = guard.flag();
  settings.resume = options.resume;
  settings.sound_only = options.sound_only;
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
                 has_checkpoint(settings.out) ? "the same command with --resume continues from here"
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
  if (report.summary.contains("sound") && !options.quiet) {
    fmt::print(stderr, "sound: {}\n", report.summary["sound"]["text"].get<std::string>());
  }
  if (options.play && !play(player, settings.out / "sound.wav", *guard.flag())) {
    fmt::print(stderr, "carom: {} could not play '{}'\n", player.front(),
               (settings.out / "sound.wav").string());
    return 1;
  }
  if (!report.passed) {
    fmt::print(stderr, "carom: {}: {}\n", report.summary["status"].get<std::string>(),
               report.verdict);
    return 1;
  }
  if (!options.quiet) {
    for (const auto& [label, value, unit, note] : report.numbers) {
      fmt::print(stderr, "{}: {}{}{}{}\n", label, value, unit.empty() ? "" : " ", unit,
                 note.empty() ? "" : " (" + note + ")");
    }
    fmt::print(stderr, "{}\n", report.verdict);
  }
  return 0;
}

/// When the file was written last; nothing while an editor is replacing it.
std::optional<std::filesystem::file_time_type> written(const std::string& file) {
  std::error_code code;
  const auto time = std::filesystem::last_write_time(file, code);
  return code ? std::nullopt : std::optional(time);
}

/// Again and again, each time the file is saved, until it is interrupted. A file that is wrong is
/// waited for, except at the start.
int watch(const RunOptions& options, const InterruptGuard& guard) {
  for (bool first = true;; first = false) {
    const auto before = written(options.file);
    try {
      if (run_once(options, guard) == exit_interrupted) return exit_interrupted;
    } catch (const InvalidInput& error) {
      if (first) throw;
      fmt::print(stderr, "carom: error: {}\n", error.what());
    }
    if (!options.quiet) fmt::print(stderr, "watching '{}'; Ctrl-C ends\n", options.file);
    for (auto now = before; now == before || !now; now = written(options.file)) {
      if (guard.flag()->load()) return exit_interrupted;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    // Whoever saves may still be writing, within the resolution of the file's time.
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

int run(RunOptions options) {
  const InterruptGuard guard;
  if (!options.note.empty()) options.sets.push_back("note=\"" + options.note + "\"");
  return options.watch ? watch(options, guard) : run_once(options, guard);
}

}  // namespace

Command run_command() {
  const auto options = std::make_shared<RunOptions>();
  return {
      .name = "run",
      .summary = "run a scenario and write signals, sound, pictures and a report",
      .flags =
          {{"scenario", "FILE", "the scenario file", &options->file},
           {"--out", "DIR", "folder for the results; by default NAME-out here", &options->out},
           {"--set",
            "KEY=VALUE",
            "override a key, e.g. run.rate=96000; an empty value removes it",
            &options->sets,
            {},
            all_keys()},
           {"--note", "NOTE", "pitch of a string or of an object given by its shape, e.g. D2",
            &options->note},
           {"--format", "FORMAT", "format of the signals", &options->format, {"csv", "hdf5"}},
           {"--checkpoint", "SECONDS",
            "save the state of a long run in DIR this often, and when it is interrupted",
            &options->checkpoint},
           {"--resume", "",
            "continue from the checkpoint in DIR; the results are those of an uninterrupted run",
            &options->resume},
           {"--sound-only", "", "write sound.wav and summary.json only", &options->sound_only},
           {"--play", "", "play the sound when it is ready, with aplay, paplay or play",
            &options->play},
           {"--watch", "", "run again whenever the file is saved, until Ctrl-C", &options->watch},
           {"--quiet", "", "no progress, no list of files", &options->quiet},
           {"--json", "", "print the summary as JSON", &options->json}},
      .run = [options] { return run(*options); },
      .examples =
          "  carom run bounce.toml --out results --set run.rate=96000\n"
          "  carom run string.toml --checkpoint 60      # and after any interruption\n"
          "  carom run string.toml --checkpoint 60 --resume\n"
          "  carom run string.toml --sound-only --play --watch   # save the file, hear it\n"};
}

}  // namespace carom::cli
