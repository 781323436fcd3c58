#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <carom/output/files.hpp>
#include <carom/output/json.hpp>
#include <carom/output/presets.hpp>
#include <carom/scenario/methods.hpp>
#include <carom/scenario/template.hpp>

#include "commands.hpp"

namespace carom::cli {
namespace {

/// A sweep small enough to look at whole: 27 exact impacts, a second of work.
constexpr std::string_view kSweepTemplate =
    R"(# Many runs of one scenario: every combination of the values in [grid].
# Size it:     carom sweep FILE --dry-run    (lists the results that could be columns, too)
# Run it:      carom sweep FILE --csv        (writes the folder NAME-out; --resume continues it)
# Look at it:  carom sweep show NAME-out --by body.speed --by contact.mu --plot text
scenario = "impact.toml"     # relative to this file

[grid]                       # any key of the scenario
"body.speed" = { from = 0.1, to = 10, count = 9, scale = "log" }
"contact.mu" = [0.1, 0.5, 2.0]

[results]                    # paths into summary.json
columns = ["results.restitution", "results.contact_time", "results.max_force"]
)";

struct NewOptions {
  std::string kind, file, reference, example, preset;
  bool force = false, presets = false, json = false;
};

/// The generated part of the documentation: one page for all keys, one for each kind.
int write_reference(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_file(folder / "scenario_reference.md", schema_reference());
  write_file(folder / "laws.md", law_page());
  write_file(folder / "methods.md", methods_page());
  write_file(folder / "materials.md", material_page());
  for (const Kind& kind : kinds())
    write_file(folder / ("kind_" + kind.name + ".md"), kind_page(kind));
  return 0;
}

void write_or_print(const NewOptions& options, const std::string& file, std::string_view text) {
  if (file == "-") {
    fmt::print("{}", text);
    return;
  }
  if (!options.force && std::filesystem::exists(file)) {
    throw InvalidInput("'" + file + "' exists; --force replaces it, `-` prints instead");
  }
  write_file(file, std::string(text));
  fmt::print("{}\n", file);
}

/// The sweep file, and beside it the scenario that it names; one that is there is kept.
int write_sweep(const NewOptions& options) {
  if (!options.example.empty()) throw InvalidInput("--example: a sweep has no ready files");
  const std::string file = options.file.empty() ? "sweep.toml" : options.file;
  const std::filesystem::path scenario = std::filesystem::path(file).parent_path() / "impact.toml";
  if (file != "-" && scenario == std::filesystem::path(file)) {
    throw InvalidInput("'" + file + "' is the name of the scenario that is swept; choose another");
  }
  write_or_print(options, file, kSweepTemplate);
  if (file == "-") return 0;
  if (std::filesystem::exists(scenario)) {
    fmt::print(stderr, "{} exists and is kept\n", scenario.string());
    return 0;
  }
  write_file(scenario, scenario_template(find_kind("impact"), ""));
  fmt::print("{}\n", scenario.string());
  return 0;
}

int list_presets(const NewOptions& options) {
  Json list = Json::array();
  std::size_t name = 0, kind = 0;
  for (const Preset& preset : presets()) {
    list.push_back({{"name", preset.name}, {"kind", preset.kind}, {"summary", preset.summary}});
    name = std::max(name, preset.name.size());
    kind = std::max(kind, preset.kind.size());
  }
  if (options.json) {
    print_json({{"presets", std::move(list)}});
    return 0;
  }
  for (const Preset& preset : presets())
    fmt::print("{:<{}}  {:<{}}  {}\n", preset.name, name, preset.kind, kind, preset.summary);
  return 0;
}

int write_preset(const NewOptions& options) {
  if (!options.example.empty()) throw InvalidInput("--example and --preset: give one");
  const Preset& preset = find_preset(options.kind, options.preset);
  const std::string file = options.file.empty() ? std::string(preset.name) + ".toml" : options.file;
  write_or_print(options, file, preset.text);
  return 0;
}

int write_template(const NewOptions& options) {
  if (options.presets) return list_presets(options);
  if (options.json) throw InvalidInput("--json: only with --presets");
  if (!options.preset.empty()) return write_preset(options);
  if (!options.reference.empty()) return write_reference(options.reference);
  if (options.kind == "sweep") return write_sweep(options);
  if (options.kind.empty()) {
    std::string names;
    for (const Kind& kind : kinds()) names += kind.name + ", ";
    throw InvalidInput("a kind is needed: " + names + "sweep");
  }
  const Kind& kind = find_kind(options.kind);
  const std::string stem = options.example.empty() ? kind.name : options.example;
  const std::string file = options.file.empty() ? stem + ".toml" : options.file;
  write_or_print(options, file, scenario_template(kind, options.example));
  return 0;
}

}  // namespace

Command new_command() {
  const auto options = std::make_shared<NewOptions>();
  std::vector<std::string_view> names;
  std::vector<std::string_view> examples;
  for (const Kind& kind : kinds()) {
    names.emplace_back(kind.name);
    for (const ScenarioExample& example : kind.examples) examples.push_back(example.name);
  }
  names.emplace_back("sweep");
  std::vector<std::string_view> preset_names;
  for (const Preset& preset : presets()) preset_names.push_back(preset.name);
  return {
      .name = "new",
      .summary = "write a commented scenario, or a sweep, to start from",
      .flags = {{"kind", "KIND", "kind of scenario; `sweep` for a sweep over one", &options->kind,
                 names},
                {"file", "FILE", "file to write (default KIND.toml); `-` prints it",
                 &options->file},
                {"--example", "NAME", "one of the ready-made files of this kind", &options->example,
                 examples},
                {"--preset", "NAME", "a ready sound (--presets lists them)", &options->preset,
                 preset_names},
                {"--presets", "", "list the presets: name, kind, what it is", &options->presets},
                {"--json", "", "with --presets: one JSON document on stdout", &options->json},
                {"--reference", "DIR",
                 "write the reference pages of all kinds to this folder instead",
                 &options->reference},
                {"--force", "", "replace the file if it exists", &options->force}},
      .run = [options] { return write_template(*options); },
      .examples =
          "  carom new bounce\n  carom new strike bell.toml\n  carom new assembly --example "
          "cradle\n  carom new strike --preset glass-on-ceramic\n  carom new --presets\n  carom "
          "new "
          "sweep\n"};
}

}  // namespace carom::cli
