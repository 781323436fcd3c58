#include <memory>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/output/files.hpp>
#include <carom/output/impact_figure.hpp>
#include <carom/output/json.hpp>

#include "commands.hpp"
#include "law_flags.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct Options {
  LawFlags law;
  std::optional<double> mass, speed, force;
  std::string plot;
  bool json = false;
};

Collision collision_from(const Options& options) {
  require_flags({{"--mass", &options.mass}, {"--speed", &options.speed}});
  require_positive("--mass", *options.mass);
  require_positive("--speed", *options.speed);
  require_finite("--force", options.force.value_or(0.0));
  return {*options.mass, *options.speed, options.force.value_or(0.0)};
}

void print_for_people(const AnyLaw& law, const Collision& collision, const Impact& hit) {
  fmt::print("{}: {}\n", law_name(law), describe(law, collision));
  std::vector<Row> rows{
      {"rebound speed", short_number(hit.rebound_speed), "m/s"},
      {"restitution", short_number(hit.restitution)},
      {"largest compression", short_number(hit.max_compression), "m"},
      {"  at", short_number(hit.max_compression_time), "s"},
      {"largest force", short_number(hit.max_force), "N"},
      {"  at", short_number(hit.max_force_time), "s"},
      {"contact time", short_number(hit.contact_time), "s"},
      {"energy in", short_number(hit.energy_in), "J"},
      {"energy lost", short_number(hit.energy_lost), "J"},
      {"compression at separation", short_number(hit.separation_compression), "m"}};
  if (!hit.releases) {
    rows.push_back({"equilibrium compression", short_number(hit.equilibrium_compression), "m"});
    fmt::print("  held down by the external force: the body never leaves\n");
  }
  print_rows(rows);
}

int run_impact(const Options& options) {
  const Collision collision = collision_from(options);
  const AnyLaw law = law_from(options.law, collision);
  const Impact hit = impact(law, collision);
  if (!options.plot.empty()) write_file(options.plot, draw_svg(impact_figure(law, collision)));
  if (options.json) {
    const Json json{
        {"law", to_json(law, collision)}, {"method", "exact"}, {"result", to_json(hit)}};
    fmt::print("{}\n", json.dump(2));
  } else {
    print_for_people(law, collision, hit);
    if (!options.plot.empty()) fmt::print(stderr, "picture: {}\n", options.plot);
  }
  return 0;
}

}  // namespace

Command impact_command() {
  const auto options = std::make_shared<Options>();
  std::vector<Flag> flags = law_flags(options->law);
  for (Flag& flag : std::vector<Flag>{
           {"--mass", "kg", "mass, or effective mass of a pair", &options->mass},
           {"--speed", "m/s", "closing speed at first touch", &options->speed},
           {"--force", "N", "constant external force, > 0 pushes into the contact",
            &options->force},
           {"--plot", "FILE.svg", "draw phase portrait, force loop, energy and time history",
            &options->plot},
           {"--json", "", "one JSON document on stdout", &options->json}}) {
    flags.push_back(std::move(flag));
  }
  return {.name = "impact",
          .summary = "one impact, exactly or by any method",
          .flags = std::move(flags),
          .run = [options] { return run_impact(*options); },
          .examples =
              "  carom impact --law hunt-crossley --mass 0.01 --stiffness 1e9 --exponent 1.5 "
              "--mu 0.5 --speed 1\n"
              "  carom impact --law hertz-damper --mass 1 --stiffness 1 --restitution 0.3 "
              "--speed 1 --json\n"};
}

}  // namespace carom::cli
