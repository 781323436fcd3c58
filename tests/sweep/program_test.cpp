#include <chrono>
#include <random>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/sweep/store.hpp>

#include "example.hpp"

namespace carom {
namespace {

using support::Process;
using support::read_file;
using support::SweepFolder;
using support::TemporaryFolder;

support::Finished sweep(const SweepFolder& folder, std::vector<std::string> more) {
  std::vector<std::string> arguments{CAROM_PROGRAM, "sweep", "sweep.toml", "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return support::run(arguments, folder.path(), 120);
}

TEST(SweepProgram, KilledTwentyTimesLosesNothingAndRepeatsNothing) {
  using Clock = std::chrono::steady_clock;
  const SweepFolder folder(support::many_runs());
  const auto begin = Clock::now();
  ASSERT_EQ(sweep(folder, {"--out", "whole", "--csv", "--jobs", "2"}).exit_code, 0);
  const std::chrono::duration<double> whole_sweep = Clock::now() - begin;
  const std::string expected = read_file(folder / "whole/results.csv");
  const auto all = read_table(folder / "whole").rows;
  std::mt19937 random(20);
  std::uniform_real_distribution<double> moment(0, 1);
  int kills = 0, midway = 0, finished = 0;
  while (kills < 20 || midway < 5) {
    ASSERT_LT(kills + finished, 150) << "too few kills meet a sweep at work";
    const TemporaryFolder scratch;
    Process process({CAROM_PROGRAM, "sweep", "sweep.toml", "--resume", "--out", "out", "--jobs",
                     "2", "--quiet"},
                    folder.path(), scratch.path());
    const auto until = Clock::now() + moment(random) * whole_sweep;
    while (process.running() && Clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    process.send(SIGKILL);
    const int code = process.wait(60).exit_code;
    if (code == -SIGKILL) {
      ++kills;
      if (!std::filesystem::exists(folder / "out/sweep.sqlite")) continue;
      // Whatever the moment, the store can be read, no run is there twice and none is wrong.
      const auto integrity = support::run(
          {"sqlite3", (folder / "out/sweep.sqlite").string(), "PRAGMA integrity_check"},
          folder.path());
      if (integrity.exit_code != 127) {
        EXPECT_EQ(integrity.out, "ok\n");
      }
      std::vector<std::vector<Cell>> rows;
      try {
        rows = read_table(folder / "out").rows;
      } catch (const InvalidInput&) {
        continue;  // killed before it had made its tables
      }
      for (const auto& row : rows) {
        EXPECT_TRUE(row == all[static_cast<std::size_t>(std::get<std::int64_t>(row[0])) - 1]);
      }
      if (!rows.empty() && rows.size() < all.size()) ++midway;
    } else {
      ASSERT_EQ(code, 0);
      ++finished;
      ASSERT_EQ(sweep(folder, {"--resume", "--out", "out", "--csv"}).exit_code, 0);
      EXPECT_EQ(read_file(folder / "out/results.csv"), expected);
      std::filesystem::remove_all(folder / "out");
    }
  }
  ASSERT_EQ(sweep(folder, {"--resume", "--out", "out", "--csv", "--jobs", "1"}).exit_code, 0);
  EXPECT_EQ(read_file(folder / "out/results.csv"), expected);
  EXPECT_TRUE(read_table(folder / "out").rows == all);
}

TEST(SweepProgram, InterruptedExitsWith130AndResumes) {
  const SweepFolder folder(support::many_runs());
  const TemporaryFolder scratch;
  Process process({CAROM_PROGRAM, "sweep", "sweep.toml", "--out", "out", "--jobs", "1"},
                  folder.path(), scratch.path());
  while (process.running() && !std::filesystem::exists(folder / "out/sweep.sqlite")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  process.send(SIGINT);
  const auto stopped = process.wait(60);
  EXPECT_EQ(stopped.exit_code, 130) << stopped.err;
  EXPECT_NE(stopped.err.find("--resume"), std::string::npos) << stopped.err;
  const auto before = read_table(folder / "out").rows.size();
  EXPECT_LT(before, 100u);
  EXPECT_EQ(sweep(folder, {"--out", "out"}).exit_code, 2);  // not without --resume
  EXPECT_EQ(sweep(folder, {"--out", "out", "--resume"}).exit_code, 0);
  EXPECT_EQ(read_table(folder / "out").rows.size(), 100u);
}

TEST(SweepProgram, RetryFailedRunsTheFailuresAndWhatIsMissing) {
  const SweepFolder folder(support::small_grid());
  ASSERT_EQ(sweep(folder, {"--out", "whole", "--csv"}).exit_code, 0);
  {
    const SweepPlan plan = folder.plan();
    SweepStore store(folder / "out", plan, {}, false);
    store.write(*run_one(plan, 3), "x");
    store.write({.run = 7, .error = "the disk was full", .cells = {Cell{}, Cell{}}}, "x");
  }
  // --resume leaves the failure alone and says so in its exit code.
  const auto resumed = sweep(folder, {"--out", "out", "--resume", "--csv"});
  EXPECT_EQ(resumed.exit_code, 1) << resumed.err;
  EXPECT_NE(read_file(folder / "out/results.csv").find("the disk was full"), std::string::npos);
  EXPECT_EQ(sweep(folder, {"--out", "out", "--retry-failed", "--csv"}).exit_code, 0);
  EXPECT_EQ(read_file(folder / "out/results.csv"), read_file(folder / "whole/results.csv"));
}

TEST(SweepProgram, MaxFailuresStopsTheSweepAndItCanGoOn) {
  // Paoli-Schatzman is explicit: at the longer steps the bar blows up.
  const SweepFolder folder(
      "[grid]\n\"run.step\" = [1e-6, 1e-4, 1.1e-4, 1.2e-4, 1.3e-4, 5e-7]\n"
      "[results]\ncolumns = [\"results.impacts\"]\n",
      "kind = \"bar\"\n[bar]\nsegments = 3\nangle = 80\n[contact]\nrestitution = 0.5\n[run]\n"
      "method = \"paoli-schatzman\"\nduration = 1e-2\n[output]\nevery = 1000\n");
  const auto stopped = sweep(folder, {"--out", "out", "--jobs", "1", "--max-failures", "2"});
  EXPECT_EQ(stopped.exit_code, 1) << stopped.err;
  EXPECT_NE(stopped.err.find("stopped after 2 failures"), std::string::npos) << stopped.err;
  EXPECT_EQ(read_table(folder / "out").rows.size(), 3u);
  // Two failures are in the store already: they do not count again.
  const auto resumed =
      sweep(folder, {"--out", "out", "--jobs", "1", "--max-failures", "9", "--resume", "--csv"});
  EXPECT_EQ(resumed.exit_code, 1) << resumed.err;
  const std::string csv = read_file(folder / "out/results.csv");
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 7);
  ASSERT_EQ(sweep(folder, {"--out", "whole", "--csv"}).exit_code, 1);
  EXPECT_EQ(csv, read_file(folder / "whole/results.csv"));
}

TEST(SweepProgram, RefusesBadInputInOneLine) {
  const SweepFolder folder(support::small_grid());
  const std::vector<std::vector<std::string>> cases{
      {"--jobs", "0"},        {"--part", "3/2"},          {"--part", "x"}, {"--max-failures", "0"},
      {"--format", "matlab"}, {"--out", "/proc/nowhere"}, {"somewhere"},   {"--rows"}};
  for (const auto& more : cases) {
    const auto result = sweep(folder, more);
    EXPECT_EQ(result.exit_code, 2) << more[0] << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  EXPECT_EQ(support::run({CAROM_PROGRAM, "sweep", "nowhere.toml"}, folder.path()).exit_code, 2);
  EXPECT_EQ(support::run({CAROM_PROGRAM, "sweep", "show", "nowhere"}, folder.path()).exit_code, 2);
  EXPECT_EQ(support::run({CAROM_PROGRAM, "sweep", "."}, folder.path()).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "sweep-out"));
}

TEST(SweepProgram, ShowsTablesMarginalsAndPlots) {
  const SweepFolder folder(support::small_grid());
  ASSERT_EQ(sweep(folder, {}).exit_code, 0);
  const auto show = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{CAROM_PROGRAM, "sweep", "show", "sweep-out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = support::run(arguments, folder.path());
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  };
  EXPECT_NE(show({}).find("30 runs: 30 done, 0 failed, 0 missing"), std::string::npos);
  EXPECT_EQ(show({"--csv"}).substr(0, 4), "run,");
  const Json document = parse_json(show({"--json", "--rows", "3"}));
  EXPECT_EQ(document["rows"].size(), 3u);
  EXPECT_EQ(document["done"], 30);
  const Json rows = parse_json(show({"--by", "body.speed", "--json"}))["rows"];
  EXPECT_EQ(rows.size(), 3u);
  EXPECT_NE(show({"--by", "body.speed", "--plot", "text"}).find('*'), std::string::npos);
  show({"--by", "body.speed", "--by", "contact.restitution", "--plot", "map.svg"});
  EXPECT_NE(read_file(folder / "map.svg").find("<svg"), std::string::npos);
}

TEST(SweepProgram, DryRunSaysTheSizeAndWritesNothing) {
  const SweepFolder folder(support::small_grid());
  const auto result = sweep(folder, {"--dry-run", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json document = parse_json(result.out);
  EXPECT_EQ(document["runs"], 30);
  EXPECT_GT(document["estimated_seconds"].get<double>(), 0);
  EXPECT_FALSE(std::filesystem::exists(folder / "sweep-out"));
}

}  // namespace
}  // namespace carom
