#include <sqlite3.h>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/sweep/store.hpp>

#include "example.hpp"
#include "sqlite.hpp"

namespace carom {
namespace {

class Store : public ::testing::Test {
 protected:
  RunRecord record(std::int64_t run, const std::string& error = {}) const {
    return {.run = run, .error = error, .cells = {Cell{0.1 * static_cast<double>(run)}, Cell{}}};
  }
  support::SweepFolder folder_{support::small_grid()};
  SweepPlan plan_ = folder_.plan();
};

TEST_F(Store, KnowsWhatIsMissingAfterItWasClosed) {
  {
    SweepStore store(folder_ / "out", plan_, {}, false);
    EXPECT_EQ(store.missing(false).size(), 30u);
    for (std::int64_t run = 1; run <= 28; ++run)
      store.write(record(run, run == 5 ? "bad" : ""), "x");
    store.commit();
  }
  SweepStore store(folder_ / "out", plan_, {}, true);
  EXPECT_EQ(store.done(), 27);
  EXPECT_EQ(store.failed(), 1);
  EXPECT_EQ(store.missing(false), (std::vector<std::int64_t>{29, 30}));
  EXPECT_EQ(store.missing(true), (std::vector<std::int64_t>{5, 29, 30}));
  store.write(record(5), "x");
  EXPECT_EQ(store.done(), 28);
  EXPECT_EQ(store.failed(), 0);
  store.commit();
  Database database(folder_ / "out/sweep.sqlite", Database::Mode::read);
  Statement attempts = database.prepare("SELECT attempts FROM costs WHERE run = 5");
  ASSERT_TRUE(attempts.step());
  EXPECT_EQ(attempts.whole(0), 2);
}

TEST_F(Store, RefusesToMixPlans) {
  { SweepStore store(folder_ / "out", plan_, {}, false); }
  EXPECT_THROW(SweepStore(folder_ / "out", plan_, {}, false), InvalidInput);  // without --resume
  folder_.sweep(std::string("[grid]\n\"body.speed\" = [1]\n") + support::bounce_columns);
  const SweepPlan other = folder_.plan();
  try {
    SweepStore(folder_ / "out", other, {}, true);
    FAIL() << "another plan was accepted";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("another plan"), std::string::npos);
  }
  EXPECT_THROW(SweepStore(folder_ / "out", plan_, {.index = 1, .of = 2}, true), InvalidInput);
}

TEST_F(Store, HasOneWriter) {
  const SweepStore first(folder_ / "out", plan_, {}, false);
  EXPECT_THROW(SweepStore(folder_ / "out", plan_, {}, true), InvalidInput);
}

TEST_F(Store, CanBeReadWhileItIsWritten) {
  SweepStore store(folder_ / "out", plan_, {}, false);
  store.write(record(1), "x");
  store.commit();
  store.write(record(2), "x");
  EXPECT_EQ(read_table(folder_ / "out").rows.size(), 1u);  // what is committed
  store.commit();
  EXPECT_EQ(read_table(folder_ / "out").rows.size(), 2u);
}

TEST_F(Store, ThatIsNoStoreIsRefused) {
  std::filesystem::create_directories(folder_ / "out");
  folder_.write("out/sweep.sqlite",
                "this is a text of more than a hundred letters, so that nobody "
                "could take it for an empty file or for a database of any kind");
  EXPECT_THROW(SweepStore(folder_ / "out", plan_, {}, true), InvalidInput);
  EXPECT_THROW(read_table(folder_ / "out"), InvalidInput);
  EXPECT_THROW(read_table(folder_ / "nowhere"), InvalidInput);
}

TEST_F(Store, LeftEmptyByAKillIsTakenForNew) {
  std::filesystem::create_directories(folder_ / "out");
  folder_.write("out/sweep.sqlite", "");
  SweepStore store(folder_ / "out", plan_, {}, false);
  EXPECT_EQ(store.missing(false).size(), 30u);
}

TEST_F(Store, HoldsTextsOfPlanAndScenarioAndUnits) {
  { SweepStore store(folder_ / "out", plan_, {}, false); }
  Database database(folder_ / "out/sweep.sqlite", Database::Mode::read);
  Statement mode = database.prepare("PRAGMA journal_mode");
  ASSERT_TRUE(mode.step());
  EXPECT_EQ(mode.text(0), "wal");
  Statement text = database.prepare("SELECT value FROM meta WHERE key = 'scenario_text'");
  ASSERT_TRUE(text.step());
  EXPECT_EQ(text.text(0), support::bounce_text);
  Statement unit = database.prepare("SELECT unit FROM columns WHERE name = 'body.speed'");
  ASSERT_TRUE(unit.step());
  EXPECT_EQ(unit.text(0), "m/s");
}

TEST_F(Store, PartsAreMergedIntoTheWhole) {
  for (std::int64_t part = 1; part <= 3; ++part) {
    const SweepPart share{part, 3};
    SweepStore store(part_folder(folder_ / "out", share), plan_, share, false);
    for (const std::int64_t run : store.missing(false)) store.write(record(run), "x");
  }
  EXPECT_EQ(merge_parts(folder_ / "out"), (std::pair<std::int64_t, std::int64_t>{30, 30}));
  const SweepTable table = read_table(folder_ / "out");
  ASSERT_EQ(table.rows.size(), 30u);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(table.rows[i][0], Cell{static_cast<std::int64_t>(i + 1)});
  }
  SweepStore whole(folder_ / "out", plan_, {}, true);
  EXPECT_TRUE(whole.missing(true).empty());
}

/// SQL of a part is never executed: its tables are made from the program's own schema.
TEST_F(Store, MergingExecutesNothingThatAPartSays) {
  for (int index : {1, 2}) {
    SweepStore store(part_folder(folder_ / "out", {index, 2}), plan_, {index, 2}, false);
    for (std::int64_t run = index; run <= 30; run += 2) store.write(record(run), "x");
    store.commit();
  }
  const auto part = folder_ / "out/part-1-of-2/sweep.sqlite";
  const std::string written = (folder_ / "written.sqlite").string();
  {
    // As a forger would: with the means that a Database of carom does not offer.
    sqlite3* forger = nullptr;
    ASSERT_EQ(sqlite3_open(part.c_str(), &forger), SQLITE_OK);
    const std::string sql =
        "PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = sql || '; ATTACH ''" + written +
        "'' AS x; CREATE TABLE x.t (a)' WHERE name = 'meta'; "
        "CREATE TRIGGER bad AFTER INSERT ON results BEGIN DELETE FROM meta; END;"
        "CREATE VIEW extra AS SELECT 1;";
    ASSERT_EQ(sqlite3_exec(forger, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(forger);
    sqlite3_close(forger);
  }
  try {
    EXPECT_EQ(merge_parts(folder_ / "out").first, 30);
    Database merged(folder_ / "out/sweep.sqlite", Database::Mode::read);
    Statement foreign = merged.prepare(
        "SELECT count(*) FROM sqlite_master WHERE type IN ('trigger', 'view') OR sql LIKE "
        "'%ATTACH%'");
    ASSERT_TRUE(foreign.step());
    EXPECT_EQ(foreign.whole(0), 0);
  } catch (const InvalidInput&) {
    // A schema that SQLite itself finds malformed may be refused as well.
  }
  EXPECT_FALSE(std::filesystem::exists(written));
}

TEST_F(Store, PartsThatSayNonsenseAreRefused) {
  const std::vector<std::string> attacks{
      "DELETE FROM meta WHERE key = 'format'",
      "UPDATE meta SET value = 'many' WHERE key = 'runs'",
      "UPDATE meta SET value = '-3' WHERE key = 'runs'",
      "DELETE FROM columns",
      "UPDATE columns SET name = 'nowhere' WHERE position = 1",
      "DROP TABLE results",
      "DROP TABLE meta; CREATE VIEW meta AS SELECT 'format' AS key, 'carom-sweep-1' AS value"};
  for (std::size_t i = 0; i < attacks.size(); ++i) {
    const auto out = folder_ / ("out" + std::to_string(i));
    { SweepStore store(part_folder(out, {1, 2}), plan_, {1, 2}, false); }
    sqlite3* forger = nullptr;
    ASSERT_EQ(sqlite3_open((out / "part-1-of-2/sweep.sqlite").c_str(), &forger), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(forger, attacks[i].c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(forger);
    EXPECT_THROW(merge_parts(out), InvalidInput) << attacks[i];
    EXPECT_FALSE(std::filesystem::exists(out / "sweep.sqlite"));
  }
}

}  // namespace
}  // namespace carom
