#include <memory>

#include <fmt/format.h>

#include <carom/output/files.hpp>
#include <carom/scenario/template.hpp>

#include "commands.hpp"

namespace carom::cli {
namespace {

struct Options {
  std::string kind, file;
  bool force = false;
};

int write_template(const Options& options) {
  if (options.kind.empty()) {
    std::string names;
    for (const Kind& kind : kinds()) names += (names.empty() ? "" : ", ") + kind.name;
    throw InvalidInput("a kind is needed: " + names);
  }
  const Kind& kind = find_kind(options.kind);
  const std::string file = options.file.empty() ? kind.name + ".toml" : options.file;
  if (file == "-") {
    fmt::print("{}", scenario_template(kind));
    return 0;
  }
  if (!options.force && std::filesystem::exists(file)) {
    throw InvalidInput("'" + file + "' exists; --force replaces it, `-` prints instead");
  }
  write_file(file, scenario_template(kind));
  fmt::print("{}\n", file);
  return 0;
}

}  // namespace

Command new_command() {
  const auto options = std::make_shared<Options>();
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds()) names.emplace_back(kind.name);
  return {.name = "new",
          .summary = "write a commented scenario to start from",
          .flags = {{"kind", "KIND", "what it is about", &options->kind, names},
                    {"file", "FILE", "where to; without it KIND.toml, - prints it", &options->file},
                    {"--force", "", "replace the file when it exists", &options->force}},
          .run = [options] { return write_template(*options); },
          .examples = "  carom new bounce\n  carom new strike bell.toml\n"};
}

}  // namespace carom::cli
