#include <memory>
#include <optional>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/compare.hpp>
#include <carom/output/files.hpp>
#include <carom/output/progress.hpp>

#include "commands.hpp"
#include "scenario_command.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct CompareOptions {
  std::string file, methods, out, reference;
  std::optional<long> refine;
  std::vector<std::string> sets;
  bool quiet = false, json = false;
};

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    if (comma > begin) parts.push_back(list.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return parts;
}

int run(const CompareOptions& options) {
  const std::vector<std::string> methods = split(options.methods);
  if (options.file.empty()) throw InvalidInput("a scenario file is needed; `carom new` writes one");
  const InterruptGuard guard;
  ProgressLine line("comparing", options.quiet);
  CompareSettings settings;
  for (const std::string& set : options.sets) settings.overrides.push_back(parse_override(set));
  settings.progress = [&line](const Progress& progress) { line.update(progress); };
  settings.interrupt = guard.flag();
  settings.reference = options.reference;
  if (options.refine) {
    require_within("--refine", static_cast<double>(*options.refine), 1, 1000);
    settings.refine = static_cast<int>(*options.refine);
  }
  Comparison comparison;
  try {
    comparison = compare_methods(options.file, methods, settings);
  } catch (const Interrupted&) {
    line.clear();
    if (!options.quiet) fmt::print(stderr, "carom: interrupted; nothing was written\n");
    return exit_interrupted;
  }
  line.clear();
  const std::string picture =
      options.out.empty() ? std::filesystem::path(options.file).stem().string() + "-compare.svg"
                          : options.out;
  write_file(picture, draw_svg(comparison_figure(comparison)));
  if (options.json) {
    Json result = comparison_json(comparison);
    result["picture"] = picture;
    print_json(result);
  } else {
    fmt::print("{}", comparison_table(comparison));
    if (!options.quiet) fmt::print("picture: {}\n", picture);
  }
  return 0;
}

}  // namespace

Command compare_command() {
  const auto options = std::make_shared<CompareOptions>();
  return {
      .name = "compare",
      .summary = "run a scenario with several methods and compare error, energy and cost",
      .flags = {{"scenario", "FILE", "the scenario file", &options->file},
                {"--methods", "A,B,C", "comma-separated; by default all methods of its kind",
                 &options->methods},
                {"--reference", "METHOD", "what the others are measured against",
                 &options->reference},
                {"--refine", "N", "the reference takes steps N times finer", &options->refine},
                {"--out", "FILE", "the picture; by default NAME-compare.svg here", &options->out},
                {"--set",
                 "KEY=VALUE",
                 "override a key, e.g. run.rate=96000; an empty value removes it",
                 &options->sets,
                 {},
                 all_keys()},
                {"--quiet", "", "no progress", &options->quiet},
                {"--json", "", "print the comparison as JSON", &options->json}},
      .run = [options] { return run(*options); },
      .examples = "  carom compare bounce.toml --methods rk4,verlet,passive\n"};
}

}  // namespace carom::cli
