#include <gtest/gtest.h>

#include <carom/scenario/kind.hpp>
#include <carom/scenario/template.hpp>

namespace carom {
namespace {

constexpr const char* good =
    "kind = \"bounce\"\n"
    "[body]\n"
    "mass = 0.01\n"
    "speed = 1\n"
    "[contact]\n"
    "law = \"newton\"\n"
    "restitution = 0.5\n";

std::vector<Problem> problems_of(const std::string& text, std::vector<Override> changes = {}) {
  try {
    parse_scenario(text, "test.toml", changes);
  } catch (const ScenarioError& error) {
    return error.problems();
  }
  return {};
}

TEST(Scenario, FillsDefaultsAndAcceptsWholeNumbersForNumbers) {
  const Scenario scenario = parse_scenario(good, "test.toml");
  EXPECT_EQ(scenario.kind(), "bounce");
  EXPECT_EQ(scenario.number("body.speed"), 1.0);
  EXPECT_EQ(scenario.number("body.gravity"), 9.81);
  EXPECT_TRUE(scenario.given("body.speed"));
  EXPECT_FALSE(scenario.given("body.gravity"));
  EXPECT_FALSE(scenario.has("sound"));
  EXPECT_THROW(scenario.number("body.colour"), std::logic_error);
}

TEST(Scenario, ReportsEveryProblemOfAFileWithItsPlace) {
  const auto problems = problems_of(
      "kind = \"bounce\"\n[body]\nmas = 1\nspeed = -1\n[contact]\nlaw = \"newtn\"\n[runn]\n");
  ASSERT_EQ(problems.size(), 6u);
  EXPECT_EQ(problems[0].where, "test.toml:2:1");
  EXPECT_NE(problems[0].message.find("'body.mass' is missing"), std::string::npos);
  EXPECT_EQ(problems[1].where, "test.toml:3:1");
  EXPECT_NE(problems[1].message.find("did you mean 'body.mass'?"), std::string::npos);
  EXPECT_EQ(problems[2].where, "test.toml:4:1");
  EXPECT_EQ(problems[3].where, "test.toml:5:1");  // restitution is missing
  EXPECT_NE(problems[4].message.find("did you mean 'newton'?"), std::string::npos);
  EXPECT_NE(problems[5].message.find("did you mean 'run'?"), std::string::npos);
}

TEST(Scenario, OverridesAreTypedLikeToml) {
  const std::vector<Override> changes{
      {"body.speed", "2e0"}, {"run.impacts", "7"}, {"contact.law", "newton"}, {"title", "\"a b\""}};
  const Scenario scenario = parse_scenario(good, "test.toml", changes);
  EXPECT_EQ(scenario.number("body.speed"), 2.0);
  EXPECT_EQ(scenario.whole_number("run.impacts"), 7);
  EXPECT_EQ(scenario.text("title"), "a b");
  const auto problems = problems_of(good, {{"run.impacts", "7.5"}});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].where, "--set run.impacts=7.5");
  EXPECT_EQ(problems_of(good, {{"body.mass", "[["}}).size(), 1u);
  EXPECT_EQ(problems_of(good, {{"body.mass.deep", "1"}}).size(), 1u);
  EXPECT_EQ(problems_of(good, {{"body..mass", "1"}}).size(), 1u);
  EXPECT_THROW(parse_override("=3"), InvalidInput);
  EXPECT_THROW(parse_override("run.rate"), InvalidInput);
}

TEST(Scenario, RefusesNumbersThatAreNone) {
  for (const char* value :
       {"nan", "inf", "-inf", "1979-05-27", "true", "\"1\"", "[1]", "{ a = 1 }"}) {
    EXPECT_EQ(problems_of(good, {{"body.mass", value}}).size(), 1u) << value;
  }
}

TEST(Template, OfEveryKindIsAValidScenario) {
  for (const Kind& kind : kinds()) {
    const std::string text = scenario_template(kind);
    EXPECT_TRUE(problems_of(text).empty()) << kind.name << "\n" << text;
  }
}

TEST(Template, WritesValuesThatTomlReadsBack) {
  EXPECT_EQ(toml_text(1e9), "1e+09");
  EXPECT_EQ(toml_text(2.0), "2.0");
  EXPECT_EQ(toml_text(Json::array({1.5, 2.0})), "[1.5, 2.0]");
  EXPECT_EQ(toml_text(Json::array({Json{{"a", 1.0}}})), "[\n  { a = 1.0 },\n]");
}

}  // namespace
}  // namespace carom
