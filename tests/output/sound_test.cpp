#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <sndfile.h>

#include <gtest/gtest.h>

#include <carom/output/run.hpp>
#include <carom/output/sound.hpp>
#include <carom/scenario/spectrum.hpp>

#include "process.hpp"

namespace carom {
namespace {

struct Wave {
  int rate = 0, channels = 0, format = 0;
  std::vector<double> samples;
};

Wave read_wave(const std::filesystem::path& file) {
  SF_INFO info{};
  SNDFILE* sound = sf_open(file.c_str(), SFM_READ, &info);
  EXPECT_NE(sound, nullptr);
  Wave wave{info.samplerate, info.channels, info.format, {}};
  if (sound == nullptr) return wave;
  wave.samples.resize(static_cast<std::size_t>(info.frames));
  EXPECT_EQ(sf_read_double(sound, wave.samples.data(), info.frames), info.frames);
  sf_close(sound);
  return wave;
}

double largest(const std::vector<double>& samples) {
  double peak = 0;
  for (const double sample : samples) peak = std::max(peak, std::abs(sample));
  return peak;
}

TEST(Sound, OfTheBounceIsWhereTheBouncesAreAndTheSameEveryTime) {
  const support::TemporaryFolder folder;
  const std::vector<Override> dry{{"sound.source", "force"}};
  const Scenario scenario = load_scenario(CAROM_SOURCE_DIR "/examples/bounce.toml", dry);
  const RunReport first = run_to_folder(scenario, {.out = folder / "first"});
  run_to_folder(scenario, {.out = folder / "second"});
  EXPECT_EQ(support::read_file(folder / "first" / "sound.wav"),
            support::read_file(folder / "second" / "sound.wav"));
  EXPECT_EQ(support::read_file(folder / "first" / "signals.csv"),
            support::read_file(folder / "second" / "signals.csv"));

  const Wave wave = read_wave(folder / "first" / "sound.wav");
  EXPECT_EQ(wave.rate, 44100);
  EXPECT_EQ(wave.channels, 1);
  const double seconds = first.summary["timing"]["simulated_seconds"].get<double>();
  EXPECT_NEAR(static_cast<double>(wave.samples.size()), seconds * 44100, 2);
  EXPECT_NEAR(largest(wave.samples), 0.9, 1e-6);  // of 24 bit

  // Nearly all energy lies within a few samples of a contact.
  double at_contacts = 0, all = 0;
  std::vector<bool> near(wave.samples.size(), false);
  for (const Json& impact : first.summary["results"]["impacts"]) {
    const double begin = impact["time"].get<double>() * 44100;
    const double end = begin + impact["contact_time"].get<double>() * 44100;
    const auto first_near = static_cast<std::int64_t>(begin) - 1;
    for (std::int64_t i = std::max<std::int64_t>(0, first_near);
         i < static_cast<std::int64_t>(near.size()) && static_cast<double>(i) <= end + 2; ++i) {
      near[static_cast<std::size_t>(i)] = true;
    }
  }
  for (std::size_t i = 0; i < wave.samples.size(); ++i) {
    all += wave.samples[i] * wave.samples[i];
    if (near[i]) at_contacts += wave.samples[i] * wave.samples[i];
  }
  EXPECT_GT(all, 0);
  EXPECT_GT(at_contacts / all, 0.999999);
  EXPECT_LT(static_cast<double>(std::count(near.begin(), near.end(), true)),
            0.05 * static_cast<double>(near.size()));
}

/// Writes a sine and reads it back.
Wave resampled(double from, double to, double frequency, int bits,
               const support::TemporaryFolder& folder) {
  SoundWriter writer({.rate = to, .bits = bits, .peak = 0.5}, folder / "spool");
  writer.begin(from);
  std::vector<double> block;
  for (int i = 0; i < static_cast<int>(from); ++i) {
    block.push_back(3 * std::sin(2 * std::numbers::pi * frequency * i / from));
    if (block.size() == 777) {
      writer.write(block);
      block.clear();
    }
  }
  writer.write(block);
  writer.finish();
  writer.write_wav(folder / "tone.wav");
  EXPECT_NEAR(writer.info().gain * writer.info().peak, 0.5, 1e-12);
  return read_wave(folder / "tone.wav");
}

TEST(Sound, ResamplingKeepsATonePureAndDropsWhatDoesNotFit) {
  const support::TemporaryFolder folder;
  const Wave tone = resampled(1e6, 44100, 5000, 32, folder);
  EXPECT_NEAR(static_cast<double>(tone.samples.size()), 44100, 2);
  const std::vector<double> middle(tone.samples.begin() + 5000,
                                   tone.samples.begin() + 5000 + 32768);
  const auto peaks = spectral_peaks(middle, 44100, 8, -100);
  ASSERT_FALSE(peaks.empty());
  EXPECT_NEAR(peaks[0].frequency, 5000, 0.1);
  EXPECT_EQ(peaks.size(), 1u) << "something at " << peaks[1].frequency << " Hz";
  // 30 kHz cannot be in a file of 44.1 kHz: what is left is the switching on and off at the ends.
  SoundWriter writer({.rate = 44100}, folder / "spool2");
  writer.begin(1e6);
  std::vector<double> high(1000000);
  for (std::size_t i = 0; i < high.size(); ++i) {
    high[i] = std::sin(2 * std::numbers::pi * 30000 * static_cast<double>(i) / 1e6);
  }
  writer.write(high);
  writer.finish();
  EXPECT_LT(largest(writer.read(10000, 20000)), 1e-6);
}

TEST(Sound, HasTheBitsThatWereAskedFor) {
  const support::TemporaryFolder folder;
  EXPECT_EQ(resampled(44100, 44100, 100, 16, folder).format & SF_FORMAT_SUBMASK, SF_FORMAT_PCM_16);
  EXPECT_EQ(resampled(44100, 44100, 100, 24, folder).format & SF_FORMAT_SUBMASK, SF_FORMAT_PCM_24);
  EXPECT_EQ(resampled(44100, 44100, 100, 32, folder).format & SF_FORMAT_SUBMASK, SF_FORMAT_FLOAT);
}

TEST(Sound, OfSilenceIsSilence) {
  const support::TemporaryFolder folder;
  SoundWriter writer({}, folder / "spool");
  writer.begin(96000);
  writer.write(std::vector<double>(96000, 0.0));
  writer.finish();
  writer.write_wav(folder / "silence.wav");
  EXPECT_EQ(largest(read_wave(folder / "silence.wav").samples), 0);
  EXPECT_EQ(writer.info().gain, 1.0);
}

}  // namespace
}  // namespace carom
