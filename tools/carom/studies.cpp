#include <memory>
#include <optional>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/files.hpp>
#include <carom/output/progress.hpp>
#include <carom/output/studies.hpp>

#include "commands.hpp"
#include "scenario_command.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct StudyOptions {
  std::string file, signal, out, key;
  std::optional<long> levels;
  std::optional<double> change;
  std::vector<std::string> sets;
  bool quiet = false, json = false;
};

/// Runs a study and shows what came out, as numbers and as a picture.
template <class Run, class ToJson, class ToTable, class ToFigure>
int show(const StudyOptions& options, const char* name, Run run, ToJson json, ToTable table,
         ToFigure figure) {
  if (options.file.empty()) throw InvalidInput("a scenario file is needed; `carom new` writes one");
  const InterruptGuard guard;
  ProgressLine line("running", options.quiet);
  StudySettings settings{.signal = options.signal, .interrupt = guard.flag()};
  for (const std::string& set : options.sets) settings.overrides.push_back(parse_override(set));
  settings.progress = [&line](const Progress& progress) { line.update(progress); };
  try {
    const auto study = run(settings);
    line.clear();
    const std::string picture =
        options.out.empty()
            ? std::filesystem::path(options.file).stem().string() + "-" + name + ".svg"
            : options.out;
    write_file(picture, draw_svg(figure(study)));
    if (options.json) {
      Json result = json(study);
      result["picture"] = picture;
      print_json(result);
    } else {
      fmt::print("{}", table(study));
      if (!options.quiet) fmt::print("picture: {}\n", picture);
    }
  } catch (const Interrupted&) {
    line.clear();
    if (!options.quiet) fmt::print(stderr, "carom: interrupted; nothing was written\n");
    return exit_interrupted;
  }
  return 0;
}

std::vector<Flag> common_flags(StudyOptions& options, const char* picture) {
  return {{"scenario", "FILE", "the scenario file", &options.file},
          {"--signal", "NAME", "the column to look at; by default the main one", &options.signal},
          {"--out", "FILE", picture, &options.out},
          {"--set",
           "KEY=VALUE",
           "override a key, e.g. run.rate=96000; an empty value removes it",
           &options.sets,
           {},
           all_keys()},
          {"--quiet", "", "no progress", &options.quiet},
          {"--json", "", "print the numbers as JSON", &options.json}};
}

}  // namespace

Command order_command() {
  const auto options = std::make_shared<StudyOptions>();
  std::vector<Flag> flags = common_flags(*options, "the picture; by default NAME-order.svg here");
  flags.insert(flags.begin() + 1,
               {"--levels", "N", "steps refined by 1, 2, 4, ...; by default 5", &options->levels});
  return {.name = "order",
          .summary = "measure how the error of a scenario falls as its steps are refined",
          .flags = std::move(flags),
          .run =
              [options] {
                const long levels = options->levels.value_or(5);
                require_within("--levels", static_cast<double>(levels), 2, 12);
                return show(
                    *options, "order",
                    [&](const StudySettings& settings) {
                      return study_order(options->file, static_cast<int>(levels), settings);
                    },
                    order_json, order_table, order_figure);
              },
          .examples = "  carom order bounce.toml --set run.method=verlet --levels 6\n"};
}

Command divergence_command() {
  const auto options = std::make_shared<StudyOptions>();
  std::vector<Flag> flags =
      common_flags(*options, "the picture; by default NAME-divergence.svg here");
  flags.insert(flags.begin() + 1,
               {{"--key", "KEY", "the number that is changed, e.g. body.1.velocity", &options->key},
                {"--change", "X", "by which fraction of it; by default 1e-9", &options->change}});
  return {.name = "divergence",
          .summary = "measure how two runs that differ very slightly diverge",
          .flags = std::move(flags),
          .run =
              [options] {
                if (options->key.empty())
                  throw InvalidInput("--key is needed: the number to change");
                return show(
                    *options, "divergence",
                    [&](const StudySettings& settings) {
                      return study_divergence(options->file, options->key,
                                              options->change.value_or(1e-9), settings);
                    },
                    divergence_json, divergence_table, divergence_figure);
              },
          .examples = "  carom divergence table.toml --key body.1.amplitude\n"};
}

}  // namespace carom::cli
