#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include <carom/scenario/kind.hpp>

#include "../steppers/string_cases.hpp"
#include "process.hpp"

namespace {

using carom::Override;

class Memory final : public carom::SignalSink {
 public:
  void begin(const std::vector<carom::Signal>& signals) override { width = signals.size() + 1; }
  void write(std::span<const double> values, std::size_t) override {
    rows.insert(rows.end(), values.begin(), values.end());
  }
  double at(std::size_t row, std::size_t column) const { return rows.at(row * width + column); }
  std::size_t count() const { return rows.size() / width; }
  std::size_t width = 0;
  std::vector<double> rows;
};

struct Played {
  carom::RunOutcome outcome;
  Memory signals;
};

Played play(const carom::Scenario& scenario) {
  Played result;
  carom::RunContext::Sinks sinks;
  sinks.signals = {&result.signals};
  carom::RunContext context(std::move(sinks));
  result.outcome = carom::find_kind(scenario.kind()).run(scenario, context);
  context.finish();
  return result;
}

Played play(const std::string& text, const std::vector<Override>& overrides = {}) {
  return play(carom::parse_scenario(text, "test.toml", overrides));
}

const std::string bass = R"(
kind = "string"
[string]
length = 0.863
linear_density = 0.0067
tension = 191.6
modes = 120
inharmonicity = 3.5e-5
[pluck]
position = 0.64
height = 3.6e-3
[frets]
nut = 0.4e-3
[contact]
law = "newton"
restitution = 0.5
[run]
rate = 2e5
duration = 0.05
[output]
points = [0.3, 0.854]
contacts = true
every = 7
)";

TEST(StringKind, BothEnginesGiveTheSameRows) {
  const Played fast = play(bass), plain = play(bass, {{"run.engine", "plain"}});
  ASSERT_EQ(fast.signals.count(), 10000u / 7 + 1);
  ASSERT_EQ(fast.signals.width, 1u + 2 + 20);
  ASSERT_EQ(fast.signals.rows.size(), plain.signals.rows.size());
  double deviation = 0;
  for (std::size_t i = 0; i < fast.signals.rows.size(); ++i) {
    deviation = std::max(deviation, std::abs(fast.signals.rows[i] - plain.signals.rows[i]));
  }
  EXPECT_LT(deviation, 1e-11 * 3.6e-3);
  EXPECT_GT(fast.outcome.results["contact_steps"], 50);
  EXPECT_EQ(fast.outcome.results["contact_steps"], plain.outcome.results["contact_steps"]);
  EXPECT_EQ(fast.outcome.results["last_contact_time"], plain.outcome.results["last_contact_time"]);
  EXPECT_NEAR(fast.outcome.energy.final, plain.outcome.energy.final,
              1e-10 * plain.outcome.energy.initial);
  EXPECT_DOUBLE_EQ(fast.signals.at(3, 0), 21 / 2e5);
}

TEST(StringKind, NonsmoothAndCompliantContactAgree) {
  // issanchou2018: both descriptions of one hard contact give nearly the same motion.
  const std::string text = R"(
kind = "string"
[string]
length = 1.0
linear_density = 1e-3
tension = 160.0
modes = 120
inharmonicity = 1e-5
[pluck]
height = 1.8e-3
[[obstacle]]
position = 0.01
height = 0.0
[run]
rate = 5e5
duration = 0.01
[output]
points = [0.99]
[contact]
)";
  const std::string power_law = text + "law = 'power-law'\nstiffness = 1e10\n",
                    newton = text + "law = 'newton'\n";
  const Played soft = play(power_law), hard = play(newton);
  EXPECT_EQ(soft.outcome.results["law"], "power-law");
  EXPECT_EQ(soft.outcome.results["method"], "discrete-gradient");
  EXPECT_EQ(soft.outcome.results["laws"][0]["law"]["stiffness"], 1e10);
  EXPECT_EQ(hard.outcome.results["law"], "newton");
  EXPECT_EQ(hard.outcome.results["method"], "moreau-jean");
  const auto difference = [](const Played& one, const Played& other) {
    double square = 0, size = 0;
    for (std::size_t i = 0; i < one.signals.count(); ++i) {
      square += std::pow(other.signals.at(i, 1) - one.signals.at(i, 1), 2);
      size += std::pow(one.signals.at(i, 1), 2);
    }
    return std::sqrt(square / size);
  };
  ASSERT_EQ(soft.signals.count(), hard.signals.count());
  // 0.031, and 0.036 at eight times the rate: not the methods, but what restitution 0 takes from
  // the string and an elastic contact gives back. What the obstacle itself does is 0.15.
  const Played none = play(newton, {{"obstacle.1.height", "-1.0"}});
  EXPECT_LT(difference(hard, soft), difference(hard, none) / 4);
  EXPECT_TRUE(soft.outcome.passive);
  EXPECT_LT(std::abs(soft.outcome.energy.residual), 1e-11 * soft.outcome.energy.initial);
}

TEST(StringKind, AHammerGivesUpItsMomentumOnce) {
  const Played struck = play(R"(
kind = "string"
[string]
length = 0.65
linear_density = 5e-3
tension = 700.0
modes = 80
[hammer]
position = 0.08
mass = 0.01
speed = 2.0
[contact]
law = "hunt-crossley"
stiffness = 1e8
exponent = 2.3
mu = 0.1
[run]
rate = 2e5
duration = 0.02
[output]
points = [0.08]
)");
  EXPECT_NEAR(struck.outcome.energy.initial, 0.5 * 0.01 * 4, 1e-12);
  EXPECT_GT(struck.outcome.results["contact_steps"], 10);
  // Between a hammer that stops and one that comes back as fast as it was.
  const double momentum = struck.outcome.results["total_impulse"];
  EXPECT_GT(momentum, 0.02);
  EXPECT_LT(momentum, 0.04);
}

TEST(StringKind, AHammerWithFeltDrivesTheStringOntoHardFrets) {
  // The felt is compliant, the frets are not: two laws in one run, the same in both engines.
  const std::vector<Override> felt{{"pluck.height", "0.0"},     {"hammer.position", "0.6"},
                                   {"hammer.mass", "0.02"},     {"hammer.speed", "6.0"},
                                   {"hammer.stiffness", "1e8"}, {"contact.restitution", "1.0"}};
  std::vector<Override> with_plain = felt;
  with_plain.push_back({"run.engine", "plain"});
  const Played fast = play(bass, felt), plain = play(bass, with_plain);
  ASSERT_EQ(fast.signals.rows.size(), plain.signals.rows.size());
  double deviation = 0, largest = 0;
  for (std::size_t i = 0; i < fast.signals.rows.size(); ++i) {
    deviation = std::max(deviation, std::abs(fast.signals.rows[i] - plain.signals.rows[i]));
    if (i % fast.signals.width == 1) largest = std::max(largest, std::abs(fast.signals.rows[i]));
  }
  EXPECT_GT(largest, 5e-4);  // [m]
  EXPECT_LT(deviation, 1e-11 * largest);
  EXPECT_GT(fast.outcome.results["impulses"], 100);
  EXPECT_EQ(fast.outcome.results["unsolved_steps"], 0);
  // Elastic frets and a lossless felt: nothing may be gained.
  EXPECT_TRUE(fast.outcome.passive);
  EXPECT_LE(fast.outcome.energy.residual, 1e-11 * fast.outcome.energy.initial);
  ASSERT_EQ(fast.outcome.films.size(), 1u);
  EXPECT_EQ(fast.outcome.films[0].frames.size(), 3u * 36 + 1);
}

TEST(BodyKind, IsFilmedInASection) {
  const Played drum = play(R"(
kind = "body"
[body]
type = "drum"
modes = 40
radius = 0.2
area_density = 0.3
tension = 3000.0
[hammer]
x = 0.05
y = 0.02
mass = 0.02
speed = 1.0
[[wire]]
x1 = -0.1
y1 = 0.03
x2 = 0.1
y2 = 0.03
points = 5
height = -1e-4
[[obstacle]]
x = 0.0
y = -0.1
height = 0.0
[contact]
law = "newton"
[run]
rate = 1e5
duration = 0.02
)");
  // Through the wire that is nearest to the hammer, which is not on it.
  ASSERT_EQ(drum.outcome.films.size(), 1u);
  const carom::Film& film = drum.outcome.films[0];
  const double half = std::sqrt(0.2 * 0.2 - 0.03 * 0.03);
  EXPECT_NEAR(film.x.front(), -half, 1e-12);
  EXPECT_NEAR(film.x.back(), half, 1e-12);
  ASSERT_EQ(film.mark_x.size(), 5u);
  EXPECT_EQ(film.mark_x.front(), -0.1);
  EXPECT_EQ(film.mark_x.back(), 0.1);
  EXPECT_TRUE(film.ball_y.empty());
  double largest = 0;
  for (const auto& frame : film.frames) {
    ASSERT_EQ(frame.size(), film.x.size());
    EXPECT_NEAR(frame.front(), 0, 1e-12);  // the edge holds it
    for (const double y : frame) largest = std::max(largest, std::abs(y));
  }
  EXPECT_GT(largest, 0.1);  // [mm]

  const Played bar = play(R"(
kind = "body"
[body]
type = "bar"
modes = 10
length = 0.35
linear_density = 0.62
bending_stiffness = 270.0
[hammer]
x = 0.13
mass = 0.02
speed = 1.6
gap = 1e-4
[contact]
law = "power-law"
stiffness = 4e8
[run]
rate = 96000.0
duration = 0.01
)");
  const carom::Film& stroke = bar.outcome.films.at(0);
  EXPECT_EQ(stroke.ball_x, 0.13);
  ASSERT_EQ(stroke.ball_y.size(), stroke.frames.size());
  EXPECT_NEAR(stroke.ball_y.front(), 0.1, 1e-12);  // [mm]
  // It comes down by its speed, touches, and is on its way up at the end.
  EXPECT_NEAR(stroke.ball_y[1], 0.1 - 1.6e3 * stroke.times[1], 1e-9);
  EXPECT_GT(stroke.ball_y.back(), 1.0);
  EXPECT_TRUE(stroke.mark_x.empty());
}

std::string refusal(const std::string& text, const std::vector<Override>& overrides = {}) {
  try {
    carom::parse_scenario(text, "test.toml", overrides);
  } catch (const carom::ScenarioError& error) {
    return error.what();
  }
  return "";
}

TEST(StringKind, AMethodDoesNotReplaceTheLaw) {
  std::string compliant = bass;
  compliant.replace(compliant.find("law = \"newton\"\nrestitution = 0.5"), 32,
                    "law = \"power-law\"\nstiffness = 1e10");
  EXPECT_EQ(refusal(compliant), "");
  EXPECT_NE(refusal(compliant, {{"run.method", "moreau-jean"}}).find("is for law 'newton'"),
            std::string::npos);
  EXPECT_NE(refusal(bass, {{"run.method", "discrete-gradient"}}).find("is for compliant laws"),
            std::string::npos);
  // A law that would have to be quadratised and cannot.
  EXPECT_NE(refusal(compliant, {{"contact.law", "hertz-damper"},
                                {"contact.damping", "1.0"},
                                {"run.method", "quadratised"}})
                .find("cannot be quadratised"),
            std::string::npos);
  EXPECT_NE(refusal(compliant, {{"contact.law", "hunt-crossley"}, {"contact.restitution", "0.5"}})
                .find("do not have"),
            std::string::npos);
}

TEST(StringKind, EveryObstacleMayHaveItsLaw) {
  // Nonsmooth frets, a bridge point with a damper and a felt hammer with another law, in one run by
  // both engines.
  const std::string text = bass + R"(
[[obstacle]]
position = 0.01
height = -2e-4
law = "hertz-damper"
stiffness = 1e8
damping = 0.5
[[obstacle]]
position = 0.02
height = -3e-4
[hammer]
position = 0.6
mass = 0.02
speed = 3.0
law = "kelvin-voigt"
stiffness = 1e5
damping = 1.0
release = "zero-compression"
)";
  const Played fast = play(text), plain = play(text, {{"run.engine", "plain"}});
  ASSERT_EQ(fast.signals.rows.size(), plain.signals.rows.size());
  double deviation = 0;
  for (std::size_t i = 0; i < fast.signals.rows.size(); ++i)
    deviation = std::max(deviation, std::abs(fast.signals.rows[i] - plain.signals.rows[i]));
  EXPECT_LT(deviation, 1e-11 * 3.6e-3);
  EXPECT_EQ(fast.outcome.results["unsolved_steps"], 0);
  const carom::Json& laws = fast.outcome.results["laws"];
  ASSERT_EQ(laws.size(), 3u);
  EXPECT_EQ(laws[0]["law"]["name"], "hertz-damper");
  EXPECT_EQ(laws[0]["points"], 1);
  EXPECT_EQ(laws[1]["law"]["name"], "newton");
  EXPECT_EQ(laws[1]["points"], 21);
  EXPECT_EQ(laws[2]["law"]["name"], "kelvin-voigt");
  EXPECT_EQ(laws[2]["law"]["release"], "zero-compression");
  EXPECT_EQ(fast.outcome.results["method"], "moreau-jean, discrete-gradient");
}

TEST(StringKind, KeysOfATableAreNotThoseOfALaw) {
  // [obstacles] has a file and [bridge] a radius, which laws have too: these stay what they are,
  // and the laws that would need the word are not offered there.
  const support::TemporaryFolder folder;
  folder.write("points.csv", "x_m,height_m\n0.01,0\n0.02,-1e-5\n");
  const Override file{"obstacles.file", "\"" + (folder / "points.csv").string() + "\""};
  EXPECT_EQ(refusal(bass, {file, {"bridge.radius", "2.0"}}), "");
  EXPECT_EQ(refusal(bass, {file,
                           {"bridge.radius", "2.0"},
                           {"bridge.law", "kelvin-voigt"},
                           {"bridge.stiffness", "1e6"}}),
            "");
  EXPECT_NE(refusal(bass, {file, {"obstacles.law", "table"}}), "");
  EXPECT_NE(refusal(bass, {{"bridge.law", "jkr"}}), "");
}

TEST(StringKind, RefusesFilesItCannotUse) {
  const support::TemporaryFolder folder;
  folder.write("short.csv", "frequency_Hz,sigma_1_per_s\n100,1\n200,2\n");
  folder.write("words.csv", "frequency_Hz,sigma_1_per_s\n100,one\n");
  folder.write("other.csv", "frequency,sigma\n100,1\n");
  folder.write("ragged.csv", "frequency_Hz,sigma_1_per_s\n100\n");
  folder.write("empty.csv", "");
  for (const char* name :
       {"short.csv", "words.csv", "other.csv", "ragged.csv", "empty.csv", "none.csv", ""}) {
    const std::string path = "\"" + (folder / name).string() + "\"";
    EXPECT_THROW(carom::parse_scenario(bass, "test.toml",
                                       std::vector<Override>{{"string.modes_file", path}}),
                 carom::ScenarioError)
        << name;
  }
}

TEST(StringKind, RefusesCombinationsThatMakeNoSense) {
  const auto refused = [](std::vector<Override> overrides) {
    EXPECT_THROW(carom::parse_scenario(bass, "test.toml", overrides), carom::ScenarioError)
        << overrides.front().key;
  };
  refused({{"contact.law", "power-law"}});         // no stiffness
  refused({{"run.method", "quadratised"}});        // every contact obeys newton
  refused({{"run.method", "discrete-gradient"}});  // likewise
  refused({{"frets.stiffness", "1e9"}});           // of no law
  refused({{"frets.law", "kelvin-voigt"}});        // no stiffness
  refused({{"output.points", "[0.3, 1.2]"}});      // beyond the string
  refused({{"pluck.position", "0.9"}});            // beyond the string
  refused({{"run.duration", "1e-9"}});             // less than a step
  refused({{"pluck.modal_column", "q"}});          // without its file
}

void expect_reference(const std::string& name, const std::string& reference, std::size_t contacts) {
  const auto shared = support::shared_folder();
  const carom::Scenario scenario = carom::load_scenario(
      shared / "acceptance" / (name + ".toml"), std::vector<Override>{{"run.duration", "0.02"}});
  const Played ours = play(scenario);
  const auto table =
      cases::read_table(shared / "reference" / "strings" / (reference + "_displacement.csv.gz"));
  ASSERT_EQ(ours.signals.count(), 20001u);
  double deviation = 0;
  for (std::size_t n = 0; n <= 20000; ++n) {
    deviation = std::max(deviation, std::abs(ours.signals.at(n, 1) - table.at("u_out_m")[n]));
    for (std::size_t c = 1; c <= contacts; ++c) {
      const std::string column =
          contacts == 1 ? "u_contact_m" : "u_fret" + std::to_string(c) + "_m";
      deviation = std::max(deviation, std::abs(ours.signals.at(n, 1 + c) - table.at(column)[n]));
    }
  }
  EXPECT_LE(deviation, 1e-10);  // 3e-13 seen
}

TEST(StringKind, AcceptanceScenariosFollowSiconos) {
  if (support::shared_folder().empty())
    GTEST_SKIP() << "the reference runs are not here (set CAROM_SHARED)";
  expect_reference("point_bridge", "one_contact_1MHz_rho0", 1);
  expect_reference("bass", "bass_1MHz_rho1", 20);
}

}  // namespace
