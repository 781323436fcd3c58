#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include <carom/sweep/store.hpp>

#include "example.hpp"

namespace carom {
namespace {

using support::Process;
using support::read_file;
using support::SweepFolder;
using support::TemporaryFolder;

std::vector<std::string> mpirun(int ranks, std::vector<std::string> more) {
  std::vector<std::string> arguments{
      "mpirun", "-n", std::to_string(ranks), CAROM_PROGRAM, "sweep", "sweep.toml", "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// The ranks that mpirun has started: its descendants that run carom.
std::vector<pid_t> ranks_of(pid_t mpirun_id) {
  std::vector<pid_t> ranks;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != name.npos) continue;
    const std::string stat = read_file(entry.path() / "stat");
    const std::size_t close = stat.rfind(')');
    if (close == stat.npos || stat.find("(carom)") == stat.npos) continue;
    if (std::stoi(stat.substr(close + 4)) == mpirun_id) ranks.push_back(std::stoi(name));
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

class Ranks : public ::testing::Test {
 protected:
  void SetUp() override {
#ifndef CAROM_HAS_MPI
    GTEST_SKIP() << "built without MPI, which is optional; CI=1 ./run test installs it";
#endif
    if (support::run({"mpirun", "--version"}, folder_.path()).exit_code != 0) {
      GTEST_SKIP() << "mpirun is not installed";
    }
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 1);
    setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 1);
    // When a rank ends badly mpirun waits this long before it kills the others [s].
    setenv("OMPI_MCA_odls_base_sigkill_timeout", "0", 1);
  }
  std::string whole() {
    const auto result = support::run(
        {CAROM_PROGRAM, "sweep", "sweep.toml", "--quiet", "--out", "whole", "--csv", "--jobs", "2"},
        folder_.path(), 120);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return read_file(folder_ / "whole/results.csv");
  }
  SweepFolder folder_{support::many_runs()};
};

TEST_F(Ranks, OneTwoAndFourGiveTheSameBytesAsThreads) {
  const std::string expected = whole();
  for (const int ranks : {1, 2, 4}) {
    const std::string out = "out" + std::to_string(ranks);
    const auto result = support::run(mpirun(ranks, {"--out", out, "--csv"}), folder_.path(), 120);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(read_file(folder_ / (out + "/results.csv")), expected) << ranks;
  }
  const auto hybrid =
      support::run(mpirun(2, {"--out", "hybrid", "--csv", "--jobs", "2"}), folder_.path(), 120);
  ASSERT_EQ(hybrid.exit_code, 0) << hybrid.err;
  EXPECT_EQ(read_file(folder_ / "hybrid/results.csv"), expected);
}

/// The rows of a store that is being written; none before there is one.
std::vector<std::vector<Cell>> rows_now(const std::filesystem::path& folder) {
  if (!std::filesystem::exists(folder / "sweep.sqlite")) return {};
  try {
    return read_table(folder).rows;
  } catch (const InvalidInput&) {
    return {};  // the tables are just being made
  }
}

// Each kill hits rank 0, 1 or 2 in the midst of its work; what had been committed is there
// afterwards, with the right bits, and the sweep goes on from there.
TEST_F(Ranks, AnyOfThreeKilledLosesNothing) {
  const std::string expected = whole();
  const auto all = read_table(folder_ / "whole").rows;
  std::mt19937 random(3);
  std::size_t committed = 0;
  int kills = 0, attempts = 0;
  while (kills < 4) {
    ASSERT_LT(++attempts, 16) << "the sweep always ends before a rank can be killed";
    const TemporaryFolder scratch;
    Process process(mpirun(3, {"--out", "out", "--resume"}), folder_.path(), scratch.path());
    // Until it has committed some runs of its own.
    while (process.running() && rows_now(folder_ / "out").size() <= committed) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 40));
    const std::vector<pid_t> ranks = ranks_of(process.id());
    const std::size_t before = rows_now(folder_ / "out").size();
    const bool at_work = ranks.size() == 3 && before > committed && before < all.size();
    if (at_work) kill(ranks[static_cast<std::size_t>(kills % 3)], SIGKILL);
    const int code = process.wait(60).exit_code;
    const auto after = rows_now(folder_ / "out");
    if (!at_work || after.size() == all.size()) {  // it was too quick: from the beginning
      EXPECT_TRUE(after == all);
      std::filesystem::remove_all(folder_ / "out");
      committed = 0;
      continue;
    }
    ++kills;
    EXPECT_NE(code, 0);
    EXPECT_GE(after.size(), before);
    for (const auto& row : after) {
      const auto run = static_cast<std::size_t>(std::get<std::int64_t>(row[0]));
      EXPECT_TRUE(row == all[run - 1]) << run;
    }
    committed = after.size();
    if (kills % 2 == 0) {  // to the end, with another number of ranks
      const auto rest = support::run(mpirun(1 + kills / 2, {"--out", "out", "--resume", "--csv"}),
                                     folder_.path(), 120);
      ASSERT_EQ(rest.exit_code, 0) << rest.err;
      EXPECT_EQ(read_file(folder_ / "out/results.csv"), expected);
      std::filesystem::remove_all(folder_ / "out");
      committed = 0;
    }
  }
}

TEST_F(Ranks, BadInputIsSaidOnceAndEndsAllOfThem) {
  folder_.sweep("[grid]\n\"body.speed\" = [1, -1]\n" + std::string(support::bounce_columns));
  const auto result = support::run(mpirun(3, {"--out", "out"}), folder_.path(), 60);
  EXPECT_EQ(result.exit_code, 2) << result.err;
  EXPECT_NE(result.err.find("body.speed = -1"), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("body.speed = -1"), result.err.rfind("body.speed = -1")) << result.err;
  folder_.sweep("[grid\n");
  const auto syntax = support::run(mpirun(3, {"--out", "out"}), folder_.path(), 60);
  EXPECT_EQ(syntax.exit_code, 2) << syntax.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

TEST_F(Ranks, WithoutThePlugInAreRefusedWithTheReason) {
  setenv("CAROM_MPI_PLUGIN", "/nowhere/carom_mpi.so", 1);
  const auto result = support::run(mpirun(2, {"--out", "out"}), folder_.path(), 60);
  unsetenv("CAROM_MPI_PLUGIN");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("without MPI"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out"));
}

}  // namespace
}  // namespace carom
