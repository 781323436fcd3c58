#pragma once

#include <string>

#include <carom/sweep/plan.hpp>

#include "process.hpp"

namespace support {

/// A scenario that takes no time at all.
inline constexpr const char* bounce_text =
    "kind = \"bounce\"\n"
    "[body]\nmass = 0.01\nspeed = 1\n"
    "[contact]\nlaw = \"newton\"\nrestitution = 0.5\n"
    "[run]\nrate = 1000\nimpacts = 4\n";

inline constexpr const char* bounce_columns =
    "[results]\ncolumns = [\"energy.dissipated\", \"results.impacts.last.time\"]\n";

/// A folder with bounce.toml and sweep.toml; `rest` is what follows `scenario = ...`.
class SweepFolder : public TemporaryFolder {
 public:
  explicit SweepFolder(const std::string& rest, const std::string& scenario = bounce_text) {
    write("bounce.toml", scenario);
    sweep(rest);
  }
  void sweep(const std::string& rest) const {
    write("sweep.toml", "scenario = \"bounce.toml\"\n" + rest);
  }
  carom::SweepPlan plan() const { return carom::load_plan(path() / "sweep.toml"); }
};

/// 10 x 3 runs.
inline std::string small_grid() {
  std::string text =
      "[grid]\n\"contact.restitution\" = { from = 0.05, to = 0.5, step = 0.05 }\n"
      "\"body.speed\" = [0.5, 1, 2]\n";
  return text.append(bounce_columns);
}

/// 100 runs of some ten milliseconds each: the store commits four times a second, and kills are to
/// meet it between its commits.
inline std::string many_runs() {
  std::string text =
      "[grid]\n\"contact.restitution\" = { from = 0.05, to = 0.95, count = 10 }\n"
      "\"body.speed\" = { from = 1, to = 2, count = 10 }\n"
      "[set]\n\"run.rate\" = 400000\n\"run.impacts\" = 6\n";
  return text.append(bounce_columns);
}

}  // namespace support
