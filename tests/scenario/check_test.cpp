// What carom check predicts, against what runs then do.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/output/run.hpp>
#include <carom/scenario/template.hpp>

namespace carom {
namespace {

double number_of(const std::vector<Advice>& advice, const std::string& name) {
  for (const Advice& item : advice) {
    if (item.name == name) return item.value;
  }
  ADD_FAILURE() << "no advice on " << name;
  return 0;
}

TEST(Check, PredictsTheReboundErrorOfRk4AndVerletWithinAFactorOfThree) {
  std::mt19937_64 random(50);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto log_between = [&](double a, double b) { return a * std::pow(b / a, unit(random)); };
  const Kind& kind = find_kind("impact");
  const std::string text = scenario_template(kind);
  for (int i = 0; i < 50; ++i) {
    const double mass = log_between(1e-3, 1), speed = log_between(0.1, 10);
    const HuntCrossley law{log_between(1e5, 1e10), 1.2 + 1.3 * unit(random),
                           log_between(0.01, 2) / speed};
    const double samples = log_between(5, 50);
    const double rate = samples / contact_time(law, {mass, speed});
    std::vector<Override> changes{{"body.mass", number_text(mass)},
                                  {"body.speed", number_text(speed)},
                                  {"contact.stiffness", number_text(law.stiffness)},
                                  {"contact.exponent", number_text(law.exponent)},
                                  {"contact.mu", number_text(law.mu)},
                                  {"run.method", i % 2 == 0 ? "rk4" : "verlet"},
                                  {"run.rate", number_text(rate)},
                                  {"run.phase", "0"}};
    const auto advice = kind.advise(parse_scenario(text, "test.toml", changes));
    EXPECT_NEAR(number_of(advice, "samples_in_contact"), samples, 1e-9 * samples);
    const double predicted = number_of(advice, "expected_rebound_error");
    // The error depends on where in a sample the contact starts, down to a change of sign: what is
    // predicted, and compared here, is its root mean square over that phase.
    constexpr int runs = 12;
    double sum = 0;
    for (int k = 0; k < runs; ++k) {
      changes.back().value = number_text((k + unit(random)) / runs);
      const RecordedRun run = run_in_memory(parse_scenario(text, "test.toml", changes));
      const double percent = run.outcome.results["rebound_speed_percent"].get<double>();
      sum += percent * percent;
    }
    const double actual = std::sqrt(sum / runs) / 100;
    EXPECT_LT(predicted, 3 * actual) << "scenario " << i << " samples " << samples;
    EXPECT_GT(predicted, actual / 3) << "scenario " << i << " samples " << samples;
  }
}

TEST(Check, ProposalsForAPoorScenarioMakeItGood) {
  const Kind& kind = find_kind("bounce");
  const std::string text = scenario_template(kind);
  const std::vector<Override> poor{{"run.method", "verlet"}, {"run.rate", "20000"}};
  const auto advice = kind.advise(parse_scenario(text, "test.toml", poor));
  std::string proposal;
  for (const Advice& item : advice) {
    if (item.name == "expected_rebound_error") {
      EXPECT_EQ(item.verdict, Advice::Verdict::poor);
      proposal = item.proposal;
    }
  }
  const std::string key = "--set run.rate=";
  const std::size_t at = proposal.find(key);
  ASSERT_NE(at, std::string::npos) << proposal;
  const std::vector<Override> better{{"run.method", "verlet"},
                                     {"run.rate", proposal.substr(at + key.size())}};
  EXPECT_LT(
      number_of(kind.advise(parse_scenario(text, "test.toml", better)), "expected_rebound_error"),
      1.5e-3);  // 1e-3 was promised on half as many phases
}

TEST(Check, KnowsTheBoundOnTheReboundSpeed) {
  const Kind& kind = find_kind("impact");
  const std::vector<Override> changes{{"contact.mu", "4"}, {"body.speed", "2"}};
  const Scenario scenario = parse_scenario(scenario_template(kind), "test.toml", changes);
  const double bound = number_of(kind.advise(scenario), "rebound_speed_bound");
  EXPECT_EQ(bound, 0.25);
  const RecordedRun run = run_in_memory(scenario);
  EXPECT_LT(run.outcome.results["rebound_speed"].get<double>(), bound);
}

TEST(Check, KnowsWhenBouncingEnds) {
  const Kind& kind = find_kind("bounce");
  const std::string text =
      "kind = \"bounce\"\n[body]\nmass = 1\nspeed = 2\n[contact]\nlaw = \"newton\"\nrestitution = "
      "0.5\n[run]\nimpacts = 60\n";
  const Scenario scenario = parse_scenario(text, "test.toml");
  const double end = number_of(kind.advise(scenario), "end_of_bouncing");
  EXPECT_NEAR(end, 2 * 2 / 9.81, 1e-12);  // 2 v e/(g (1 - e))
  const RecordedRun run = run_in_memory(scenario);
  const Json& impacts = run.outcome.results["impacts"];
  ASSERT_GT(impacts.size(), 20u);
  EXPECT_NEAR(impacts.back()["time"].get<double>(), end, 1e-5);
}

}  // namespace
}  // namespace carom
