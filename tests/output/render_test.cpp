#include <cmath>
#include <sndfile.h>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/output/files.hpp>
#include <carom/output/render.hpp>
#include <carom/scenario/note.hpp>
#include <carom/scenario/spectrum.hpp>

#include "process.hpp"

namespace carom {
namespace {

std::vector<double> samples_of(const std::filesystem::path& file) {
  SF_INFO info{};
  SNDFILE* sound = sf_open(file.c_str(), SFM_READ, &info);
  EXPECT_NE(sound, nullptr) << file;
  if (sound == nullptr) return {};
  std::vector<double> samples(static_cast<std::size_t>(info.frames * info.channels));
  EXPECT_EQ(sf_readf_double(sound, samples.data(), info.frames), info.frames);
  sf_close(sound);
  return samples;
}

double energy_of(const std::vector<double>& samples) {
  double sum = 0;
  for (const double sample : samples) sum += sample * sample;
  return sum;
}

constexpr const char* string_file = R"(kind = "string"
[string]
length = 0.65
linear_density = 1.17e-3
tension = 73.0
modes = 20
inharmonicity = 1e-4
viscoelastic = 3e-3
thermoelastic = 1e-3
[pluck]
position = 0.1
height = 1e-3
[run]
rate = 44100.0
duration = 1.0
[output]
points = [0.2]
[sound]
quantity = "velocity"
)";

TEST(Note, IsAKeyAndAFrequency) {
  EXPECT_EQ(note_key("A4"), 69);
  EXPECT_EQ(note_key("C4"), 60);
  EXPECT_EQ(note_key("C-1"), 0);
  EXPECT_EQ(note_key("Bb2"), note_key("A#2"));
  EXPECT_EQ(note_key("Cb4"), note_key("B3"));
  EXPECT_EQ(note_key("G9"), 127);
  EXPECT_NEAR(note_frequency(note_key("D2")), 73.416, 5e-4);  // printed in any table
  for (int key = 0; key < 128; ++key) {
    EXPECT_EQ(note_key(note_name(key)), key);
    EXPECT_NEAR(key_of_frequency(note_frequency(key)), key, 1e-12);
  }
  for (const char* wrong : {"", "H2", "D", "2", "D22", "d2", "D#", "G#9", "D-2", " 4", "Cb-1"})
    EXPECT_THROW(note_key(wrong), InvalidInput) << wrong;
}

TEST(Render, OfALinearStringIsLouderAsItIsPluckedHarderAndInTune) {
  const support::TemporaryFolder folder;
  write_file(folder / "string.toml", string_file);
  const RenderReport report =
      render_samples(folder / "string.toml",
                     {.out = folder / "out", .notes = {"A3", "D3"}, .velocities = {1.0, 0.25}});
  ASSERT_EQ(report.samples.size(), 4u);
  EXPECT_EQ(report.blow, "pluck.height");
  for (std::size_t i = 0; i < 4; i += 2) {
    const auto &soft = report.samples[i], &hard = report.samples[i + 1];
    EXPECT_EQ(soft.key, note_key(i == 0 ? "D3" : "A3"));
    EXPECT_NEAR(soft.cents, 0, 1e-9);
    const std::vector<double> low = samples_of(folder / "out" / soft.file);
    const std::vector<double> high = samples_of(folder / "out" / hard.file);
    // Without contact the string is linear: four times the height, four times the sound. 24 bit.
    EXPECT_NEAR(std::sqrt(energy_of(high) / energy_of(low)), 4, 1e-4);
    const auto peaks = spectral_peaks(high, 44100, 20, -60);
    double lowest = 1e9;
    for (const SpectralPeak& peak : peaks) lowest = std::min(lowest, peak.frequency);
    EXPECT_NEAR(1200 * std::log2(lowest / note_frequency(soft.key)), 0, 1);  // cents
  }
  EXPECT_EQ(report.samples[0].high_key + 1, report.samples[2].low_key);
  EXPECT_EQ(report.samples[0].low_key, 0);
  EXPECT_EQ(report.samples[2].high_key, 127);
  EXPECT_EQ(report.samples[0].high_velocity + 1, report.samples[1].low_velocity);
  double loudest = 0;
  for (const auto& sample : report.samples) loudest = std::max(loudest, sample.peak);
  EXPECT_NEAR(loudest, 0.9, 1e-12);
  const std::string map = support::read_file(folder / "out" / "string.sfz");
  for (const auto& sample : report.samples)
    EXPECT_NE(map.find("sample=" + sample.file + " "), std::string::npos) << map;
  EXPECT_NE(map.find("amp_veltrack=0"), std::string::npos);
}

TEST(Render, RefusesWhatItCannotDo) {
  const support::TemporaryFolder folder;
  write_file(folder / "string.toml", string_file);
  const auto refused = [&](const RenderSettings& settings) {
    EXPECT_THROW(render_samples(folder / "string.toml", settings), InvalidInput);
    EXPECT_FALSE(std::filesystem::exists(settings.out));
  };
  refused({.out = folder / "out", .notes = {"H3"}});
  refused({.out = folder / "out", .notes = {"A3", "A3"}});
  refused({.out = folder / "out", .velocities = {1.0, 1.0}});
  refused({.out = folder / "out", .velocities = {0.0}});
  EXPECT_THROW(render_samples(CAROM_SOURCE_DIR "/examples/bounce.toml",
                              {.out = folder / "out", .notes = {"A3"}}),
               InvalidInput);
}

}  // namespace
}  // namespace carom
