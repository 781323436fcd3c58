#include <cmath>
#include <ctime>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/sweep/show.hpp>
#include <carom/sweep/sweep.hpp>

#include "example.hpp"
#include "sqlite.hpp"

namespace carom {
namespace {

class Show : public ::testing::Test {
 protected:
  Show() { run_sweep(folder_.plan(), {.out = folder_ / "out", .jobs = 1}); }
  support::SweepFolder folder_{support::small_grid()};
};

TEST_F(Show, OverviewCountsRunsAndSummarisesColumns) {
  const StoreOverview o = overview(folder_ / "out");
  EXPECT_EQ(o.runs, 30);
  EXPECT_EQ(o.done, 30);
  EXPECT_EQ(o.failed, 0);
  ASSERT_EQ(o.columns.size(), 4u);
  EXPECT_EQ(o.columns[1].name, "body.speed");
  EXPECT_EQ(o.columns[1].distinct, 3);
  EXPECT_NEAR(o.columns[1].numbers.mean, 3.5 / 3, 1e-15);
  EXPECT_EQ(o.columns[1].numbers.low, 0.5);
  EXPECT_EQ(o.columns[1].numbers.high, 2.0);
}

TEST_F(Show, MarginalIsTheMeanOverEverythingElse) {
  const Marginal m = marginal(folder_ / "out", {"body.speed"}, "energy.dissipated");
  ASSERT_EQ(m.rows.size(), 3u);
  const SweepTable table = read_table(folder_ / "out");
  for (const Marginal::Row& row : m.rows) {
    double sum = 0;
    for (const auto& cells : table.rows) {
      if (cells[2] == m.values[0][row.at[0]]) sum += std::get<double>(cells[3]);
    }
    EXPECT_EQ(row.of.count, 10);
    EXPECT_NEAR(row.of.mean, sum / 10, 1e-14 * sum);  // rounding of ten additions
  }
  EXPECT_EQ(marginal(folder_ / "out", {"body.speed", "contact.restitution"}, "energy.dissipated")
                .rows.size(),
            30u);
}

TEST_F(Show, ConditionChoosesRows) {
  const SweepRows rows = first_rows(folder_ / "out", 100, "body.speed == 2 and run > 20");
  ASSERT_EQ(rows.rows.size(), 4u);
  EXPECT_EQ(rows.rows[0][0], Cell{std::int64_t{21}});
  EXPECT_EQ(first_rows(folder_ / "out", 5).rows.size(), 5u);
}

TEST_F(Show, NamesTheNearestColumn) {
  try {
    marginal(folder_ / "out", {"body.sped"}, "energy.dissipated");
    FAIL() << "an unknown column was accepted";
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'body.speed'"), std::string::npos);
  }
}

TEST_F(Show, PlotsALineAndAHeatMap) {
  const Marginal line = marginal(folder_ / "out", {"contact.restitution"}, "energy.dissipated");
  const Marginal map =
      marginal(folder_ / "out", {"contact.restitution", "body.speed"}, "energy.dissipated");
  EXPECT_NE(text_plot(line).find('*'), std::string::npos);
  EXPECT_NE(text_plot(map).find("██"), std::string::npos);
  const Figure figure = figure_of(map);
  ASSERT_TRUE(figure.panels[0].heat_map);
  // 0.5, 1, 2 are evenly spaced as logarithms.
  EXPECT_EQ(figure.panels[0].y_label, "body.speed [m/s], log scale");
  ASSERT_EQ(figure.panels[0].y_marks.size(), 3u);
  EXPECT_EQ(figure.panels[0].y_marks[2].second, "2");
  EXPECT_TRUE(figure.panels[0].x_marks.empty());  // evenly spaced as they are
  EXPECT_EQ(figure.panels[0].heat_map->z.size(), 30u);
  EXPECT_NEAR(figure.panels[0].heat_map->z[0], 0.005 * 0.25, 1e-8);
  EXPECT_EQ(figure_of(line).panels[0].series.size(), 2u);
  EXPECT_EQ(figure_of(line).panels[0].y_label, "energy.dissipated [J]");
}

TEST(ShowPlot, NamesHaveNoOrderAndNumbersTheirOwnScale) {
  Marginal by_name, by_number, map;
  by_name.by = {"run.method"}, by_name.by_units = {""}, by_name.values.resize(1);
  by_number.by = {"body.speed"}, by_number.by_units = {"m/s"}, by_number.values.resize(1);
  const std::vector<double> speeds{0.1, 0.3, 0.4, 25};
  for (std::uint32_t i = 0; i < 4; ++i) {
    by_name.values[0].emplace_back("a-method-with-a-very-long-name-" + std::to_string(i));
    by_number.values[0].emplace_back(speeds[i]);
    Marginal::Row row{.at = {i, i}};
    row.of.add(i - 1.0);
    row.of.add(i + 1.0);
    by_name.rows.push_back(row);
  }
  by_number.rows = by_name.rows;
  const Panel names = figure_of(by_name).panels[0];
  EXPECT_EQ(names.x_label, "run.method");
  EXPECT_EQ(names.x_marks.size(), 4U);  // all of them
  EXPECT_TRUE(names.steep_x_marks);
  EXPECT_EQ(names.series[0].x.size(), 12U);  // four bars, apart
  EXPECT_EQ(names.series[1].style, Series::Style::points);
  const Panel numbers = figure_of(by_number).panels[0];
  EXPECT_EQ(numbers.x_label, "body.speed [m/s], log scale");
  EXPECT_TRUE(numbers.log_x && numbers.x_marks.empty());
  EXPECT_EQ(numbers.series[1].x, speeds);
  EXPECT_EQ(numbers.series[1].style, Series::Style::line_points);

  map.by = {"run.method", "body.speed"}, map.by_units = {"", "m/s"};
  map.values = {by_name.values[0], by_number.values[0]};
  map.rows = by_name.rows;
  EXPECT_FALSE(figure_of(map).panels[0].heat_map->contours);
}

TEST_F(Show, PlotsSectionsWithTheUnitsOfKeyAndSignal) {
  const support::SweepFolder folder(
      "[grid]\n\"body.speed\" = [1, 2]\n"
      "[results]\ncolumns = [\"energy.dissipated\"]\nsignals = [\"velocity\"]\nsection = { period "
      "= 0.01 }\n");
  const SweepPlan plan = folder.plan();
  {
    SweepStore store(folder / "out", plan, {}, false);
    for (std::int64_t run = 1; run <= plan.size(); ++run) store.write(*run_one(plan, run), "");
    store.commit();
  }
  const SectionPoints points = section_points(folder / "out", "body.speed", "velocity");
  EXPECT_GT(points.x.size(), 10u);
  const Figure figure = figure_of(points);
  EXPECT_EQ(figure.panels[0].x_label, "body.speed [m/s]");
  EXPECT_EQ(figure.panels[0].y_label, "velocity [m/s]");
}

/// CPU time, so that a busy machine does not decide.
TEST(ShowLarge, AnswersFromAMillionRowsWithinTwoSeconds) {
  const support::SweepFolder folder(
      std::string("[grid]\n\"contact.restitution\" = { from = 0, to = 1, count = 1000 }\n"
                  "\"body.speed\" = { from = 1, to = 2, count = 1000 }\n") +
      support::bounce_columns);
  {
    const SweepPlan plan = folder.plan();
    SweepStore store(folder / "out", plan, {}, false);
  }
  {
    Database database(folder / "out/sweep.sqlite", Database::Mode::write);
    database.execute(
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 1000000) INSERT "
        "INTO results SELECT n, (n - 1) / 1000 / 999.0, 1 + (n - 1) % 1000 / 999.0, n * 0.5, 2.5, "
        "'done', NULL FROM r; INSERT INTO costs SELECT run, 1e-3, 1, 'thread 1', 0 FROM results;");
  }
  const std::clock_t begin = std::clock();
  const StoreOverview o = overview(folder / "out");
  const std::clock_t seen = std::clock();
  const Marginal m = marginal(folder / "out", {"contact.restitution"}, "energy.dissipated");
  const std::clock_t end = std::clock();
  const Marginal pairs =
      marginal(folder / "out", {"contact.restitution", "body.speed"}, "energy.dissipated");
  const std::clock_t paired = std::clock();
  ASSERT_EQ(pairs.rows.size(), 1'000'000u);
  EXPECT_EQ(pairs.values[0].size(), 1000u);
  EXPECT_EQ(pairs.rows[1999].at, (std::array<std::uint32_t, 2>{1, 999}));
  EXPECT_EQ(pairs.rows[1999].of.mean, 1000.0);
  EXPECT_LT(static_cast<double>(paired - end) / CLOCKS_PER_SEC, 2);
  EXPECT_EQ(o.done, 1'000'000);
  EXPECT_NEAR(o.seconds, 1000, 1e-6);
  EXPECT_EQ(o.columns[0].distinct, 1000);
  ASSERT_EQ(m.rows.size(), 1000u);
  EXPECT_EQ(m.rows[1].of.mean, 0.5 * 1500.5);
  EXPECT_LT(static_cast<double>(seen - begin) / CLOCKS_PER_SEC, 2);
  EXPECT_LT(static_cast<double>(end - seen) / CLOCKS_PER_SEC, 2);
  RecordProperty("overview_ms", static_cast<int>((seen - begin) * 1000 / CLOCKS_PER_SEC));
  RecordProperty("marginal_ms", static_cast<int>((end - seen) * 1000 / CLOCKS_PER_SEC));
}

TEST(Statistics, AreThoseOfTheTextbook) {
  Statistics s;
  for (const double value : {2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0}) s.add(value);
  EXPECT_DOUBLE_EQ(s.mean, 5);
  EXPECT_DOUBLE_EQ(s.deviation(), std::sqrt(32.0 / 7));
  EXPECT_EQ(s.low, 2);
  EXPECT_EQ(s.high, 9);
}

}  // namespace
}  // namespace carom
