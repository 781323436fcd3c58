#include <cmath>

#include <gtest/gtest.h>

#include <carom/output/rerun.hpp>
#include <carom/output/run.hpp>
#include <carom/scenario/template.hpp>

#include "process.hpp"

namespace carom {
namespace {

using support::TemporaryFolder;

/// FIPS 180-2, appendix B.1.
constexpr const char* sha256_of_abc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Rerun, RepeatsARunBitForBit) {
  for (const Kind& kind : kinds()) {
    if (kind.name == "string" || kind.name == "body") continue;  // seconds each
    for (const char* format : {"csv", "hdf5"}) {
      const TemporaryFolder folder;
      folder.write("one.toml", scenario_template(kind));
      const auto run = support::run({CAROM_PROGRAM, "run", "one.toml", "--out", "deep/out",
                                     "--quiet", "--format", format, "--set", "title=other"},
                                    folder.path(), 120);
      ASSERT_EQ(run.exit_code, 0) << kind.name << run.err;
      const auto again = support::run(
          {CAROM_PROGRAM, "rerun", "deep/out/summary.json", "--out", "again", "--json"},
          folder.path(), 120);
      EXPECT_EQ(again.exit_code, 0) << kind.name << again.err;
      EXPECT_TRUE(parse_json(again.out)["same"].get<bool>()) << kind.name;
    }
  }
}

TEST(Rerun, NoticesAnInputFileThatHasChanged) {
  const TemporaryFolder folder;
  const std::string table = "frequency,damping,mass,hit,heard\n440,3,0.1,1,1\n";
  folder.write("modes.csv", table);
  folder.write("abc", "abc");
  folder.write("one.toml",
               "kind = \"strike\"\n[body]\nmass = 0.02\nspeed = 1\n[resonator]\nfile = "
               "\"modes.csv\"\n[contact]\nlaw = \"power-law\"\nstiffness = 1e8\n[run]\nduration "
               "= 0.01\n");
  ASSERT_EQ(
      support::run({CAROM_PROGRAM, "run", "one.toml", "--out", "out", "--quiet"}, folder.path())
          .exit_code,
      0);
  const Json summary = read_json(folder / "out/summary.json");
  EXPECT_EQ(summary["input_files"].size(), 2u);
  EXPECT_EQ(support::run({CAROM_PROGRAM, "rerun", "out/summary.json", "--out", "b"}, folder.path())
                .exit_code,
            0);
  folder.write("modes.csv", table + "900,3,0.1,1,1\n");
  const auto changed =
      support::run({CAROM_PROGRAM, "rerun", "out/summary.json", "--out", "c"}, folder.path());
  EXPECT_EQ(changed.exit_code, 2);
  EXPECT_NE(changed.err.find("modes.csv"), std::string::npos) << changed.err;
}

TEST(Rerun, HashesAreThoseOfSha256sum) {
  const TemporaryFolder folder;
  folder.write("one.toml", scenario_template(find_kind("impact")));
  folder.write("abc", "abc");
  ASSERT_EQ(
      support::run({CAROM_PROGRAM, "run", "one.toml", "--out", "out", "--quiet"}, folder.path())
          .exit_code,
      0);
  const auto sums = support::run({"/usr/bin/sha256sum", "out/signals.csv", "abc"}, folder.path());
  const Json summary = read_json(folder / "out/summary.json");
  EXPECT_EQ(sums.out.substr(0, 64), summary["sha256"]["signals.csv"].get<std::string>());
  EXPECT_NE(sums.out.find(sha256_of_abc), std::string::npos);
}

TEST(Rerun, ARunThatHasEndedIsNotComputedAgain) {
  const TemporaryFolder folder;
  folder.write("one.toml", scenario_template(find_kind("impact")));
  const std::vector<std::string> command{CAROM_PROGRAM, "run", "one.toml", "--out", "out"};
  ASSERT_EQ(support::run(command, folder.path()).exit_code, 0);
  const auto written = std::filesystem::last_write_time(folder / "out/summary.json");
  std::vector<std::string> resume = command;
  resume.emplace_back("--resume");
  const auto done = support::run(resume, folder.path());
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_NE(done.err.find("has ended"), std::string::npos) << done.err;
  EXPECT_EQ(std::filesystem::last_write_time(folder / "out/summary.json"), written);
  resume.insert(resume.end(), {"--set", "body.speed=2"});  // another run: it is computed
  ASSERT_EQ(support::run(resume, folder.path()).exit_code, 0);
  EXPECT_NE(std::filesystem::last_write_time(folder / "out/summary.json"), written);
}

TEST(Rerun, JunkIsRefused) {
  const TemporaryFolder folder;
  std::string deep(100'000, '[');
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("[]"), std::string("{\"given\": 3}"), deep,
        std::string("{\"given\": {\"kind\": \"bounce\"}, \"scenario_folder\": \".\", \"file\": "
                    "\"x\", \"source\": \"\"}")}) {
    folder.write("summary.json", text);
    EXPECT_EQ(support::run({CAROM_PROGRAM, "rerun", "summary.json"}, folder.path(), 20).exit_code,
              2)
        << text.substr(0, 40);
  }
}

RecordedRun bounce(const std::string& body, const std::string& contact, const std::string& run) {
  return run_in_memory(parse_scenario("kind = \"bounce\"\n[body]\n" + body + "[contact]\n" +
                                          contact + "[run]\nimpacts = 5\n" + run,
                                      "x.toml"),
                       {.keep_signals = false});
}

/// Found by torture: a body that trembles on the floor, whose impulses never cease.
TEST(HonestStatus, ABounceWithoutAnEndIsNotConverged) {
  const RecordedRun run =
      bounce("mass = 1e4\nspeed = 0.0996456\n", "law = \"newton\"\nrestitution = 0.00184007\n",
             "rate = 1476.53\nmethod = \"paoli-schatzman\"\n");
  EXPECT_FALSE(run.passed);
  EXPECT_NE(run.outcome.status.find("no impact has ended"), std::string::npos)
      << run.outcome.status;
}

/// An explicit method far beyond its limit throws the body up faster each time.
TEST(HonestStatus, ABounceThatBlowsUpIsNotConverged) {
  const RecordedRun run =
      bounce("mass = 0.00656667\nspeed = 0.002961\n",
             "law = \"hunt-crossley\"\nstiffness = 3.91431e9\nexponent = 1.01326\nmu = 329.676\n",
             "rate = 4175.57\nmethod = \"heun-textbook\"\n");
  EXPECT_FALSE(run.passed);
  EXPECT_NE(run.outcome.status.find("not converged"), std::string::npos) << run.outcome.status;
}

/// The audit as printed adds up: initial + injected + residual = dissipated + final.
TEST(HonestStatus, TheAuditOfABounceAddsUpInsideAContactToo) {
  for (const char* method : {"passive", "event-driven", "exact", "verlet"}) {
    for (const char* rate : {"3421.72", "44357", "1000"}) {
      const RecordedRun run = bounce(
          "mass = 0.01\nspeed = 0.1\n", "law = \"power-law\"\nstiffness = 1e9\nexponent = 3.2\n",
          std::string("rate = ") + rate + "\nmethod = \"" + method + "\"\n");
      const EnergyAudit& e = run.outcome.energy;
      // Rounding of a few thousand sums.
      EXPECT_NEAR(e.initial + e.injected + e.residual, e.dissipated + e.final, 1e-11 * e.initial)
          << method << " " << rate;
    }
  }
}

}  // namespace
}  // namespace carom
