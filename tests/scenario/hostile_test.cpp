// Inputs that were written to do harm: each is refused with exit code 2 and one line, in seconds.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <carom/scenario/template.hpp>
#include <carom/scenario/workload.hpp>

#include "process.hpp"

namespace carom {
namespace {

using support::TemporaryFolder;

void expect_refused(const support::Finished& done, const std::string& what) {
  EXPECT_FALSE(done.timed_out) << what;
  EXPECT_EQ(done.exit_code, 2) << what << ": " << done.err;
  EXPECT_FALSE(done.err.empty()) << what;
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string all;
  all.reserve(text.size() * count);
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST(Hostile, DepthIsRefusedBeforeTheParserRecurses) {
  // Quotes, strings of many lines and comments are where a count of dots can be led astray.
  const std::string dots = repeated("\"a\".", 200'000) + "\"a\" = 1\n";
  for (const std::string& text :
       {dots, "[" + repeated("'a' . ", 200'000) + "a]\n", "a = { b = 1, " + dots + " }",
        "a = { b = \"\"\"x\"\"\"\", " + dots + "}", "a = { b = ''' ' ''', " + dots + "}",
        "a = \"\\\"\"\n" + dots, "# \"\n" + dots, repeated("[", 1'000'000),
        "a = " + repeated("{ a = ", 100'000), repeated("[[a.", 50'000)}) {
    EXPECT_THROW(parse_scenario("kind = \"bounce\"\n" + text, "x.toml"), ScenarioError)
        << text.substr(0, 40);
  }
  const TemporaryFolder folder;
  folder.write("deep.toml", "kind = \"bounce\"\n" + dots);
  expect_refused(support::run({CAROM_PROGRAM, "check", "deep.toml"}, folder.path(), 20), "check");
}

TEST(Hostile, DotsInTextsAreNoDepth) {
  const std::string title = "title = \"" + repeated("a.", 500) + "\"\n";
  const std::string text = title + scenario_template(find_kind("bounce"));
  EXPECT_NO_THROW(parse_scenario(text, "x.toml"));
}

TEST(Hostile, ATextOfMoreThanFourMegabytesIsRefused) {
  EXPECT_THROW(parse_scenario(repeated("# a\n", 2'000'000), "x.toml"), ScenarioError);
}

TEST(Hostile, WorkWithoutEndIsRefusedWithItsEstimate) {
  for (const Kind& kind : kinds()) {
    const std::string text = scenario_template(kind);
    for (const Override& change :
         {Override{"run.rate", "1e14"}, {"run.duration", "1e12"}, {"run.step", "1e-16"}}) {
      const bool by_step = kind.name == "bar";
      if (by_step ? change.key == "run.rate" : change.key == "run.step") continue;
      // A single impact at 1e14 Hz is a billion samples: much, but it ends.
      if (change.key == "run.rate" && (kind.name == "impact" || kind.name == "pair")) continue;
      std::vector<Override> changes{change};
      try {
        parse_scenario(text, "x.toml", changes);
        ADD_FAILURE() << kind.name << ": " << change.key << " = " << change.value;
      } catch (const ScenarioError& error) {
        const std::string message = error.what();
        EXPECT_NE(message.find(change.key), std::string::npos) << kind.name << ": " << message;
      }
    }
  }
}

TEST(Hostile, WorkIsEstimatedFromTheKeys) {
  // By hand: 2 s at 1000 Hz, every fifth sample a row, sound at 8 kHz.
  const Scenario scenario = parse_scenario(
      "kind = \"bounce\"\n[body]\nmass = 1\nspeed = 1\n[contact]\nlaw = \"newton\"\n"
      "restitution = 0.5\n[run]\nrate = 1000\nduration = 2\n[output]\nevery = 5\n"
      "[sound]\nrate = 8000\n",
      "x.toml");
  const Workload work = workload(scenario);
  EXPECT_EQ(work.steps, 2000);
  EXPECT_EQ(work.rows, 400);
  EXPECT_EQ(work.sound_frames, 16000);
  // Without a duration: at least to the end of the first flight, 2 e v/g.
  const Scenario bouncing = parse_scenario(
      "kind = \"bounce\"\n[body]\nmass = 1\nspeed = 1\ngravity = 10\n[contact]\nlaw = \"newton\"\n"
      "restitution = 0.5\n[run]\nrate = 1000\nimpacts = 3\n",
      "x.toml");
  EXPECT_DOUBLE_EQ(workload(bouncing).duration, 0.1);
}

TEST(Hostile, ARunThatTheDiskCannotHoldIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(require_room({.disk = 1e18}, folder.path()), InvalidInput);
  EXPECT_NO_THROW(require_room({.disk = 1}, folder.path()));
}

TEST(Hostile, SoundHasSixteenTwentyFourOrThirtyTwoBits) {
  const std::string text = scenario_template(find_kind("strike"));
  for (const char* bits : {"16", "24", "32"}) {
    EXPECT_NO_THROW(parse_scenario(text, "x.toml", std::vector<Override>{{"sound.bits", bits}}));
  }
  for (const char* bits : {"20", "17", "31", "8", "24.0"}) {
    EXPECT_THROW(parse_scenario(text, "x.toml", std::vector<Override>{{"sound.bits", bits}}),
                 ScenarioError)
        << bits;
  }
}

/// A scenario or sweep that reads a device or a pipe must not wait for its end.
TEST(Hostile, SpecialFilesAreRefused) {
  const TemporaryFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe.csv").c_str(), 0600), 0);
  std::filesystem::create_directory(folder / "folder.csv");
  struct Case {
    const char *kind, *key;
    std::vector<std::string> more;
  };
  const std::vector<Case> cases{{"strike", "resonator.file", {}},
                                {"string", "string.modes_file", {}},
                                {"string", "pluck.modal_file", {}},
                                {"string", "pluck.shape_file", {}},
                                {"string", "obstacles.file", {}},
                                {"body", "body.file", {"body.type=table"}},
                                {"bounce", "contact.file", {"contact.law=table"}}};
  for (const Case& one : cases) {
    folder.write("one.toml", scenario_template(find_kind(one.kind)));
    folder.write("sweep.toml", "scenario = \"one.toml\"\n[grid]\n\"" + std::string(one.key) +
                                   "\" = [\"/dev/zero\", \"pipe.csv\"]\n[results]\ncolumns = "
                                   "[\"energy.initial\"]\n");
    for (const char* file : {"/dev/zero", "pipe.csv", "folder.csv"}) {
      for (const char* command : {"check", "run"}) {
        std::vector<std::string> all{CAROM_PROGRAM, command, "one.toml"};
        all.insert(all.end(), {"--set", std::string(one.key) + "=\"" + file + "\""});
        for (const std::string& set : one.more) all.insert(all.end(), {"--set", set});
        expect_refused(support::run(all, folder.path(), 20),
                       std::string(command) + " " + one.key + " " + file);
      }
    }
    expect_refused(
        support::run({CAROM_PROGRAM, "sweep", "sweep.toml", "--out", "s"}, folder.path(), 20),
        std::string("sweep ") + one.key);
  }
  for (const char* file : {"/dev/zero", "pipe.csv", "folder.csv", "/dev/full"}) {
    for (const char* command : {"check", "run", "sweep", "identify", "compare"}) {
      expect_refused(support::run({CAROM_PROGRAM, command, file}, folder.path(), 20),
                     std::string(command) + " " + file);
    }
  }
}

}  // namespace
}  // namespace carom
