#include <cmath>

#include <gtest/gtest.h>

#include <carom/scenario/kind.hpp>

namespace {

using carom::Override;

/// The bar of paoli2007, dropped from where it needs 0.1 ms to land.
const std::string bar = R"(
kind = "bar"
[bar]
angle = 80
height = 0.0064535
speed = 1.0342
averaging = 1e-3
[contact]
law = "newton"
restitution = 0.5
[run]
until = "rebound"
)";

class Rows final : public carom::SignalSink {
 public:
  void begin(const std::vector<carom::Signal>& signals) override { width = signals.size() + 1; }
  void write(std::span<const double> values, std::size_t) override {
    data.insert(data.end(), values.begin(), values.end());
  }
  std::size_t width = 0;
  std::vector<double> data;
};

carom::RunOutcome drop(const std::vector<Override>& overrides, Rows* rows = nullptr) {
  const carom::Scenario scenario = carom::parse_scenario(bar, "bar.toml", overrides);
  carom::RunContext::Sinks sinks;
  if (rows != nullptr) sinks.signals = {rows};
  carom::RunContext context(std::move(sinks));
  carom::RunOutcome outcome = carom::find_kind("bar").run(scenario, context);
  context.finish();
  return outcome;
}

TEST(BarKind, GivesTheResultsThatPeopleRelyOn) {
  Rows rows;
  const carom::RunOutcome outcome = drop({}, &rows);
  EXPECT_TRUE(outcome.converged);
  const carom::Json& results = outcome.results;
  EXPECT_EQ(results["contact_intervals"], 1);
  // A bounce series of e = 0.5 in steps of finite length: a handful, by the phase of the landing.
  EXPECT_GE(results["impacts"], 3);
  EXPECT_LE(results["impacts"], 8);
  EXPECT_NEAR(results["impact_speed"].get<double>(),
              std::sqrt(1.0342 * 1.0342 + 2 * 9.81 * 1.035e-4), 1e-12);
  EXPECT_NEAR(results["first_impact_time"].get<double>(), 1e-4, 1e-6);
  // The reference run averaged over 1 ms has 0.676618 +- 0.003.
  EXPECT_NEAR(results["apparent_restitution"].get<double>(), 0.676618, 0.003);
  EXPECT_EQ(outcome.pictures.size(), 4U);
  EXPECT_LT(std::abs(outcome.energy.residual), 1e-5 * outcome.energy.initial);
  // The rows carry the whole impulse of the floor, which turns the momentum of the bar around.
  double impulse = 0.0;
  for (std::size_t i = 0; i < rows.data.size() / rows.width; ++i) {
    impulse += rows.data[i * rows.width + rows.width - 1];
  }
  EXPECT_NEAR(impulse, results["intervals"][0]["impulse"].get<double>(), 1e-9);
}

TEST(BarKind, CompliantTipByEveryMethodThatFollowsAForce) {
  for (const char* model : {"pairs", "spiral"}) {
    SCOPED_TRACE(model);
    const auto by = [&](const char* method) {
      return drop({{"contact.law", "hunt-crossley"},
                   {"contact.stiffness", "1e9"},
                   {"run.method", method},
                   {"bar.model", model}});
    };
    const carom::RunOutcome passive = by("passive");
    EXPECT_TRUE(passive.converged);
    EXPECT_EQ(passive.results["impacts"], 1);
    EXPECT_GT(passive.energy.dissipated, 0.0);
    EXPECT_LE(std::abs(passive.energy.residual), 1e-12 * passive.energy.initial);
    const double apparent = passive.results["apparent_restitution"];
    for (const char* method : {"event-driven", "rk4"}) {
      // Contacts end on a grid of steps of 1e-7 s, 1e-4 of the millisecond that is averaged over.
      EXPECT_NEAR(by(method).results["apparent_restitution"].get<double>(), apparent, 1e-4)
          << method;
    }
  }
}

TEST(BarKind, MethodsRefuseTheLawsTheyCannotStep) {
  const auto message = [](const std::vector<Override>& overrides) -> std::string {
    try {
      static_cast<void>(carom::parse_scenario(bar, "bar.toml", overrides));
    } catch (const carom::ScenarioError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({{"contact.law", "hunt-crossley"}, {"contact.stiffness", "1e9"}})
                .find("this law has a force and a contact time"),
            std::string::npos);
  EXPECT_NE(message({{"run.method", "passive"}}).find("an impact that takes no time has none"),
            std::string::npos);
}

TEST(BarKind, MethodsAgreeAndOptionsAreHeard) {
  const double ps = drop({}).results["apparent_restitution"];
  for (const char* method : {"event-driven", "moreau-jean"}) {
    const double other = drop({{"run.method", method}}).results["apparent_restitution"];
    EXPECT_NEAR(other, ps, 5e-3) << method;
  }
  EXPECT_NE(drop({{"bar.inertia", "consistent"}}).results["apparent_restitution"], ps);
  EXPECT_NE(drop({{"bar.stiffness", "limit"}}).results["apparent_restitution"], ps);
  EXPECT_NE(drop({{"excitation.fraction", "1e-3"}}).results["apparent_restitution"], ps);
  EXPECT_TRUE(drop({{"bar.model", "spiral"}}).converged);
}

TEST(BarKind, DurationInPlaceOfReboundMayEndWithoutAnAnswer) {
  const carom::Scenario scenario = carom::parse_scenario(
      "kind = \"bar\"\n[bar]\nangle = 80\n[contact]\nrestitution = 0\n[run]\nduration = 1e-4\n",
      "bar.toml");
  carom::RunContext context;
  const carom::RunOutcome outcome = carom::find_kind("bar").run(scenario, context);
  EXPECT_TRUE(outcome.results["apparent_restitution"].is_null());
  EXPECT_TRUE(outcome.results["first_impact_time"].is_null());
  EXPECT_EQ(outcome.warnings.size(), 1U);
}

TEST(BarKind, RefusesWhatCannotBe) {
  for (const Override& bad : std::vector<Override>{{"bar.height", "0.001"},
                                                   {"bar.length", "0.001"},
                                                   {"bar.segments", "1"},
                                                   {"run.duration", "1e-3"},
                                                   {"contact.restitution", "1.5"},
                                                   {"run.method", "rk4"}}) {
    EXPECT_THROW(carom::parse_scenario(bar, "bar.toml", std::vector{bad}), carom::ScenarioError)
        << bad.key;
  }
}

TEST(BarKind, AdvisesOnStepAndChaos) {
  const auto advise = [](const std::vector<Override>& overrides) {
    return carom::find_kind("bar").advise(carom::parse_scenario(bar, "bar.toml", overrides));
  };
  EXPECT_EQ(advise({}).front().verdict, carom::Advice::Verdict::good);
  EXPECT_EQ(advise({{"run.step", "1e-5"}}).front().verdict, carom::Advice::Verdict::poor);
  const carom::Advice calm = advise({}).back();
  EXPECT_EQ(calm.name, "known_chaotic");
  EXPECT_EQ(calm.value, 0);
  EXPECT_EQ(advise({{"bar.angle", "45"}, {"contact.restitution", "1"}}).back().value, 1);
}

TEST(BarKind, ABlownUpRunSaysSo) {
  const carom::RunOutcome outcome = drop({{"run.step", "1e-5"}});
  EXPECT_FALSE(outcome.converged);
  EXPECT_NE(outcome.status, "done");
  EXPECT_TRUE(outcome.warnings.empty());  // one reason is enough
}

}  // namespace
