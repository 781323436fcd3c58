// Levels, ends and channels of sound files.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <sndfile.h>

#include <gtest/gtest.h>

#include <carom/output/run.hpp>
#include <carom/output/sound.hpp>
#include <carom/scenario/template.hpp>

#include "process.hpp"

namespace carom {
namespace {

struct Stereo {
  int channels = 0;
  std::vector<double> samples;  // interleaved
};

Stereo read_sound_file(const std::filesystem::path& file) {
  SF_INFO info{};
  SNDFILE* sound = sf_open(file.c_str(), SFM_READ, &info);
  EXPECT_NE(sound, nullptr) << file;
  if (sound == nullptr) return {};
  Stereo all{info.channels,
             std::vector<double>(static_cast<std::size_t>(info.frames * info.channels))};
  EXPECT_EQ(sf_readf_double(sound, all.samples.data(), info.frames), info.frames);
  sf_close(sound);
  return all;
}

/// The sound of a sine of amplitude 1 and 5 s.
SoundInfo sine(const SoundSettings& settings, double frequency, double rate,
               const support::TemporaryFolder& folder) {
  SoundWriter writer(settings, folder / "spool");
  writer.begin(rate);
  std::vector<double> samples;
  for (int i = 0; i < static_cast<int>(5 * rate); ++i) {
    for (int channel = 0; channel < settings.channels; ++channel)
      samples.push_back(std::sin(2 * std::numbers::pi * frequency * i / rate));
  }
  writer.write(samples);
  writer.finish();
  writer.write_wav(folder / "sine.wav");
  return writer.info();
}

TEST(SoundLevel, LoudnessIsThatOfTheStandard) {
  const support::TemporaryFolder folder;
  // ITU-R BS.1770: a sine of full scale and 997 Hz in one channel reads -3.01 LKFS, in two 0.
  const SoundInfo one = sine({.rate = 48000, .gain = 1.0}, 997, 48000, folder);
  ASSERT_TRUE(one.loudness);
  EXPECT_NEAR(*one.loudness, -3.01, 0.02);
  EXPECT_NEAR(one.peak, 1, 1e-3);
  const SoundInfo two = sine({.rate = 48000, .gain = 1.0, .channels = 2}, 997, 48000, folder);
  EXPECT_NEAR(*two.loudness, 0.0, 0.02);
  EXPECT_NEAR(*sine({.rate = 48000, .gain = 0.1}, 997, 48000, folder).loudness, -23.01, 0.02);
  // Resampled: the same sound.
  EXPECT_NEAR(*sine({.rate = 44100, .gain = 1.0}, 997, 96000, folder).loudness, -3.01, 0.02);
}

TEST(SoundLevel, AFixedGainIsKeptAndDoesNotWrapAround) {
  const support::TemporaryFolder folder;
  EXPECT_EQ(sine({.gain = 0.25}, 440, 44100, folder).gain, 0.25);
  const Stereo quiet = read_sound_file(folder / "sine.wav");
  EXPECT_NEAR(*std::max_element(quiet.samples.begin(), quiet.samples.end()), 0.25, 1e-4);
  const SoundInfo info = sine({.bits = 16, .gain = 1.5}, 440, 44100, folder);
  EXPECT_EQ(info.file_peak(), 1.0);  // what is said is said of the file
  EXPECT_LT(*info.loudness, -1.0);   // uncut it would be 0.5
  const Stereo cut = read_sound_file(folder / "sine.wav");
  for (std::size_t i = 0; i < 40000; ++i) {
    const double wanted = 1.5 * std::sin(2 * std::numbers::pi * 440 * double(i) / 44100);
    ASSERT_NEAR(cut.samples[i], std::clamp(wanted, -1.0, 1.0), 1e-4) << i;
  }
}

TEST(SoundEnds, FadesAreRaisedCosinesOfTheLengthAskedFor) {
  const support::TemporaryFolder folder;
  SoundWriter writer({.rate = 1000, .peak = 1.0, .fade = std::array{0.1, 0.2}}, folder / "spool");
  writer.begin(1000);
  writer.write(std::vector<double>(1000, 1.0));
  writer.finish();
  const std::vector<double> samples = writer.read(0, 1000);
  EXPECT_EQ(samples.front(), 0);
  EXPECT_EQ(samples.back(), 0);
  EXPECT_NEAR(samples[50], 0.5, 1e-12);
  EXPECT_NEAR(samples[999 - 100], 0.5, 1e-12);
  for (std::size_t i = 100; i < 800; ++i) ASSERT_EQ(samples[i], 1.0);
}

TEST(SoundEnds, AnAttackAtTheStartIsLeftAlone) {
  const support::TemporaryFolder folder;
  SoundWriter writer({.rate = 44100}, folder / "spool");
  writer.begin(44100);
  std::vector<double> click(4410, 0.0);
  click[1] = 1;
  writer.write(click);
  writer.finish();
  EXPECT_EQ(writer.info().fade[0], 0);
  EXPECT_EQ(writer.read(0, 2)[1], 1.0);
}

/// Runs it shortened and looks at the ends: -60 dBFS and less is no click.
void expect_no_click(const std::string& name, const std::string& text,
                     const std::filesystem::path& home, const support::TemporaryFolder& folder) {
  SCOPED_TRACE(name);
  Scenario scenario = parse_scenario(text, home / (name + ".toml"));
  std::vector<Override> overrides;
  // The earlier it ends the more there is to be cut off.
  if (scenario.given("run.duration") && scenario.number("run.duration") > 0.2)
    overrides.push_back({"run.duration", "0.2"});
  if (!scenario.has("sound")) {
    for (const Table& table : find_kind(scenario.kind()).tables) {
      if (table.name == "sound" && !find_field(table, "body"))
        overrides.push_back({"sound.rate", "44100"});
    }
    if (overrides.empty() || overrides.back().key != "sound.rate") return;
  }
  scenario = parse_scenario(text, home / (name + ".toml"), overrides);
  const RunReport report = run_to_folder(scenario, {.out = folder / name, .sound_only = true});
  const Stereo sound = read_sound_file(folder / name / "sound.wav");
  ASSERT_FALSE(sound.samples.empty());
  EXPECT_LE(std::abs(sound.samples.front()), 1e-3);
  EXPECT_LE(std::abs(sound.samples.back()), 1e-3);
  EXPECT_FALSE(std::filesystem::exists(folder / name / "signals.csv"));
}

TEST(SoundEnds, NoTemplateClicks) {
  const support::TemporaryFolder folder;
  for (const Kind& kind : kinds()) {
    expect_no_click(kind.name, scenario_template(kind, ""), ".", folder);
    for (const ScenarioExample& example : kind.examples)
      expect_no_click(std::string(example.name), scenario_template(kind, example.name), ".",
                      folder);
  }
}

TEST(SoundEnds, NoExampleClicks) {
  const support::TemporaryFolder folder;
  int heard = 0;
  for (const auto& entry : std::filesystem::directory_iterator(CAROM_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".toml") continue;
    ++heard;
    expect_no_click(entry.path().stem().string(), support::read_file(entry.path()),
                    entry.path().parent_path(), folder);
  }
  EXPECT_GE(heard, 10);
}

TEST(SoundChannels, StereoIsTheTwoPickupsEachAsItWouldBeAlone) {
  const support::TemporaryFolder folder;
  const auto file = CAROM_SOURCE_DIR "/examples/mallet_on_bar.toml";
  const auto heard = [&](const std::string& name, std::vector<Override> overrides) {
    for (const Override& more : {Override{"run.duration", "0.05"}, Override{"sound.gain", "0.1"},
                                 Override{"sound.bits", "32"}})
      overrides.push_back(more);
    run_to_folder(load_scenario(file, overrides), {.out = folder / name, .sound_only = true});
    return read_sound_file(folder / name / "sound.wav");
  };
  const Stereo both = heard("both", {{"sound.right", "2"}});
  const Stereo left = heard("left", {}), right = heard("right", {{"sound.point", "2"}});
  ASSERT_EQ(both.channels, 2);
  ASSERT_EQ(both.samples.size(), 2 * left.samples.size());
  double difference = 0;
  for (std::size_t i = 0; i < left.samples.size(); ++i) {
    // Everything but the fade is the same; whether there is one at the start is decided for both.
    if (i < 100) continue;
    ASSERT_EQ(both.samples[2 * i], left.samples[i]) << i;
    ASSERT_EQ(both.samples[2 * i + 1], right.samples[i]) << i;
    difference = std::max(difference, std::abs(left.samples[i] - right.samples[i]));
  }
  EXPECT_GT(difference, 1e-3);
  EXPECT_THROW(load_scenario(file, std::vector<Override>{{"sound.right", "3"}}), ScenarioError);
}

TEST(SoundEnds, RefusesWhatContradictsItself) {
  const auto file = CAROM_SOURCE_DIR "/tests/trust/old/plate.toml";
  const auto with = [&](std::vector<Override> overrides) { return load_scenario(file, overrides); };
  EXPECT_THROW(with({{"sound.gain", "1.0"}, {"sound.peak", "0.5"}}), ScenarioError);
  EXPECT_THROW(with({{"sound.fade", "[0.0, 0.9]"}}), ScenarioError);
  EXPECT_THROW(with({{"sound.fade", "[0.1]"}}), ScenarioError);
  EXPECT_THROW(with({{"sound.fade", "[-0.1, 0.1]"}}), ScenarioError);
  EXPECT_NO_THROW(with({{"sound.fade", "[0.1, 0.5]"}}));
}

}  // namespace
}  // namespace carom
