#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/output/run.hpp>
#include <carom/sweep/record.hpp>

#include "example.hpp"

namespace carom {
namespace {

const Json summary{
    {"status", "done"},
    {"results", {{"impacts", {{{"time", 1.5}}, {{"time", 2.5}}}}, {"count", 7}, {"none", nullptr}}},
    {"passive", true}};

TEST(Record, FindsResultsByTheirPath) {
  EXPECT_EQ(look_up(summary, {"results.impacts.2.time"}), 2.5);
  EXPECT_EQ(look_up(summary, {"results.impacts.last.time"}), 2.5);
  EXPECT_EQ(look_up(summary, {"results.impacts.count"}), 2);
  EXPECT_EQ(look_up(summary, {"results.count"}), 7);
  EXPECT_TRUE(look_up(summary, {"results.impacts.3.time"}).is_null());
  EXPECT_TRUE(look_up(summary, {"results.none"}).is_null());
  EXPECT_TRUE(look_up(summary, {"results.nothing", true}).is_null());
}

TEST(Record, RefusesAPathThatIsNotThere) {
  for (const char* path : {"result.count", "results.cuont", "results.count.x", "results.impacts.x",
                           "results.impacts.0x.time", "status.1"}) {
    EXPECT_THROW(look_up(summary, {path}), InvalidInput) << path;
  }
  try {
    look_up(summary, {"results.cuont"});
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'results.count'"), std::string::npos);
  }
}

TEST(Record, SurvivesItsJourneyBitByBit) {
  RunRecord record{.run = 42,
                   .error = "why, \"so\"\n",
                   .seconds = 0.125,
                   .unknown_column = true,
                   .cells = {Cell{}, Cell{std::int64_t{-3}}, Cell{0.1}, Cell{-0.0}, Cell{INFINITY},
                             Cell{std::string("a\0b", 3)}},
                   .signals = {{1, 2, 3}, {}},
                   .units = {"m/s"}};
  const auto back = unpack(pack({record, RunRecord{.run = 43}}));
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].run, 42);
  EXPECT_EQ(back[0].error, record.error);
  EXPECT_EQ(back[0].seconds, record.seconds);
  EXPECT_EQ(back[0].unknown_column, true);
  EXPECT_EQ(back[0].cells, record.cells);
  EXPECT_TRUE(std::signbit(std::get<double>(back[0].cells[3])));
  EXPECT_EQ(back[0].signals, record.signals);
  EXPECT_EQ(back[0].units, record.units);
  EXPECT_EQ(back[1].run, 43);
}

TEST(Record, CutShortIsRefusedNotRead) {
  const std::string bytes = pack({RunRecord{.run = 1, .error = "x", .cells = {Cell{1.0}}}});
  for (std::size_t size = 1; size < bytes.size(); ++size) {
    EXPECT_THROW(unpack(std::string_view(bytes).substr(0, size)), std::runtime_error) << size;
  }
}

TEST(Record, OfARunHasWhatTheSummaryHas) {
  const support::SweepFolder folder(support::small_grid());
  const SweepPlan plan = folder.plan();
  const auto record = run_one(plan, 8);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->error, "");
  const Json alone = run_in_memory(plan.scenario(8)).summary;
  EXPECT_EQ(record->cells[0], Cell{alone["energy"]["dissipated"].get<double>()});
  EXPECT_EQ(record->cells[1], Cell{alone["results"]["impacts"].back()["time"].get<double>()});
}

TEST(Record, IsNotMadeOfAnInterruptedRun) {
  const support::SweepFolder folder(support::small_grid());
  const SweepPlan plan = folder.plan();
  const std::atomic<bool> stop{true};
  EXPECT_FALSE(run_one(plan, 1, &stop));
}

}  // namespace
}  // namespace carom
