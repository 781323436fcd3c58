#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include <carom/output/folder.hpp>
#include <carom/output/run.hpp>
#include <carom/scenario/template.hpp>

#include "data.hpp"
#include "process.hpp"

namespace carom {
namespace {

constexpr const char* plate = CAROM_SOURCE_DIR "/tests/trust/old/plate.toml";
constexpr const char* bounce = CAROM_SOURCE_DIR "/examples/bounce.toml";

std::vector<std::string> visible_files(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  if (!std::filesystem::exists(folder)) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.')) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Run, WritesWhatTheContractNames) {
  const support::TemporaryFolder folder;
  const auto done =
      support::run({CAROM_PROGRAM, "run", bounce, "--out", "out", "--json"}, folder.path());
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(visible_files(folder / "out"),
            (std::vector<std::string>{"report.html", "signals.csv", "sound.wav", "summary.json"}));
  const Json printed = parse_json(done.out);
  EXPECT_EQ(printed, parse_json(support::read_file(folder / "out" / "summary.json")));
  const Json& results = printed["results"];
  ASSERT_EQ(results["impacts"].size(), 100u);
  for (const char* key : {"time", "speed_in", "speed_out", "restitution", "contact_time"}) {
    EXPECT_TRUE(results["impacts"][7].contains(key)) << key;
  }
  for (const char* key : {"initial", "final", "dissipated", "injected", "worst_residual"}) {
    EXPECT_TRUE(results["energy"].contains(key)) << key;
    EXPECT_TRUE(printed["energy"].contains(key)) << key;
  }
  EXPECT_TRUE(results.contains("cpu_seconds"));
  EXPECT_TRUE(results.contains("cpu_seconds_per_simulated_second"));
  EXPECT_TRUE(printed.contains("versions"));
  // Each impact leaves with the speed at which the next one comes in: the flight is a parabola.
  for (std::size_t i = 1; i < 100; ++i) {
    EXPECT_NEAR(results["impacts"][i]["speed_in"].get<double>(),
                results["impacts"][i - 1]["speed_out"].get<double>(), 1e-12);
  }
}

TEST(Run, CsvHasTimeFirstAndARowForEverySample) {
  const support::TemporaryFolder folder;
  const std::vector<Override> changes{{"run.duration", "0.1"}, {"output.every", "10"}};
  std::string text = support::read_file(bounce);
  text.replace(text.find("impacts = 100"), 13, "");
  const Scenario scenario = parse_scenario(text, "bounce.toml", changes);
  run_to_folder(scenario, {.out = folder / "out"});
  std::istringstream csv(support::read_file(folder / "out" / "signals.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "time,height,velocity,compression,force");
  int rows = 0;
  double last = -1;
  while (std::getline(csv, line)) {
    const double time = std::stod(line);
    EXPECT_NEAR(time, rows * 10 / 44100.0, 1e-12);
    EXPECT_GT(time, last);
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 4);
    last = time;
    ++rows;
  }
  EXPECT_EQ(rows, 442);  // 0 to 4410 in steps of 10
}

TEST(Run, Hdf5IsReadByH5pyWithUnits) {
  if (std::system("/usr/bin/python3 -c 'import h5py' 2> /dev/null") != 0) {
    GTEST_SKIP() << "python3-h5py is not installed; ./run test does it";
  }
  const support::TemporaryFolder folder;
  const auto done = support::run(
      {CAROM_PROGRAM, "run", bounce, "--out", "out", "--format", "hdf5", "--quiet"}, folder.path());
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "out" / "signals.csv"));
  const auto read =
      support::run({"/usr/bin/python3", "-c",
                    "import h5py; f = h5py.File('out/signals.h5'); t = f['time']; h = f['height']; "
                    "print(t.attrs['unit'], h.attrs['unit'], f.attrs['kind'], len(t) == len(h), "
                    "abs(t[1] * 44100 - 1) < 1e-9)"},
                   folder.path());
  EXPECT_EQ(read.out, "s m bounce True True\n") << read.err;
}

TEST(Run, EveryTemplateRunsAsItIs) {
  for (const Kind& kind : kinds()) {
    const support::TemporaryFolder folder;
    ASSERT_EQ(support::run({CAROM_PROGRAM, "new", kind.name}, folder.path()).exit_code, 0);
    const auto done =
        support::run({CAROM_PROGRAM, "run", kind.name + ".toml", "--quiet"}, folder.path(), 120);
    EXPECT_EQ(done.exit_code, 0) << kind.name << ": " << done.err;
    const auto check = support::run({CAROM_PROGRAM, "check", kind.name + ".toml"}, folder.path());
    EXPECT_EQ(check.exit_code, 0) << kind.name << ": " << check.err;
  }
}

TEST(Run, AcceptanceFilesRunAsTheyAre) {
  const auto shared = support::shared_folder();
  if (shared.empty()) GTEST_SKIP() << "the acceptance files are not here (set CAROM_SHARED)";
  for (const char* name : {"bounce", "pendulums", "strike"}) {
    const support::TemporaryFolder folder;
    const std::string file = (shared / "acceptance" / (std::string(name) + ".toml")).string();
    const auto done =
        support::run({CAROM_PROGRAM, "run", file, "--out", "out", "--quiet"}, folder.path(), 120);
    ASSERT_EQ(done.exit_code, 0) << name << ": " << done.err;
    const Json results = parse_json(support::read_file(folder / "out" / "summary.json"))["results"];
    EXPECT_FALSE(results["impacts"].empty()) << name;
    if (std::string(name) == "strike") {
      EXPECT_EQ(results["spectral_peaks"].size(), 3u);
    }
  }
}

TEST(Run, InterruptedLeavesNothingAndExits130) {
  const support::TemporaryFolder folder, scratch;
  support::Process process(
      {CAROM_PROGRAM, "run", plate, "--out", "out", "--set", "run.duration=3600"}, folder.path(),
      scratch.path());
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  EXPECT_TRUE(process.running());
  process.send(SIGINT);
  const auto done = process.wait(20);
  EXPECT_FALSE(done.timed_out);
  EXPECT_EQ(done.exit_code, 130) << done.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  EXPECT_EQ(done.err, "carom: interrupted; nothing was written\n");
}

TEST(Run, KilledLeavesNothingThatLooksWholeAndTheNextRunCleansUp) {
  const support::TemporaryFolder folder, scratch;
  const std::vector<std::string> command{CAROM_PROGRAM, "run", plate, "--out", "out"};
  std::vector<std::string> longer = command;
  longer.insert(longer.end(), {"--set", "run.duration=3600"});
  {
    support::Process process(longer, folder.path(), scratch.path());
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    process.send(SIGKILL);
    EXPECT_EQ(process.wait(20).exit_code, -SIGKILL);
  }
  EXPECT_TRUE(visible_files(folder / "out").empty());
  EXPECT_EQ(support::run(command, folder.path()).exit_code, 0);
  std::size_t hidden = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "out")) {
    if (entry.path().filename().string().starts_with('.')) ++hidden;
  }
  EXPECT_EQ(hidden, 0u);
}

/// The most memory a process has had [kB], from /proc; 0 when it is gone.
long peak_memory(pid_t id) {
  std::ifstream status("/proc/" + std::to_string(id) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atol(line.c_str() + 6);
  }
  return 0;
}

TEST(Run, TenMinutesOfSoundStayBelow200MB) {
  const support::TemporaryFolder folder, scratch;
  support::Process process({CAROM_PROGRAM, "run", plate, "--out", "out", "--set",
                            "run.duration=600", "--set", "output.every=1000"},
                           folder.path(), scratch.path());
  long peak = 0;
  while (process.running()) {
    peak = std::max(peak, peak_memory(process.id()));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const auto done = process.wait(1);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_GT(peak, 1000);
  EXPECT_LT(peak, 200000);
  EXPECT_EQ(std::filesystem::file_size(folder / "out" / "sound.wav") / 3 / 44100, 600u);
}

TEST(Run, ShowsProgressOnATerminalAndNoneWhenQuiet) {
  if (std::system("command -v script > /dev/null 2>&1") != 0) {
    GTEST_SKIP() << "script, which makes a terminal, is not installed";
  }
  const support::TemporaryFolder folder;
  const std::string command = std::string(CAROM_PROGRAM) +
                              " run " CAROM_SOURCE_DIR
                              "/tests/trust/old/plate.toml --out out --set output.every=1000";
  // An hour of sound lasts longer than five seconds on any machine.
  const auto shown = support::run(
      {"script", "-qec", "timeout --foreground -s INT 5 " + command + " --set run.duration=3600",
       "/dev/null"},
      folder.path(), 200);
  EXPECT_NE(shown.out.find(" %  "), std::string::npos) << shown.out;
  EXPECT_NE(shown.out.find("s per second"), std::string::npos);
  EXPECT_NE(shown.out.find(" left"), std::string::npos);
  const auto quiet =
      support::run({"script", "-qec", command + " --quiet --set run.duration=1", "/dev/null"},
                   folder.path(), 200);
  EXPECT_EQ(quiet.out, "");
}

TEST(Run, AFailedOneSaysWhyOnceAndExits1) {
  const support::TemporaryFolder folder;
  ASSERT_EQ(support::run({CAROM_PROGRAM, "new", "bar"}, folder.path()).exit_code, 0);
  const auto done = support::run(
      {CAROM_PROGRAM, "run", "bar.toml", "--out", "out", "--set", "run.step=1e-5"}, folder.path());
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
  const std::string status =
      parse_json(support::read_file(folder / "out" / "summary.json"))["status"];
  const std::size_t first = done.err.find(status);
  ASSERT_NE(first, std::string::npos) << done.err;
  EXPECT_EQ(done.err.find(status, first + 1), std::string::npos) << done.err;
}

TEST(OutputFolder, RefusesAFileInItsPlaceAndLeavesItAlone) {
  const support::TemporaryFolder folder;
  folder.write("out", "mine");
  const auto done = support::run({CAROM_PROGRAM, "run", bounce, "--out", "out"}, folder.path());
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_EQ(support::read_file(folder / "out"), "mine");
}

}  // namespace
}  // namespace carom
