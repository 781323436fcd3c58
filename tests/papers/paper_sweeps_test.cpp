#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include <carom/sweep/sweep.hpp>

#include "data.hpp"

namespace carom {
namespace {

struct SweepFile {
  const char *paper, *name;
  std::int64_t runs;
  const char* few;  ///< a condition that leaves a handful of them
};

constexpr SweepFile sweep_files[] = {
    {"paoli2007", "fig5", 2 * 2 * 5 * 91, "bar.angle == 80 and contact.restitution == 0.5"},
    {"paoli2007", "fig5_dip", 2 * 2 * 5 * 21, "bar.angle == 70 and contact.restitution == 0.25"},
    {"paoli2007", "fig6", 5 * 91, "bar.angle == 88"},
    {"paoli2007", "fig8", 3 * 5 * 46, "bar.angle == 90 and excitation.phase >= 120"},
    {"paoli2007", "fig9", 2 * 5 * 46, "bar.angle == 80 and excitation.phase == 40"},
    {"poursina2020", "fig8", 27 * 300, "contact.restitution == 0.65"},
};

std::filesystem::path sweeps_of(const char* paper) {
  return std::filesystem::path(CAROM_SOURCE_DIR) / "papers" / paper / "sweeps";
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The files as `carom sweep` reads them: all of their runs are valid.
TEST(PaperSweeps, AreTheFiguresOfThePapers) {
  for (const SweepFile& each : sweep_files) {
    const SweepPlan plan = load_plan(sweeps_of(each.paper) / (std::string(each.name) + ".toml"));
    EXPECT_EQ(plan.size(), each.runs) << each.paper << " " << each.name;
    EXPECT_NO_THROW(validate(plan, 2)) << each.paper << " " << each.name;
  }
}

/// Thinned out, they run, and one thread gives the bits of two.
TEST(PaperSweeps, RunAndDoNotDependOnThreads) {
  for (const SweepFile& each : sweep_files) {
    const auto folder = sweeps_of(each.paper);
    const std::string sweep = text_of(folder / (std::string(each.name) + ".toml"));
    const char* scenario = std::string(each.paper) == "paoli2007" ? "bar.toml" : "impact.toml";
    const SweepPlan plan = read_plan(sweep, text_of(folder / scenario), {each.few});
    ASSERT_GE(plan.size(), 2) << each.name;
    SweepSettings settings;
    settings.jobs = 1;
    const SweepTable one = sweep_in_memory(plan, settings);
    settings.jobs = 2;
    const SweepTable two = sweep_in_memory(plan, settings);
    EXPECT_EQ(one.rows, two.rows) << each.name;
    for (const auto& row : one.rows) {
      EXPECT_EQ(std::get<std::string>(row[row.size() - 2]), "done") << each.name;
    }
  }
}

}  // namespace
}  // namespace carom
