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

// The kind of docs/adding_a_kind.md, as it is printed there.
void check_bell(const Scenario& scenario, Problems& problems) {
  if (scenario.number("clapper.mass") > 100) {
    problems.add("clapper.mass", "clapper.mass: must be lighter than the bell");
  }
}

std::vector<Advice> advise_bell(const Scenario&) { return {predictability(false, "one stroke")}; }

RunOutcome run_bell(const Scenario& scenario, RunContext& context) {
  context.signals({{"displacement", "m", "at the rim"}});
  context.record(0, {scenario.number("clapper.mass")});
  RunOutcome outcome;
  outcome.results["where"] = scenario.text("clapper.where");
  return outcome;
}

Kind bell_kind() {
  return {.name = "bell",
          .summary = "A clapper and a bell.",
          .tables =
              {{"clapper",
                "What strikes.",
                {number("mass", "kg", "mass of the clapper").positive().required().starts_with(0.5),
                 text("where", "where on the rim it strikes")
                     .one_of({"north", "south"})
                     .defaults_to("north")}},
               {"output",
                "What is written.",
                {whole_number("every", "steps per recorded row").at_least(1).defaults_to(1)}},
               sound_table()},
          .check = check_bell,    // combinations of keys; may be left out
          .advise = advise_bell,  // `carom check`; may be left out
          .run = run_bell,
          .reference_method = "event-driven",  // `carom compare`
          .main_signal = "displacement"};
}

TEST(Scenario, AKindFromTheDocumentsWorks) {
  const Kind bell = bell_kind();
  EXPECT_NE(scenario_template(bell).find("mass = 0.5"), std::string::npos);
  EXPECT_NE(kind_page(bell).find("where"), std::string::npos);
  Json values;
  values["clapper"]["mass"] = 0.5;
  values["clapper"]["where"] = "south";
  const Scenario scenario("bell.toml", "bell", values, {});
  Problems problems(scenario);
  bell.check(scenario, problems);
  EXPECT_TRUE(problems.all().empty());
  RunContext context;
  EXPECT_EQ(bell.run(scenario, context).results["where"], "south");
  EXPECT_EQ(bell.advise(scenario).front().name, "known_chaotic");
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
  ASSERT_EQ(problems.size(), 5u);
  EXPECT_EQ(problems[0].where, "test.toml:2:1");
  EXPECT_NE(problems[0].message.find("'body.mass' is missing"), std::string::npos);
  EXPECT_EQ(problems[1].where, "test.toml:3:1");
  EXPECT_NE(problems[1].message.find("did you mean 'body.mass'?"), std::string::npos);
  EXPECT_EQ(problems[2].where, "test.toml:4:1");
  EXPECT_EQ(problems[3].where, "test.toml:6:1");
  EXPECT_NE(problems[3].message.find("did you mean 'newton'?"), std::string::npos);
  EXPECT_NE(problems[4].message.find("did you mean 'run'?"), std::string::npos);
}

TEST(Scenario, RefusesKeysThatDoNotGoTogether) {
  const std::string contact = "kind = \"bounce\"\n[body]\nmass = 1\nspeed = 1\n[contact]\n";
  const auto first = [&](const std::string& rest) {
    const auto problems = problems_of(contact + rest);
    return problems.empty() ? std::string() : problems.front().text();
  };
  EXPECT_EQ(first("law = \"newton\"\nrestitution = 0.5\n"), "");
  EXPECT_EQ(first("law = \"newton\"\nrestitution = 0.5\nstiffness = 1e5\n"),
            "test.toml:8:1: contact.stiffness has no meaning for law 'newton'; it takes "
            "contact.restitution");
  EXPECT_EQ(first("law = \"hunt-crossley\"\nstiffness = 1e5\n"),
            "test.toml:6:1: law 'hunt-crossley' needs one of contact.mu, contact.lambda, "
            "contact.restitution");
  EXPECT_EQ(first("law = \"hunt-crossley\"\nstiffness = 1e5\nmu = 1\nlambda = 1\n"),
            "test.toml:9:1: contact.mu and contact.lambda: each fixes mu; give only one of them");
  EXPECT_NE(first("law = \"hertz-damper\"\nstiffness = 1e5\ndamping = 1\n[run]\nmethod = "
                  "\"symplectic\"\n")
                .find("test.toml:10:1: "),
            std::string::npos);
  EXPECT_NE(first("law = \"power-law\"\nstiffness = 1e5\n[run]\nimpacts = 3\nduration = 1\n")
                .find("give one"),
            std::string::npos);
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

TEST(Scenario, AnEmptyOverrideTakesTheKeyOutOfTheFile) {
  const std::string text =
      "kind = \"bounce\"\n[body]\nmass = 0.01\nspeed = 1.0\n[contact]\nlaw = "
      "\"hunt-crossley\"\nstiffness = 1e9\nmu = 0.5\n[run]\nimpacts = 3\n";
  EXPECT_EQ(problems_of(text, {{"contact.restitution", "0.5"}}).size(), 1u);  // mu is there, too
  const std::vector<Override> changes{{"contact.mu", ""}, {"contact.restitution", "0.5"}};
  const Scenario scenario = parse_scenario(text, "test.toml", changes);
  EXPECT_EQ(scenario.number("contact.restitution"), 0.5);
  EXPECT_FALSE(scenario.given_values().at("contact").contains("mu"));  // what a rerun starts from
  for (const char* key : {"contact.nu", "contact.mu.deep", "nothing.mu", ".mu", "contact."}) {
    const auto problems = problems_of(text, {{key, ""}});
    ASSERT_EQ(problems.size(), 1u) << key;
    EXPECT_EQ(problems[0].where, "--set " + std::string(key) + "=");
  }
  EXPECT_EQ(problems_of(text, {{"body.mass", ""}}).size(), 1u);  // it is required
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
