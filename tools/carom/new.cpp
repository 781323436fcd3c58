#include <memory>

#include <fmt/format.h>

#include <carom/output/files.hpp>
#include <carom/scenario/methods.hpp>
#include <carom/scenario/template.hpp>

#include "commands.hpp"

namespace carom::cli {
namespace {

struct NewOptions {
  std::string kind, file, reference, example;
  bool force = false;
};

/// The generated part of the documentation: one page for all keys, one for each kind.
int write_reference(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  write_file(folder / "scenario_reference.md", schema_reference());
  write_file(folder / "laws.md", law_page());
  write_file(folder / "methods.md", methods_page());
  for (const Kind& kind : kinds())
    write_file(folder / ("kind_" + kind.name + ".md"), kind_page(kind));
  return 0;
}

int write_template(const NewOptions& options) {
  if (!options.reference.empty()) return write_reference(options.reference);
  if (options.kind.empty()) {
    std::string names;
    for (const Kind& kind : kinds()) names += (names.empty() ? "" : ", ") + kind.name;
    throw InvalidInput("a kind is needed: " + names);
  }
  const Kind& kind = find_kind(options.kind);
  const std::string stem = options.example.empty() ? kind.name : options.example;
  const std::string file = options.file.empty() ? stem + ".toml" : options.file;
  if (file == "-") {
    fmt::print("{}", scenario_template(kind, options.example));
    return 0;
  }
  if (!options.force && std::filesystem::exists(file)) {
    throw InvalidInput("'" + file + "' exists; --force replaces it, `-` prints instead");
  }
  write_file(file, scenario_template(kind, options.example));
  fmt::print("{}\n", file);
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
  return {.name = "new",
          .summary = "write a commented scenario to start from",
          .flags = {{"kind", "KIND", "what it is about", &options->kind, names},
                    {"file", "FILE", "where to; without it KIND.toml, - prints it", &options->file},
                    {"--example", "NAME", "one of the ready files of the kind", &options->example,
                     examples},
                    {"--reference", "DIR", "write the reference pages of all kinds there instead",
                     &options->reference},
                    {"--force", "", "replace the file when it exists", &options->force}},
          .run = [options] { return write_template(*options); },
          .examples = "  carom new bounce\n  carom new strike bell.toml\n  carom new assembly --example cradle\n"};
}

}  // namespace carom::cli
