#include <memory>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/json.hpp>
#include <carom/records/score.hpp>

#include "commands.hpp"
#include "identify_command.hpp"
#include "table.hpp"

namespace carom::cli {
namespace {

struct ScoreOptions {
  LawFlags law;
  std::optional<double> mass, force;
  std::optional<long> run;
  std::string file, columns, units;
  bool json = false;
};

LawChoice law_at(const LawFlags& flags, const Collision& collision) {
  if (flags.law == NewtonRestitution::text.name)
    return make_law_choice(flags.law, flags.values(), "--");
  return law_from(flags, collision);
}

Json impact_json(const ScoredImpact& hit) {
  return {{"time", json_number(hit.time)},
          {"speed_in", json_number(hit.speed_in)},
          {"speed_out", json_number(hit.speed_out)},
          {"restitution", json_number(hit.restitution)},
          {"exact_restitution", json_number(hit.exact_restitution)},
          {"contact_time", json_number(hit.contact_time)},
          {"exact_contact_time", json_number(hit.exact_contact_time)},
          {"max_compression", json_number(hit.max_compression)},
          {"exact_max_compression", json_number(hit.exact_max_compression)},
          {"energy_gain", json_number(hit.energy_gain)},
          {"energy_ratio", json_number(hit.energy_ratio)},
          {"agrees", hit.agrees}};
}

int run_score(const ScoreOptions& options) {
  if (options.file.empty()) throw InvalidInput("missing: TRAJECTORY.csv");
  const bool newton = options.law.law == NewtonRestitution::text.name;
  require_flags({{"--mass", &options.mass}}, newton ? nullptr : &options.law);
  require_positive("--mass", *options.mass);
  require_finite("--force", options.force.value_or(0));
  const TrajectoryScore score = score_trajectory(
      options.file, [&](const Collision& collision) { return law_at(options.law, collision); },
      *options.mass, options.force.value_or(0),
      {listed(options.columns), listed(options.units), options.run});
  const int code = score.verdict == "agrees" ? 0 : 1;
  if (options.json) {
    Json impacts = Json::array();
    for (const ScoredImpact& hit : score.impacts) impacts.push_back(impact_json(hit));
    print_json({{"impacts", std::move(impacts)},
                {"verdict", score.verdict},
                {"step", json_number(score.step)}});
    return code;
  }
  std::vector<std::vector<std::string>> rows;
  for (const ScoredImpact& hit : score.impacts) {
    rows.push_back({short_number(hit.time), short_number(hit.speed_in),
                    short_number(hit.restitution), short_number(hit.exact_restitution),
                    short_number(hit.contact_time), short_number(hit.exact_contact_time),
                    short_number(hit.max_compression), short_number(hit.exact_max_compression),
                    short_number(hit.energy_gain)});
  }
  print_table({"time [s]", "speed in", "restitution", "exact", "contact [s]", "exact", "depth [m]",
               "exact", "energy gain [J]"},
              rows);
  fmt::print("verdict: {}\n", score.verdict);
  return code;
}

}  // namespace

Command score_command() {
  const auto options = std::make_shared<ScoreOptions>();
  std::vector<std::string_view> names = law_names();
  names.push_back(NewtonRestitution::text.name);
  constexpr std::array<std::string_view, 1> own{"restitution"};
  std::vector<Flag> flags = law_flags(options->law, names, own);
  for (Flag& flag : std::vector<Flag>{
           {"trajectory", "FILE",
            "columns time, position and velocity of a body that hits a wall at x = 0, x > 0 inside",
            &options->file},
           {"--mass", "kg", "mass of the body", &options->mass},
           {"--force", "N", "constant force during contact; positive pushes into it",
            &options->force},
           {"--columns", "A,B,...", "what the columns of the file are: time,height,speed",
            &options->columns},
           {"--units", "U,V,...", "units of these columns: ms,mm,m/s", &options->units},
           {"--run", "N", "the only run of the file to use", &options->run},
           {"--json", "", "one JSON document on stdout", &options->json}}) {
    flags.push_back(std::move(flag));
  }
  return {.name = "score",
          .summary = "compare an impact simulated by another program with the exact one",
          .flags = std::move(flags),
          .run = [options] { return run_score(*options); },
          .examples =
              "  carom score trajectory.csv --law hunt-crossley --mass 0.01 --stiffness 1e9 --mu "
              "0.5\n"
              "  carom score bounces.csv --law newton --restitution 0.8 --mass 1 --json\n"};
}

}  // namespace carom::cli
