#include <algorithm>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include <carom/output/run.hpp>
#include <carom/scenario/template.hpp>

#include "process.hpp"

namespace carom {
namespace {

using support::Process;
using support::read_file;
using support::TemporaryFolder;

/// A run that takes half a second or more, as a folder with the scenario and the files of a run
/// without a break.
class LongRun {
 public:
  LongRun(const std::string& kind, std::vector<std::string> sets, const std::string& format = "csv")
      : format_(format), sets_(std::move(sets)) {
    folder_.write("long.toml", scenario_template(find_kind(kind)));
    const auto done = support::run(command({"--out", "whole", "--quiet"}), folder_.path(), 120);
    EXPECT_EQ(done.exit_code, 0) << done.err;
  }
  std::vector<std::string> command(std::vector<std::string> more) const {
    std::vector<std::string> all{CAROM_PROGRAM, "run", "long.toml", "--format", format_};
    for (const std::string& set : sets_) all.insert(all.end(), {"--set", set});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  support::Finished run(const std::vector<std::string>& more) const {
    return support::run(command(more), folder_.path(), 120);
  }
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  const std::filesystem::path& path() const { return folder_.path(); }

  void expect_same_files() const {
    std::vector<std::string> expected, found;
    for (const auto& file : std::filesystem::directory_iterator(folder_ / "whole"))
      expected.push_back(file.path().filename());
    for (const auto& file : std::filesystem::directory_iterator(folder_ / "out"))
      found.push_back(file.path().filename());
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected);
    for (const std::string& name : expected) {
      EXPECT_TRUE(content(folder_ / "out" / name) == content(folder_ / "whole" / name)) << name;
    }
  }

 private:
  /// The contents without what the run has cost.
  static std::string content(const std::filesystem::path& file) {
    std::string text = read_file(file);
    if (file.filename() == "summary.json") {
      Json summary = parse_json(text);
      summary.erase("timing");
      summary["results"].erase("cpu_seconds");
      summary["results"].erase("cpu_seconds_per_simulated_second");
      text = json_text(summary);
    }
    if (file.filename() == "report.html") text.erase(text.rfind("<footer>"));
    return text;
  }

  TemporaryFolder folder_;
  std::string format_;
  std::vector<std::string> sets_;
};

/// Kills the run at `wanted` random moments after it has written a checkpoint of its own.
void expect_same_after_kills(const LongRun& run, int wanted, unsigned seed) {
  const auto written = [&] {
    std::error_code code;
    return std::filesystem::last_write_time(run / "out/checkpoint.state", code);
  };
  std::mt19937 random(seed);
  int kills = 0;
  for (int starts = 0; kills < wanted; ++starts) {
    ASSERT_LT(starts, 30) << "the run always ends before it can be killed";
    const auto earlier = written();
    const TemporaryFolder scratch;
    Process process(run.command({"--out", "out", "--checkpoint", "0.02", "--resume", "--quiet"}),
                    run.path(), scratch.path());
    while (process.running() && written() == earlier)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 60));
    process.send(SIGKILL);
    const auto ended = process.wait(60);
    if (ended.exit_code == -SIGKILL && has_checkpoint(run / "out")) {
      ++kills;
    } else if (ended.exit_code != -SIGKILL) {
      ASSERT_EQ(ended.exit_code, 0) << ended.err;
      run.expect_same_files();
      std::filesystem::remove_all(run / "out");
    }
  }
  const auto last = run.run({"--out", "out", "--checkpoint", "10", "--resume", "--quiet"});
  EXPECT_EQ(last.exit_code, 0) << last.err;
  run.expect_same_files();
}

TEST(Checkpoint, AStringKilledAgainAndAgainLeavesTheSameFiles) {
  expect_same_after_kills(LongRun("string", {"run.duration=5", "output.contacts=true"}), 5, 1);
}

TEST(Checkpoint, ABounceKilledAgainAndAgainLeavesTheSameFiles) {
  expect_same_after_kills(
      LongRun("bounce", {"run.impacts=2000", "run.rate=400000", "output.every=20"}, "hdf5"), 4, 2);
}

TEST(Checkpoint, ABarKilledAgainAndAgainLeavesTheSameFiles) {
  expect_same_after_kills(LongRun("bar", {"run.step=2e-8"}), 4, 3);
}

/// Ctrl-C has stopped a run that would have written its next checkpoint in a quarter of an hour.
class InterruptedRun : public testing::Test {
 protected:
  void SetUp() override {
    const TemporaryFolder scratch;
    Process process(run.command({"--out", "out", "--checkpoint", "1000"}), run.path(),
                    scratch.path());
    while (process.running() && !std::filesystem::exists(run / "out/checkpoint.journal"))
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    process.send(SIGINT);
    const auto stopped = process.wait(60);
    ASSERT_EQ(stopped.exit_code, 130) << stopped.err;
    EXPECT_NE(stopped.err.find("--resume"), std::string::npos) << stopped.err;
    ASSERT_TRUE(has_checkpoint(run / "out"));
    EXPECT_FALSE(std::filesystem::exists(run / "out/summary.json"));
  }
  void expect_refused(const std::vector<std::string>& more, const std::string& reason) const {
    const auto refused = run.run(more);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_NE(refused.err.find(reason), std::string::npos) << refused.err;
  }
  LongRun run{"string", {"run.duration=5"}};
};

TEST_F(InterruptedRun, LeavesACheckpointThatIsRefusedUnlessItFitsAndThenGoesOn) {
  const std::vector<std::string> resume{"--out", "out", "--resume"};
  expect_refused({"--out", "out", "--checkpoint", "1"}, "--resume");
  expect_refused({"--out", "out", "--resume", "--set", "pluck.height=0.001"}, "with other values");
  const std::string state = read_file(run / "out/checkpoint.state");
  const std::string journal = read_file(run / "out/checkpoint.journal");
  const auto put = [&](const std::string& name, const std::string& contents) {
    std::ofstream(run / ("out/checkpoint." + name), std::ios::binary) << contents;
  };
  std::string damaged = state;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] + 1);
  put("state", damaged);
  expect_refused(resume, "damaged");
  put("state", state.substr(0, state.size() / 2));
  expect_refused(resume, "damaged");
  put("state", "");
  expect_refused(resume, "not a checkpoint");
  put("state", state);
  put("journal", journal.substr(0, journal.size() - 8));
  expect_refused(resume, "damaged");
  damaged = journal;
  damaged[damaged.size() / 2] = static_cast<char>(damaged[damaged.size() / 2] + 1);
  put("journal", damaged);
  expect_refused(resume, "damaged");
  put("journal", journal);
  const auto resumed = run.run(resume);
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(resumed.err.find("from the beginning"), std::string::npos) << resumed.err;
  run.expect_same_files();
}

TEST(Checkpoint, SecondsMustBePositive) {
  const TemporaryFolder folder;
  folder.write("impact.toml", scenario_template(find_kind("impact")));
  for (const char* seconds : {"0", "-1", "nan", "often"}) {
    const auto refused =
        support::run({CAROM_PROGRAM, "run", "impact.toml", "--checkpoint", seconds}, folder.path());
    EXPECT_EQ(refused.exit_code, 2) << seconds;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "impact-out"));
  // A run of a millisecond takes the options like any other.
  const auto anew = support::run(
      {CAROM_PROGRAM, "run", "impact.toml", "--checkpoint", "1", "--resume"}, folder.path());
  EXPECT_EQ(anew.exit_code, 0) << anew.err;
  EXPECT_NE(anew.err.find("from the beginning"), std::string::npos) << anew.err;
}

}  // namespace
}  // namespace carom
