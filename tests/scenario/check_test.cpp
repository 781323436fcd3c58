// What carom check predicts, against what runs then do.
#include <array>
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

class RandomScenarios {
 public:
  struct One {
    const Kind* kind;
    std::string text;
    std::vector<Override> changes;
    double samples;  ///< in contact
  };

  /// An impact, a pair or a bounce at a random phase of the sample grid.
  One next() {
    const double mass = log_between(1e-3, 1), speed = log_between(0.1, 10);
    const HuntCrossley law{log_between(1e5, 1e10), 1.2 + 1.3 * unit(),
                           log_between(0.01, 2) / speed};
    const double samples = log_between(4, 100);
    const double rate = samples / contact_time(law, {mass, speed});
    const char* kind = std::array{"impact", "pair", "bounce"}[count_ % 3];
    One one{&find_kind(kind), scenario_template(find_kind(kind)), {}, samples};
    one.changes = {{"contact.stiffness", number_text(law.stiffness)},
                   {"contact.exponent", number_text(law.exponent)},
                   {"contact.mu", number_text(law.mu)},
                   {"run.method", count_ % 2 == 0 ? "rk4" : "verlet"},
                   {"run.rate", number_text(rate)}};
    if (count_ % 3 == 1) {
      // Effective mass and closing speed as above.
      one.changes.push_back(
          {"pair.masses", "[" + number_text(2 * mass) + ", " + number_text(2 * mass) + "]"});
      one.changes.push_back({"pair.velocities", "[" + number_text(speed) + ", 0.0]"});
      one.changes.push_back({"pair.gap", number_text(5 * unit() * speed / rate)});
    } else {
      one.changes.push_back({"body.mass", number_text(mass)});
      one.changes.push_back({"body.speed", number_text(speed)});
      if (count_ % 3 == 0) one.changes.push_back({"run.phase", number_text(unit())});
      if (count_ % 3 == 2) one.changes.push_back({"run.impacts", "1"});
    }
    ++count_;
    return one;
  }
  double unit() { return unit_(random_); }

 private:
  double log_between(double a, double b) { return a * std::pow(b / a, unit()); }
  std::mt19937_64 random_{50};
  std::uniform_real_distribution<double> unit_{0, 1};
  int count_ = 0;
};

/// Of the first rebound [1], signed, by the ordinary run.
double actual_error(const RandomScenarios::One& one) {
  const RecordedRun run = run_in_memory(parse_scenario(one.text, "test.toml", one.changes));
  const Json& results = run.outcome.results;
  if (results.contains("rebound_speed_percent")) {
    return results["rebound_speed_percent"].get<double>() / 100;
  }
  std::vector<Override> exactly = one.changes;
  exactly.push_back({"run.method", "exact"});
  const RecordedRun truth = run_in_memory(parse_scenario(one.text, "test.toml", exactly));
  return results["impacts"][0]["speed_out"].get<double>() /
             truth.outcome.results["impacts"][0]["speed_out"].get<double>() -
         1;
}

TEST(Check, PredictsTheReboundErrorOfRk4AndVerletInEachOfFiftyScenarios) {
  RandomScenarios scenarios;
  for (int i = 0; i < 50; ++i) {
    const RandomScenarios::One one = scenarios.next();
    const auto advice = one.kind->advise(parse_scenario(one.text, "test.toml", one.changes));
    EXPECT_NEAR(number_of(advice, "samples_in_contact"), one.samples, 1e-9 * one.samples);
    const double predicted = number_of(advice, "expected_rebound_error");
    const double actual = actual_error(one);
    EXPECT_EQ(predicted > 0, actual > 0) << "scenario " << i << " " << one.kind->name;
    EXPECT_LT(std::abs(predicted), 3 * std::abs(actual)) << "scenario " << i;
    EXPECT_GT(std::abs(predicted), std::abs(actual) / 3) << "scenario " << i;
  }
}

TEST(Check, KnowsTheTypicalErrorOverAllPhases) {
  RandomScenarios scenarios;
  for (int i = 0; i < 12; ++i) {
    RandomScenarios::One one = scenarios.next();
    if (i % 3 != 0) continue;  // an impact has its phase among its keys
    const auto advice = one.kind->advise(parse_scenario(one.text, "test.toml", one.changes));
    const double predicted = number_of(advice, "typical_rebound_error");
    constexpr int runs = 12;
    double sum = 0;
    for (int k = 0; k < runs; ++k) {
      one.changes.back().value = number_text((k + scenarios.unit()) / runs);
      const double error = actual_error(one);
      sum += error * error;
    }
    EXPECT_LT(predicted, 2 * std::sqrt(sum / runs)) << "scenario " << i;
    EXPECT_GT(predicted, 0.5 * std::sqrt(sum / runs)) << "scenario " << i;
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
  const auto now = kind.advise(parse_scenario(text, "test.toml", better));
  EXPECT_LT(std::abs(number_of(now, "expected_rebound_error")), 1e-3);
  // 1e-3 was promised on half as many phases.
  EXPECT_LT(number_of(now, "typical_rebound_error"), 1.5e-3);
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

/// Time of the last impact of a run, with the speed changed by a part in 10^9.
double last_impact(const std::string& text, double factor) {
  Scenario scenario = parse_scenario(text, "test.toml");
  const std::vector<Override> changes{
      {"body.speed", number_text(scenario.number("body.speed") * factor)}};
  const RecordedRun run = run_in_memory(parse_scenario(text, "test.toml", changes));
  return run.outcome.results["impacts"].back()["time"].get<double>();
}

TEST(Check, SaysOfEveryKindWhetherItIsKnownToBeChaotic) {
  for (const Kind& kind : kinds()) {
    const auto advice = kind.advise(parse_scenario(scenario_template(kind), "test.toml"));
    const double chaotic = number_of(advice, "known_chaotic");
    EXPECT_TRUE(chaotic == 0 || chaotic == 1) << kind.name;
  }
}

TEST(Check, CallsChaoticWhatAmplifiesASmallChange) {
  const Kind& bounce = find_kind("bounce");
  const std::string calm = scenario_template(bounce);
  EXPECT_EQ(number_of(bounce.advise(parse_scenario(calm, "test.toml")), "known_chaotic"), 0);
  EXPECT_LT(std::abs(last_impact(calm, 1 + 1e-9) / last_impact(calm, 1) - 1), 1e-8);

  const Kind& strike = find_kind("strike");
  const std::string lively =
      "kind = \"strike\"\n[body]\nmass = 0.005\nspeed = 1\nforce = 0.05\n[resonator]\nmodes = ["
      "{frequency = 60, damping = 0.5, mass = 0.05, hit = 1, heard = 1}]\n[contact]\n"
      "law = \"power-law\"\nstiffness = 1e8\n[run]\nduration = 4\n";
  EXPECT_EQ(number_of(strike.advise(parse_scenario(lively, "test.toml")), "known_chaotic"), 1);
  EXPECT_GT(std::abs(last_impact(lively, 1 + 1e-9) / last_impact(lively, 1) - 1), 1e-6);
}

}  // namespace
}  // namespace carom
