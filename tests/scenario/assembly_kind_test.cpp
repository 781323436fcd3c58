// Assemblies from files: what is refused and how, what a run reports, and that every example runs.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include <carom/output/run.hpp>
#include <carom/scenario/template.hpp>

#include "process.hpp"

namespace carom {
namespace {

std::string refusal_of(const std::string& text) {
  try {
    parse_scenario(text, "test.toml");
  } catch (const ScenarioError& error) {
    EXPECT_EQ(error.problems().size(), 1u) << error.what();
    return error.problems().front().text();
  }
  return "accepted";
}

const std::string two = R"(kind = "assembly"
[[body]]
name = "a"
mass = 1.0
velocity = 1.0
[[body]]
name = "b"
mass = 1.0
position = 0.1
[run]
duration = 0.3
rate = 1000.0
)";
const std::string touch = R"([[contact]]
between = ["a", "b"]
distance = 0.02
law = "hunt-crossley"
stiffness = 1e6
exponent = 1.5
mu = 0.1
)";

TEST(Assembly, BadInputIsOneLineWithItsPlace) {
  const auto expect = [](const std::string& text, const std::string& where,
                         const std::string& what) {
    const std::string refusal = refusal_of(text);
    EXPECT_TRUE(refusal.starts_with("test.toml:" + where)) << refusal;
    EXPECT_NE(refusal.find(what), std::string::npos) << refusal;
    EXPECT_EQ(refusal.find('\n'), std::string::npos) << refusal;
  };
  const auto changed = [](std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  };
  const std::string good = two + touch;
  ASSERT_EQ(refusal_of(good), "accepted");
  expect(changed(good, "\"a\", \"b\"", "\"a\", \"c\""), "14:1", "'c'");
  expect(changed(good, "\"a\", \"b\"", "\"a\", \"a\""), "14:1", "two bodies");
  expect(changed(good, "distance = 0.02", "distance = 0.2"), "14:1", "overlap by 0.1 m");
  expect(changed(good, "mass = 1.0\nvelocity", "velocity"), "2:", "mass: is missing");
  expect(changed(good, "name = \"b\"", "name = \"a\""), "7:1", "there already");
  expect(changed(good, "name = \"b\"", "name = \"b c\""), "7:1", "letters, digits and _");
  expect(changed(good, "mass = 1.0\nposition", "type = \"disc\"\nmass = 1.0\nposition"), "8:1",
         "space.dimension = 2");
  expect(changed(good, "mu = 0.1", "mu = 0.1\nfriction = 0.3"), "20:1", "space.dimension = 2");
  expect(changed(good, "mass = 1.0\nposition",
                 "type = \"driven\"\namplitude = 0.01\nfrequency = 600.0\nposition"),
         "10:1", "at most half of run.rate");
  expect(good + "[[hinge]]\nbetween = [\"a\", \"b\"]\nat = 0.0\n", "21:1", "space.dimension = 2");
  expect(good + "[[link]]\nbetween = [\"a\", \"b\"]\n", "21:1", "does nothing");
  expect(changed(good, "position = 0.1", "position = [0.1, 0.2]"), "9:1", "space.dimension = 2");
  // In the plane: a hinge to itself, a loop, a body without its size.
  const std::string plane =
      "kind = \"assembly\"\n[space]\ndimension = 2\n[[body]]\nname = \"r\"\n"
      "type = \"rod\"\nmass = 1.0\nlength = 0.4\n[run]\nduration = 0.1\n";
  ASSERT_EQ(refusal_of(plane), "accepted");
  expect(plane + "[[hinge]]\nbetween = [\"r\", \"r\"]\nat = [0.0, 0.0]\n", "12:1", "two bodies");
  expect(changed(plane, "length = 0.4\n", ""), "4:", "length: is missing");
  expect(plane +
             "[[hinge]]\nbetween = [\"r\", \"ground\"]\nat = [-0.2, 0.0]\n[[hinge]]\nbetween = "
             "[\"ground\", \"r\"]\nat = [0.2, 0.0]\n",
         "15:1", "closes a loop");
  const std::string sunk = changed(plane, "length = 0.4\n", "length = 0.4\nposition = [0, -0.1]\n");
  expect(sunk + "[[contact]]\nbetween = [\"r\", \"ground\"]\nlaw = \"newton\"\nrestitution = 0.5\n",
         "13:1", "overlap by 0.1 m");
  // Keys that would be passed over, laws and places that only the law or the structure can judge.
  expect(changed(good, "position = 0.1", "position = 0.1\nangle = 0.5"), "10:1", "no meaning");
  expect(changed(good, "position = 0.1", "position = 0.1\nmaterial = \"steel\""), "10:1", "modal");
  expect(changed(plane, "length = 0.4\n", "length = 0.4\nwidth = 0.1\n"), "9:1", "this outline");
  const std::string drop =
      "[[contact]]\nbetween = [\"r\", \"ground\"]\nlaw = \"newton\"\nrestitution = 0.5\n";
  expect(plane + drop + "at_first = [0.1, 0.0]\n", "15:1", "outlines say");
  expect(plane + drop + "inside = true\n", "15:1", "round hole");
  expect(changed(good, "mass = 1.0\nposition", "type = \"driven\"\nposition"), "8:1",
         "needs amplitude and frequency, or file");
  expect(changed(good, "mass = 1.0\nposition", "type = \"driven\"\namplitude = 0.01\nposition"),
         "9:1", "needs frequency");
  expect(changed(good, "law = \"hunt-crossley\"\nstiffness = 1e6\nexponent = 1.5\nmu = 0.1\n",
                 "law = \"formula\"\nforce = \"1e5*x*(1 - v)\"\n"),
         "17:1", "drives the motion");
  const std::string bar = changed(good, "mass = 1.0\nposition",
                                  "type = \"modal\"\nstructure = \"bar\"\nlength = 0.5\n"
                                  "radius = 0.01\nmaterial = \"steel\"\nposition");
  ASSERT_EQ(refusal_of(bar + "at_second = 0.2\n"), "accepted");
  expect(bar + "at_second = 0.7\n", "24:1", "from 0 to 0.5");
}

/// The second contact of a pair is numbered, but not with a number that another name ends with.
TEST(Assembly, NamesEveryContactOnce) {
  std::string other = touch;
  other.replace(other.find("\"b\""), 3, "\"b_2\"");
  const RecordedRun run = run_in_memory(parse_scenario(
      two + "[[body]]\nname = \"b_2\"\nmass = 1.0\nposition = 0.5\n" + other + touch + touch,
      "test.toml"));
  std::set<std::string> names;
  for (const Json& contact : run.outcome.results.at("contacts"))
    names.insert(contact["name"].get<std::string>());
  EXPECT_EQ(names, (std::set<std::string>{"a-b_2", "a-b", "a-b_3"}));
}

/// There is no energy to compare the residual with but that of the motion itself.
TEST(Assembly, AFallFromRestAtZeroPassesTheAudit) {
  for (const char* space : {"gravity = 9.81\n", "dimension = 2\ngravity = 9.81\n"}) {
    const std::string text = std::string("kind = \"assembly\"\n[space]\n") + space +
                             "[[body]]\nname = \"m\"\nmass = 1.0\n[run]\nduration = 0.01\n";
    EXPECT_TRUE(run_in_memory(parse_scenario(text, "test.toml")).passed) << space;
  }
}

TEST(Assembly, ReportsItsImpactsByContact) {
  const RecordedRun run = run_in_memory(parse_scenario(two + touch, "test.toml"));
  EXPECT_TRUE(run.passed);
  EXPECT_EQ(run.time.back(), 0.3);
  const Json& contacts = run.outcome.results.at("contacts");
  ASSERT_EQ(contacts.size(), 1u);
  EXPECT_EQ(contacts[0]["between"], Json({"a", "b"}));
  ASSERT_EQ(contacts[0]["impacts"].size(), 1u);
  const Json& impact = contacts[0]["impacts"][0];
  EXPECT_NEAR(impact["time"].get<double>(), 0.08, 1e-12);
  EXPECT_NEAR(impact["speed_in"].get<double>(), 1.0, 1e-12);
  // Momentum and the relative speed: v = (1 -+ e)/2.
  const double e = impact["restitution"].get<double>();
  EXPECT_NEAR(run.column("a.v").back(), 0.5 * (1 - e), 1e-10);
  EXPECT_NEAR(run.column("b.v").back(), 0.5 * (1 + e), 1e-10);
}

/// Between two bodies all impact laws are the same, and all methods give the restitution asked for.
TEST(Assembly, NonsmoothMethodsKeepTheRestitution) {
  const std::string text =
      two +
      "[[contact]]\nbetween = [\"a\", \"b\"]\ndistance = 0.02\nlaw = \"newton\"\n"
      "restitution = 0.6\n";
  for (const char* method : {"passive", "event-driven", "moreau-jean", "paoli-schatzman"}) {
    for (const char* law : {"newton", "poisson", "sequential"}) {
      // Its condition is on positions: there is no other law to choose.
      if (method == std::string("paoli-schatzman") && law != std::string("newton")) continue;
      const std::vector<Override> changes{{"run.method", method}, {"run.impact_law", law}};
      const RecordedRun run = run_in_memory(parse_scenario(text, "test.toml", changes));
      EXPECT_TRUE(run.passed);
      EXPECT_NEAR(run.column("a.v").back(), 0.2, 1e-9) << method << " " << law;
      EXPECT_NEAR(run.column("b.v").back(), 0.8, 1e-9) << method << " " << law;
    }
  }
}

/// Housner 1963: a slender block that rocks without bouncing keeps 1 - 3/2 sin^2(alpha) of its
/// angular velocity in each impact, tan(alpha) = width/height.
TEST(Assembly, ARockingBlockLosesWhatHousnerSays) {
  const std::string text = scenario_template(find_kind("assembly"), "block");
  const std::vector<Override> changes{{"run.duration", "0.6"}, {"run.rate", "100000.0"}};
  const RecordedRun run = run_in_memory(parse_scenario(text, "test.toml", changes));
  EXPECT_TRUE(run.passed);
  const auto &angle = run.column("block.angle"), &spin = run.column("block.spin");
  const double expected = 1 - 1.5 * std::pow(std::sin(std::atan(0.25)), 2);
  int impacts = 0;
  for (std::size_t k = 3; k + 3 < angle.size(); ++k) {
    if (angle[k] * angle[k - 1] >= 0) continue;
    // Gravity turns it by some 8.7 rad/s^2 times two steps in between.
    EXPECT_NEAR(spin[k + 2] / spin[k - 3], expected, 5e-4);
    ++impacts;
  }
  EXPECT_GE(impacts, 3);
}

TEST(Assembly, EveryExampleRuns) {
  const Kind& kind = find_kind("assembly");
  ASSERT_GE(kind.examples.size(), 9u);
  for (const ScenarioExample& example : kind.examples) {
    SCOPED_TRACE(example.name);
    const Scenario whole =
        parse_scenario(scenario_template(kind, example.name), std::string(example.name) + ".toml");
    // A fifth of the run says as much here.
    const std::vector<Override> changes{
        {"run.duration", number_text(0.2 * whole.number("run.duration"))}};
    const RecordedRun run =
        run_in_memory(parse_scenario(scenario_template(kind, example.name), "test.toml", changes));
    EXPECT_TRUE(run.passed) << run.summary["status"];
    for (const std::vector<double>& column : run.columns) {
      for (const double value : column) ASSERT_TRUE(std::isfinite(value));
    }
  }
}

}  // namespace
}  // namespace carom
