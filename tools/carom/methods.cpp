#include <memory>

#include <fmt/format.h>

#include <carom/scenario/methods.hpp>

#include "commands.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct MethodsOptions {
  std::string kind;
  bool json = false;
};

/// Methods down, laws across; numbers refer to the reasons below the table.
void print_kind(const Kind& kind) {
  const std::vector<LawGroup> groups = law_groups(kind);
  std::vector<std::string> reasons, header{kind.name};
  for (std::size_t g = 0; g < groups.size(); ++g)
    header.push_back(groups.size() == 1 ? "every law" : std::string(1, char('A' + g)));
  std::vector<std::vector<std::string>> rows;
  for (std::size_t m = 0; m < known_methods().size(); ++m) {
    rows.push_back({known_methods()[m]});
    for (const LawGroup& group : groups) {
      const std::string& reason = group.reasons[m];
      rows.back().push_back(reason.empty() ? "runs"
                                           : fmt::format("({})", note_of(reason, reasons)));
    }
  }
  print_table(header, rows);
  for (std::size_t g = 0; g < groups.size() && groups.size() > 1; ++g)
    fmt::print("  {}: {}\n", header[g + 1], fmt::join(groups[g].laws, ", "));
  for (std::size_t r = 0; r < reasons.size(); ++r) fmt::print("  ({}) {}\n", r + 1, reasons[r]);
}

int run_methods(const MethodsOptions& options) {
  Json list = Json::array();
  bool first = true;
  for (const Kind& kind : kinds()) {
    if (!options.kind.empty() && options.kind != kind.name) continue;
    if (options.json) {
      list.push_back(methods_json(kind));
      continue;
    }
    if (!first) fmt::print("\n");
    first = false;
    print_kind(kind);
  }
  if (options.json) print_json({{"kinds", std::move(list)}});
  return 0;
}

}  // namespace

Command methods_command() {
  const auto options = std::make_shared<MethodsOptions>();
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds()) names.emplace_back(kind.name);
  return {.name = "methods",
          .summary = "list which contact laws run with which methods",
          .flags = {{"--kind", "KIND", "only this kind of scenario", &options->kind, names},
                    {"--json", "", "one JSON document on stdout", &options->json}},
          .run = [options] { return run_methods(*options); },
          .examples = "  carom methods\n  carom methods --kind string\n  carom methods --json\n"};
}

}  // namespace carom::cli
