#include <cmath>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include <carom/output/progress.hpp>
#include <carom/output/render.hpp>
#include <carom/output/run.hpp>

#include "commands.hpp"
#include "scenario_command.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct RenderOptions {
  std::string file, out, notes, velocities;
  std::vector<std::string> sets;
  bool quiet = false, json = false;
};

int render(const RenderOptions& options) {
  if (options.file.empty()) throw InvalidInput("a scenario file is needed; `carom new` writes one");
  const std::string stem = std::filesystem::path(options.file).stem().string();
  RenderSettings settings{.out = options.out.empty() ? stem + "-samples" : options.out};
  for (const std::string& set : options.sets) settings.overrides.push_back(parse_override(set));
  settings.notes = parts_of(options.notes);
  if (!options.velocities.empty()) settings.velocities.clear();
  for (const std::string& part : parts_of(options.velocities)) {
    char* end = nullptr;
    const double value = std::strtod(part.c_str(), &end);
    if (part.empty() || *end != '\0' || !std::isfinite(value))
      throw InvalidInput("--velocities '" + part + "': must be a number");
    settings.velocities.push_back(value);
  }
  const InterruptGuard guard;
  ProgressLine line(stem, options.quiet);
  settings.progress = [&line](const Progress& progress) { line.update(progress); };
  settings.interrupt = guard.flag();
  RenderReport report;
  try {
    report = render_samples(options.file, settings);
  } catch (const Interrupted&) {
    line.clear();
    if (!options.quiet) fmt::print(stderr, "carom: interrupted; nothing was written\n");
    return exit_interrupted;
  }
  line.clear();
  if (options.json) {
    Json samples = Json::array();
    for (const RenderReport::Sample& sample : report.samples) {
      samples.push_back({{"file", sample.file},
                         {"key", sample.key},
                         {"cents", sample.cents},
                         {"velocity", sample.velocity},
                         {"keys", {sample.low_key, sample.high_key}},
                         {"velocities", {sample.low_velocity, sample.high_velocity}},
                         {"peak", sample.peak}});
    }
    print_json({{"samples", std::move(samples)},
                {"gain", report.gain},
                {"scaled", report.blow},
                {"out", settings.out.string()}});
  } else if (!options.quiet) {
    for (const auto& file : report.files) fmt::print("{}\n", file.string());
  }
  for (const RenderReport::Sample& sample : report.samples) {
    if (sample.peak > 1)
      fmt::print(stderr,
                 "carom: warning: {} is clipped: its peak would be {:.3g} times full scale\n",
                 sample.file, sample.peak);
  }
  return 0;
}

}  // namespace

Command render_command() {
  const auto options = std::make_shared<RenderOptions>();
  return {.name = "render",
          .summary = "write velocity layers and notes of a scenario as WAV files with an SFZ map",
          .flags = {{"scenario", "FILE", "the scenario file", &options->file},
                    {"--out", "DIR", "folder for the files; by default NAME-samples here",
                     &options->out},
                    {"--notes", "LIST", "pitches, e.g. D2,A2,D3; by default as in the file",
                     &options->notes},
                    {"--velocities", "LIST",
                     "multiples of the speed or height in the file; by default 0.25,0.5,1",
                     &options->velocities},
                    {"--set", "KEY=VALUE", "override a key", &options->sets, {}, all_keys()},
                    {"--quiet", "", "no progress, no list of files", &options->quiet},
                    {"--json", "", "print what was written as JSON", &options->json}},
          .run = [options] { return render(*options); },
          .examples =
              "  carom render tanpura.toml --notes D2,A2,D3 --velocities 0.25,0.5,1\n"
              "  carom render strike.toml --velocities 0.1,0.3,1 --set sound.gain=2\n"};
}

}  // namespace carom::cli
