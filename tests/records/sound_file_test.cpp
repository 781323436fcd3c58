#include <cmath>
#include <filesystem>
#include <fstream>
#include <sndfile.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/records/measurements.hpp>

namespace carom {
namespace {

namespace fs = std::filesystem;

/// A tone of 1 kHz, twice as strong on the right as on the left.
fs::path tone(const char* ending, int format, int channels) {
  const fs::path file = fs::temp_directory_path() /
                        ("carom_tone_" + std::to_string(getpid()) + "." + std::string(ending));
  SF_INFO info{};
  info.samplerate = 48000;
  info.channels = channels;
  info.format = format;
  SNDFILE* sound = sf_open(file.c_str(), SFM_WRITE, &info);
  std::vector<double> frames;
  for (int i = 0; i < 4800; ++i) {
    for (int c = 0; c < channels; ++c)
      frames.push_back(0.2 * (c + 1) * std::sin(2 * 3.14159265358979 * 1000 * i / 48000.0));
  }
  sf_writef_double(sound, frames.data(), 4800);
  sf_close(sound);
  return file;
}

TEST(SoundFile, FormatsGiveTheSameSamples) {
  struct Format {
    const char* ending;
    int format;
    double error;  ///< what the coding loses
  };
  for (const Format& one : {Format{"wav", SF_FORMAT_WAV | SF_FORMAT_PCM_16, 4e-5},
                            Format{"wav", SF_FORMAT_WAV | SF_FORMAT_FLOAT, 1e-7},
                            Format{"flac", SF_FORMAT_FLAC | SF_FORMAT_PCM_24, 2e-7},
                            Format{"aiff", SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 4e-5},
                            Format{"ogg", SF_FORMAT_OGG | SF_FORMAT_VORBIS, 0.05}}) {
    SCOPED_TRACE(one.ending);
    const fs::path file = tone(one.ending, one.format, 2);
    const SoundRecord sound = read_sound(file);
    EXPECT_EQ(sound.rate, 48000);
    ASSERT_EQ(sound.samples.size(), 4800u);
    for (std::size_t i = 1000; i < 3800; ++i) {  // channels are averaged; a codec fades at its ends
      ASSERT_NEAR(sound.samples[i],
                  0.3 * std::sin(2 * 3.14159265358979 * 1000 * double(i) / 48000.0), one.error);
    }
    // Cut short: refused, or what is left of it.
    fs::resize_file(file, 40);
    EXPECT_THROW(read_sound(file), InvalidInput);
    std::ofstream(file, std::ios::trunc).close();
    EXPECT_THROW(read_measurements(file), InvalidInput);
    fs::remove(file);
  }
}

// The page reads WAV files without libsndfile; what libsndfile writes and reads is the reference.
TEST(WavOf, ReadsWhatLibsndfileReads) {
  for (const int channels : {1, 2}) {
    for (const int format : {SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32,
                             SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE}) {
      const fs::path file = tone("wav", SF_FORMAT_WAV | format, channels);
      const SoundRecord expected = read_sound(file);
      std::ifstream stream(file, std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
      fs::remove(file);
      const SoundRecord read = wav_of("tone.wav", bytes);
      EXPECT_EQ(read.rate, expected.rate);
      ASSERT_EQ(read.samples.size(), expected.samples.size());
      for (std::size_t i = 0; i < read.samples.size(); ++i)
        ASSERT_NEAR(read.samples[i], expected.samples[i], 1e-15) << format << " " << i;
      // Cut off anywhere: fewer samples or a refusal, never more than there is.
      for (const std::size_t size : {3u, 11u, 20u, 40u, 44u, 60u, 1000u}) {
        try {
          EXPECT_LE(wav_of("tone.wav", bytes.substr(0, size)).samples.size(), size);
        } catch (const InvalidInput& error) {
          EXPECT_NE(std::string(error.what()).find("tone.wav"), std::string::npos);
        }
      }
    }
  }
}

}  // namespace
}  // namespace carom
