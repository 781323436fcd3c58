#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/identify/impact_series.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/output/json.hpp>

#include "identify_command.hpp"
#include "table.hpp"

namespace carom::cli {

std::pair<AnyLaw, Collision> searched_law(const IdentifyOptions& options) {
  const std::string& name = options.law.law;
  if (name == "constant-restitution" || options.formula != "exact") {
    throw InvalidInput(
        fmt::format("--law {} --formula {}: nothing to search for", name, options.formula));
  }
  refuse_flag("--max-compression", options.max_compression,
              "this law is found from restitution, contact time and largest force");
  require_flags({{"--mass", &options.mass}, {"--speed", &options.speed}});
  FitSettings settings{.law = name,
                       .mass = options.mass,
                       .force = options.force,
                       .gravity = options.gravity,
                       .rank = false};
  for (const auto& [key, value] : options.law.values()) {
    if (key != "restitution") settings.given[key] = value;
  }
  const std::vector<SeriesImpact> impact_data{{.speed = *options.speed,
                                               .restitution = options.law.number("restitution"),
                                               .contact_time = options.contact_time,
                                               .max_force = options.max_force}};
  const Identification found = identify_series(impact_data, settings);
  const LawFit& fit = found.law();
  // One impact, no noise: it is met or it is not.
  constexpr double met = 1e-8;
  std::string open;
  for (const FittedNumber& one : fit.numbers) {
    if (one.status == FittedNumber::Status::open ||
        one.status == FittedNumber::Status::out_of_reach)
      open += (open.empty() ? "" : ", ") + one.name;
  }
  if (!open.empty()) {
    throw InvalidInput(
        fmt::format("cannot identify {}: {} stays open; give it, or one more of "
                    "--restitution, --contact-time, --max-force",
                    name, open));
  }
  if (!(fit.misfit < met)) {
    throw InvalidInput(fmt::format("contradictory: no {} has all of these (closest miss {:.3g})",
                                   name, fit.misfit));
  }
  return {*fit.fitted, found.reference};
}

int identify_by_search(const IdentifyOptions& options) {
  const auto [law, collision] = searched_law(options);
  const Impact hit = impact(law, collision);
  draw_impact(law, collision, options.plot);
  if (options.json) {
    print_json({{"law", to_json(law, collision)},
                {"check",
                 {{"restitution", json_number(hit.restitution)},
                  {"contact_time", json_number(hit.contact_time)},
                  {"max_force", json_number(hit.max_force)},
                  {"max_compression", json_number(hit.max_compression)}}},
                {"problem", "one impact, by search"},
                {"formula", "exact"}});
    return 0;
  }
  fmt::print("{} by exact\n  {}\n", options.law.law, describe(law, collision));
  fmt::print("an impact under this law gives back\n");
  print_rows({{"restitution", short_number(hit.restitution)},
              {"contact time", short_number(hit.contact_time), "s"},
              {"largest force", short_number(hit.max_force), "N"},
              {"largest compression", short_number(hit.max_compression), "m"}});
  return 0;
}

}  // namespace carom::cli
