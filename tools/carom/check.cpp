#include <memory>

#include <fmt/format.h>

#include <carom/scenario/workload.hpp>

#include "commands.hpp"
#include "scenario_command.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct CheckOptions {
  std::string file;
  std::vector<std::string> sets;
  bool json = false;
};

std::string_view verdict_name(Advice::Verdict verdict) {
  switch (verdict) {
    case Advice::Verdict::good:
      return "good";
    case Advice::Verdict::note:
      return "note";
    case Advice::Verdict::poor:
      return "poor";
  }
  return {};
}

int check(const CheckOptions& options) {
  const Scenario scenario = load(options.file, options.sets);
  const Kind& kind = find_kind(scenario.kind());
  std::vector<Advice> advice =
      kind.advise != nullptr ? kind.advise(scenario) : std::vector<Advice>{};
  const Workload work = workload(scenario);
  advice.push_back(
      {.topic = "work", .message = describe(work), .value = work.steps, .name = "samples"});
  bool resolved = true;
  for (const Advice& item : advice) resolved = resolved && item.verdict != Advice::Verdict::poor;
  if (options.json) {
    Json items = Json::array();
    Json numbers = Json::object();
    for (const Advice& item : advice) {
      items.push_back({{"verdict", verdict_name(item.verdict)},
                       {"topic", item.topic},
                       {"message", item.message},
                       {"proposal", item.proposal.empty() ? Json(nullptr) : Json(item.proposal)}});
      if (!item.name.empty()) numbers[item.name] = item.value;
    }
    const Json result{{"scenario", options.file},  {"kind", kind.name},  {"valid", true},
                      {"well_resolved", resolved}, {"numbers", numbers}, {"advice", items}};
    print_json(result);
    return 0;
  }
  fmt::print("{}: valid, {}\n", options.file, resolved ? "well resolved" : "see below");
  for (const Advice& item : advice) {
    fmt::print("  {:<5} {}: {}\n", verdict_name(item.verdict), item.topic, item.message);
    if (!item.proposal.empty()) fmt::print("        try {}\n", item.proposal);
  }
  return 0;
}

}  // namespace

Command check_command() {
  const auto options = std::make_shared<CheckOptions>();
  return {.name = "check",
          .summary = "check that a scenario is valid and well resolved, without running it",
          .flags = {{"scenario", "FILE", "the scenario file", &options->file},
                    {"--set",
                     "KEY=VALUE",
                     "override a key, e.g. run.rate=96000; an empty value removes it",
                     &options->sets,
                     {},
                     all_keys()},
                    {"--json", "", "print the findings as JSON", &options->json}},
          .run = [options] { return check(*options); },
          .examples = "  carom check bounce.toml --set run.method=rk4\n"};
}

}  // namespace carom::cli
