#include <algorithm>
#include <ctime>
#include <hdf5.h>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/output/run.hpp>
#include <carom/sweep/sweep.hpp>

#include "example.hpp"

namespace carom {
namespace {

using support::read_file;
using support::SweepFolder;

std::string csv_of(const std::filesystem::path& folder) {
  export_csv(folder, folder / "results.csv");
  return read_file(folder / "results.csv");
}

TEST(Sweep, GivesTheSameBytesWithAnyNumberOfThreads) {
  const SweepFolder folder(support::small_grid());
  const SweepPlan plan = folder.plan();
  std::string expected;
  for (const int jobs : {1, 2, 5}) {
    const auto out = folder / ("out" + std::to_string(jobs));
    const SweepReport report = run_sweep(plan, {.out = out, .jobs = jobs});
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.progress.done, 30);
    const std::string csv = csv_of(out);
    if (jobs == 1) expected = csv;
    EXPECT_EQ(csv, expected);
  }
  EXPECT_EQ(std::count(expected.begin(), expected.end(), '\n'), 31);
}

TEST(Sweep, GivesWhatSingleRunsGive) {
  const SweepFolder folder(support::small_grid());
  const SweepPlan plan = folder.plan();
  const SweepTable table = sweep_in_memory(plan, {.jobs = 2});
  ASSERT_EQ(table.rows.size(), 30u);
  EXPECT_EQ(table.names, (std::vector<std::string>{"run", "contact.restitution", "body.speed",
                                                   "energy.dissipated", "results.impacts.last.time",
                                                   "status", "error"}));
  for (const std::size_t i : {std::size_t{0}, std::size_t{17}, std::size_t{29}}) {
    const auto values = plan.values(static_cast<std::int64_t>(i) + 1);
    const std::vector<Override> overrides{
        {"contact.restitution", number_text(values[0].get<double>())},
        {"body.speed", number_text(values[1].get<double>())}};
    const RecordedRun run = run_in_memory(load_scenario(folder / "bounce.toml", overrides));
    EXPECT_EQ(std::get<double>(table.rows[i][3]),
              run.summary["energy"]["dissipated"].get<double>());
  }
  run_sweep(plan, {.out = folder / "out", .jobs = 1});
  const SweepTable stored = read_table(folder / "out");
  EXPECT_EQ(stored.names, table.names);
  EXPECT_EQ(stored.rows, table.rows);
}

TEST(Sweep, GoesOnWhereItStopped) {
  const SweepFolder folder(support::small_grid());
  const SweepPlan plan = folder.plan();
  run_sweep(plan, {.out = folder / "whole", .jobs = 1});
  {
    SweepStore store(folder / "out", plan, {}, false);
    for (const std::int64_t run : {3, 4, 29}) store.write(*run_one(plan, run), "x");
    store.write({.run = 7, .error = "it broke", .cells = {Cell{}, Cell{}}}, "x");
  }
  const SweepReport rest = run_sweep(plan, {.out = folder / "out", .jobs = 2, .resume = true});
  EXPECT_EQ(rest.progress.ran, 26);
  EXPECT_EQ(rest.progress.failed, 1);
  EXPECT_TRUE(rest.complete());
  const SweepReport again =
      run_sweep(plan, {.out = folder / "out", .jobs = 1, .retry_failed = true});
  EXPECT_EQ(again.progress.ran, 1);
  EXPECT_EQ(again.progress.failed, 0);
  EXPECT_EQ(csv_of(folder / "out"), csv_of(folder / "whole"));
}

TEST(Sweep, InterruptedWhileItIsCheckedWritesNothing) {
  const SweepFolder folder(support::small_grid());
  std::atomic<bool> stop{true};
  EXPECT_THROW(run_sweep(folder.plan(), {.out = folder / "out", .jobs = 1, .interrupt = &stop}),
               Interrupted);
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(Sweep, RefusesAnUnknownColumnAndLeavesNothingBehind) {
  const SweepFolder folder(
      "[grid]\n\"body.speed\" = [1, 2]\n[results]\ncolumns = [\"energy.disipated\"]\n");
  const SweepPlan plan = folder.plan();
  try {
    run_sweep(plan, {.out = folder / "out", .jobs = 2});
    FAIL() << "a column that does not exist was accepted";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'energy.dissipated'"), std::string::npos)
        << error.what();
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(Sweep, RecordsAFailureWithItsReasonAndGoesOn) {
  // Paoli-Schatzman is explicit: at the second step length the bar blows up.
  const SweepFolder folder(
      "[grid]\n\"run.step\" = [1e-6, 1e-4, 5e-7]\n"
      "[results]\ncolumns = [\"results.impacts\"]\n",
      "kind = \"bar\"\n[bar]\nsegments = 3\nangle = 80\n[contact]\nrestitution = 0.5\n[run]\n"
      "method = \"paoli-schatzman\"\nduration = 1e-2\n[output]\nevery = 1000\n");
  const SweepPlan plan = folder.plan();
  const SweepReport report = run_sweep(plan, {.out = folder / "out", .jobs = 1});
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.progress.done, 2);
  EXPECT_EQ(report.progress.failed, 1);
  const SweepTable table = read_table(folder / "out");
  EXPECT_EQ(table.rows[1][3], Cell{std::string("failed")});
  EXPECT_NE(std::get<std::string>(table.rows[1][4]).find("blew up"), std::string::npos);
  EXPECT_EQ(run_sweep(plan, {.out = folder / "out", .jobs = 1, .retry_failed = true}).progress.ran,
            1);
}

TEST(Sweep, DoesItsShareOnly) {
  const SweepFolder folder(support::small_grid());
  const SweepPlan plan = folder.plan();
  run_sweep(plan, {.out = folder / "whole", .jobs = 1});
  for (std::int64_t part = 1; part <= 4; ++part) {
    const SweepReport report =
        run_sweep(plan, {.out = folder / "out", .jobs = 1, .part = {part, 4}});
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.progress.total, part <= 2 ? 8 : 7);
  }
  merge_parts(folder / "out");
  EXPECT_EQ(csv_of(folder / "out"), csv_of(folder / "whole"));
}

TEST(Sweep, KeepsChosenSignalsAndWritesThemAsHdf5) {
  const SweepFolder folder(
      "[grid]\n\"body.speed\" = [1, 2]\n[results]\ncolumns = [\"energy.dissipated\"]\n"
      "signals = [\"height\"]\n");
  const SweepPlan plan = folder.plan();
  run_sweep(plan, {.out = folder / "out", .jobs = 2});
  export_hdf5(folder / "out", folder / "signals.h5");
  const RecordedRun run = run_in_memory(plan.scenario(2));
  const hid_t file = H5Fopen((folder / "signals.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const hid_t set = H5Dopen2(file, "run_0000002/height", H5P_DEFAULT);
  ASSERT_GE(set, 0);
  std::vector<double> height(run.time.size());
  const hid_t space = H5Dget_space(set);
  EXPECT_EQ(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)), height.size());
  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, height.data());
  EXPECT_EQ(height, run.column("height"));
  H5Sclose(space);
  H5Dclose(set);
  H5Fclose(file);
}

/// All of checking, running and storing. CPU time of the process, so that others do not count.
TEST(Sweep, CostsLessThanAMillisecondARunBesideTheRun) {
  const SweepFolder folder(
      std::string("[grid]\n\"body.speed\" = { from = 1, to = 2, count = 10000 }\n"
                  "[set]\n\"run.impacts\" = 1\n\"run.rate\" = 10\n") +
      support::bounce_columns);
  const SweepPlan plan = folder.plan();
  const std::clock_t begin = std::clock();
  EXPECT_TRUE(run_sweep(plan, {.out = folder / "out", .jobs = 2}).complete());
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds / 10000, 1e-3);
}

TEST(Sweep, EstimatesFromAFewRunsWithoutAStore) {
  const SweepFolder folder(support::small_grid());
  const SweepEstimate expected = estimate(folder.plan(), 5);
  EXPECT_GT(expected.seconds_per_run, 0);
  EXPECT_NE(std::find(expected.results.begin(), expected.results.end(), "results.impacts.1.time"),
            expected.results.end());
}

}  // namespace
}  // namespace carom
