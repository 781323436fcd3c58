#include <set>

#include <gtest/gtest.h>

#include <carom/sweep/plan.hpp>

#include "example.hpp"

namespace carom {
namespace {

using support::bounce_columns;
using support::SweepFolder;

std::vector<double> column(const SweepPlan& plan, std::size_t parameter) {
  std::vector<double> values;
  for (std::int64_t run = 1; run <= plan.size(); ++run) {
    values.push_back(plan.values(run)[parameter].get<double>());
  }
  return values;
}

std::vector<Problem> problems_of(const std::string& rest) {
  const SweepFolder folder(rest);
  try {
    const SweepPlan plan = folder.plan();
    validate(plan, 1);
  } catch (const ScenarioError& error) {
    return error.problems();
  }
  return {};
}

TEST(Plan, GoesThroughAGridWithTheLastAxisFastest) {
  const SweepFolder folder(std::string("[grid]\n\"body.speed\" = [1, 2]\n"
                                       "contact.restitution = [0.1, 0.2, 0.3]\n") +
                           bounce_columns);
  const SweepPlan plan = folder.plan();
  EXPECT_EQ(plan.size(), 6);
  EXPECT_EQ(plan.parameters(), (std::vector<std::string>{"body.speed", "contact.restitution"}));
  EXPECT_EQ(column(plan, 0), (std::vector<double>{1, 1, 1, 2, 2, 2}));
  EXPECT_EQ(column(plan, 1), (std::vector<double>{0.1, 0.2, 0.3, 0.1, 0.2, 0.3}));
  EXPECT_EQ(plan.scenario(5).number("body.speed"), 2);
  EXPECT_EQ(plan.scenario(5).number("contact.restitution"), 0.2);
}

TEST(Plan, RangesHoldTheNumbersPeopleWouldWrite) {
  const SweepFolder folder(
      std::string("[grid]\n\"contact.restitution\" = { from = 0, to = 0.6, step = 0.1 }\n") +
      bounce_columns);
  EXPECT_EQ(column(folder.plan(), 0), (std::vector<double>{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6}));
}

TEST(Plan, LogarithmicRangesHaveTheirEndsExactly) {
  const SweepFolder folder(
      std::string("[grid]\n\"body.mass\" = { from = 0.001, to = 10, count = 5, scale = 'log' }\n") +
      bounce_columns);
  EXPECT_EQ(column(folder.plan(), 0), (std::vector<double>{0.001, 0.01, 0.1, 1, 10}));
}

TEST(Plan, WholeNumbersStayWholeAndNumbersBecomeNumbers) {
  const SweepFolder folder(std::string("[grid]\n\"run.impacts\" = { from = 2, to = 8, count = 4 }\n"
                                       "\"body.speed\" = [1, 2]\n") +
                           bounce_columns);
  const SweepPlan plan = folder.plan();
  EXPECT_TRUE(plan.values(1)[0].is_number_integer());
  EXPECT_TRUE(plan.values(1)[1].is_number_float());
  validate(plan, 2);
}

TEST(Plan, ZippedListsMoveTogether) {
  const SweepFolder folder(std::string("[[zip]]\n\"body.speed\" = [1, 2]\n\"body.mass\" = [3, 4]\n"
                                       "[[zip]]\n\"contact.restitution\" = [0.5, 0.6]\n") +
                           bounce_columns);
  const SweepPlan plan = folder.plan();
  EXPECT_EQ(column(plan, 0), (std::vector<double>{1, 1, 2, 2}));
  EXPECT_EQ(column(plan, 1), (std::vector<double>{3, 3, 4, 4}));
  EXPECT_EQ(column(plan, 2), (std::vector<double>{0.5, 0.6, 0.5, 0.6}));
}

TEST(Plan, SamplesStayInTheirRangesAndDependOnTheSeedAlone) {
  const std::string text =
      "[sample]\ncount = 200\nmethod = \"sobol\"\nseed = 5\n[sample.keys]\n"
      "\"body.speed\" = { from = 0.1, to = 10, scale = \"log\" }\n"
      "\"run.impacts\" = { from = 2, to = 4 }\n"
      "\"body.mass\" = { mean = 1, deviation = 0.01 }\n"
      "\"contact.restitution\" = [0.25, 0.75]\n";
  const SweepFolder folder(text + bounce_columns);
  const SweepPlan plan = folder.plan(), again = folder.plan();
  ASSERT_EQ(plan.size(), 200);
  validate(plan, 1);
  std::set<long> impacts;
  double low = 0, mass = 0;
  for (std::int64_t run = 1; run <= plan.size(); ++run) {
    const auto values = plan.values(run);
    EXPECT_EQ(values, again.values(run));
    EXPECT_GE(values[0].get<double>(), 0.1);
    EXPECT_LE(values[0].get<double>(), 10);
    low += values[0].get<double>() < 1 ? 1 : 0;
    impacts.insert(values[1].get<long>());
    mass += values[2].get<double>() / 200;
  }
  EXPECT_NEAR(low, 100, 10);  // half of a logarithmic range lies below its middle
  EXPECT_EQ(impacts, (std::set<long>{2, 3, 4}));
  EXPECT_NEAR(mass, 1, 0.001);  // standard error 0.0007 if independent, less for Sobol points
  const SweepFolder other(text + "\n" + bounce_columns);
  EXPECT_EQ(other.plan().hash(), plan.hash());  // blank lines change nothing
}

TEST(Plan, ConditionsThinItOut) {
  const SweepFolder folder(std::string("where = [\"body.speed > 1\", \"run.rate > 1\"]\n[grid]\n"
                                       "\"body.speed\" = [1, 2, 3]\n[set]\n\"run.rate\" = 500\n") +
                           bounce_columns);
  const SweepPlan plan = folder.plan();
  EXPECT_EQ(column(plan, 0), (std::vector<double>{2, 3}));
  EXPECT_EQ(plan.scenario(1).number("run.rate"), 500);
}

TEST(Plan, HashChangesWithPlanAndScenarioButNotWithTheTitle) {
  const std::string text = std::string("[grid]\n\"body.speed\" = [1, 2]\n") + bounce_columns;
  const SweepFolder folder(text);
  const std::string hash = folder.plan().hash();
  folder.sweep("title = \"other words\"  # and a comment\n" + text);
  EXPECT_EQ(folder.plan().hash(), hash);
  folder.sweep(std::string("[grid]\n\"body.speed\" = [2, 1]\n") + bounce_columns);
  EXPECT_NE(folder.plan().hash(), hash);
  folder.sweep(text);
  folder.write("bounce.toml", std::string(support::bounce_text) + "\n[output]\nevery = 2\n");
  EXPECT_NE(folder.plan().hash(), hash);
}

TEST(Plan, RefusesEverySlipWithItsPlace) {
  const std::string good = bounce_columns;
  struct Slip {
    std::string text, says;
    int line;
  };
  const std::vector<Slip> slips{
      {"grdi = 1\n" + good, "did you mean 'grid'", 2},
      {"[grid]\n\"body.sped\" = [1]\n" + good, "did you mean 'body.speed'", 3},
      {"[grid]\n\"body.speed\" = []\n" + good, "empty list", 3},
      {"[grid]\n\"body.speed\" = 1\n" + good, "must be a list", 3},
      {"[grid]\n\"body.speed\" = { from = 1, to = 2 }\n" + good, "either step or count", 3},
      {"[grid]\n\"body.speed\" = { from = 1, to = 2, step = -1 }\n" + good, "step must lead", 3},
      {"[grid]\n\"body.speed\" = { from = 1, to = 2, step = 0 }\n" + good, "step must lead", 3},
      {"[grid]\n\"body.speed\" = { from = 0, to = 2, count = 3, scale = \"log\" }\n" + good,
       "from > 0", 3},
      {"[grid]\n\"body.speed\" = { from = nan, to = 2, count = 3 }\n" + good, "finite", 3},
      {"[grid]\n\"body.speed\" = { from = 1, to = 2, count = 1.5 }\n" + good, "whole number", 3},
      {"[grid]\n\"body.speed\" = { from = 1, to = 2, cuont = 3 }\n" + good, "did you mean 'count'",
       3},
      {"[grid]\n\"body.speed\" = [1, -2]\n" + good, "body.speed = -2", 3},
      {"[grid]\n\"body.speed\" = [1]\n[set]\n\"body.speed\" = 2\n" + good, "twice", 3},
      {"[zip]\n\"body.speed\" = [1, 2]\n\"body.mass\" = [1]\n" + good, "same length", 4},
      {"where = \"body.speed < 0\"\n[grid]\n\"body.speed\" = [1]\n" + good, "no run", 2},
      {"where = \"body.sped < 0\"\n[grid]\n\"body.speed\" = [1]\n" + good, "did you mean", 2},
      {"[sample]\ncount = 3\n" + good, "[sample.keys]", 2},
      {"[sample]\ncount = 0\n[sample.keys]\n\"body.speed\" = { from = 1, to = 2 }\n" + good,
       "count = 0", 3},
      {good, "nothing varies", 1},
      {"[grid]\n\"body.speed\" = [1]\n", "'results.columns' is missing", 1},
      {"[grid]\n\"body.speed\" = [1]\n[results]\ncolumns = [\"status\"]\n", "there already", 5},
      {"[grid]\n\"body.speed\" = { from = 1, to = 2, count = 100000 }\n\"body.mass\" = { from = 1, "
       "to "
       "= 2, count = 100000 }\n" +
           good,
       "100 million", 1},
      {"[grid]\n\"body.speed\" = { from = 1, to = 2, count = 10000001 }\n" + good, "10 million", 3},
      {"[grid]\n\"body.speed\" = { from = 1, to = 2, step = 1e-8 }\n" + good, "10 million", 3},
      {"[sample]\ncount = 6000000\n[sample.keys]\n\"body.speed\" = { from = 1, to = 2 "
       "}\n\"body.mass\" = { "
       "from = 1, to = 2 }\n" +
           good,
       "10 million", 2},
      {"where = \"body.speed > 1\"\n[grid]\n\"body.speed\" = { from = 1, to = 2, count = 10000 "
       "}\n\"body.mass\" = { from = 1, to = 2, count = 2000 }\n" +
           good,
       "10 million", 2},
  };
  for (const Slip& slip : slips) {
    const auto problems = problems_of(slip.text);
    ASSERT_FALSE(problems.empty()) << slip.text;
    EXPECT_NE(problems[0].text().find(slip.says), std::string::npos) << slip.text << "\n"
                                                                     << problems[0].text();
    EXPECT_NE(problems[0].where.find("sweep.toml:" + std::to_string(slip.line) + ":"),
              std::string::npos)
        << problems[0].text();
  }
}

TEST(Plan, ValidationFindsTheOneBadRunAmongThousands) {
  // The last of 5000 runs only: validation must have looked at all of them.
  const auto problems = problems_of(
      std::string(
          "[grid]\n\"contact.restitution\" = { from = 0.0002, to = 1.0002, count = 5001 }\n") +
      bounce_columns);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_NE(problems[0].message.find("1.0002"), std::string::npos) << problems[0].message;
}

TEST(Plan, CanBeMadeFromData) {
  const SweepFolder folder("");
  const Json description{{"scenario", "bounce.toml"},
                         {"grid", {{"body.speed", {1, 2, 3}}}},
                         {"results", {{"columns", {"energy.dissipated"}}}}};
  const SweepPlan plan = make_plan(description, folder.path());
  EXPECT_EQ(column(plan, 0), (std::vector<double>{1, 2, 3}));
}

}  // namespace
}  // namespace carom
