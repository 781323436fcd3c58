#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/identify/modes.hpp>

using namespace carom;

namespace {

struct Truth {
  double frequency, t60, amplitude;
};

std::vector<double> struck(const std::vector<Truth>& modes, double noise, std::uint64_t seed,
                           double rate = 44100, double duration = 1.5) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> samples(static_cast<std::size_t>(rate * duration), 0.0);
  const double blow = 0.05;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double t = double(i) / rate - blow;
    for (const Truth& mode : modes) {
      if (t >= 0)
        samples[i] += mode.amplitude * std::exp(-std::log(1000.0) * t / mode.t60) *
                      std::cos(2 * std::numbers::pi * mode.frequency * t);
    }
    samples[i] += noise * normal(random);
  }
  return samples;
}

const std::vector<Truth> bell{{180, 1.5, 0.3},  {440, 2.0, 1},    {442.5, 1.2, 0.7},
                              {1230, 0.8, 0.5}, {3050, 0.3, 0.4}, {5210, 0.08, 0.3}};

TEST(Modes, OfAKnownBellAreFoundAndTheCloseOnesToldApart) {
  const std::vector<HeardMode> found = identify_modes(struck(bell, 1e-3, 1), 44100);
  ASSERT_EQ(found.size(), bell.size());
  for (std::size_t i = 0; i < bell.size(); ++i) {
    EXPECT_NEAR(found[i].frequency, bell[i].frequency, 5 * found[i].frequency_sd + 1e-4) << i;
    EXPECT_NEAR(found[i].t60() / bell[i].t60, 1, 0.01) << i;
    EXPECT_NEAR(found[i].amplitude / bell[i].amplitude, 1, 0.02) << i;
    EXPECT_LT(found[i].frequency_sd, 0.1);
  }
}

// 60 recordings of a close pair and a third mode in noise: the error over its standard deviation
// has a spread of 1. With 180 numbers its root mean square scatters by 5 %; the filter and the
// criterion add some.
TEST(Modes, StandardDeviationsAreHonest) {
  const std::vector<Truth> pair{{700, 0.6, 1}, {704, 0.5, 0.8}, {1900, 0.25, 0.5}};
  double squares = 0, decays = 0;
  int count = 0, missed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const std::vector<HeardMode> found = identify_modes(struck(pair, 0.01, seed, 16000), 16000);
    if (found.size() != pair.size()) {
      ++missed;
      continue;
    }
    for (std::size_t i = 0; i < pair.size(); ++i) {
      squares += std::pow((found[i].frequency - pair[i].frequency) / found[i].frequency_sd, 2);
      decays += std::pow((found[i].t60() - pair[i].t60) / found[i].t60_sd(), 2);
      ++count;
    }
  }
  EXPECT_LE(missed, 1);
  EXPECT_GT(std::sqrt(squares / count), 0.75);
  EXPECT_LT(std::sqrt(squares / count), 1.3);
  EXPECT_GT(std::sqrt(decays / count), 0.75);
  EXPECT_LT(std::sqrt(decays / count), 1.3);
}

TEST(Modes, NoiseAloneHasNone) { EXPECT_LE(identify_modes(struck({}, 1, 3), 44100).size(), 1u); }

TEST(Modes, SilenceShortAndBrokenSamplesAreRefused) {
  EXPECT_THROW(static_cast<void>(identify_modes(std::vector<double>(1000, 0.0), 44100)),
               InvalidInput);
  EXPECT_THROW(static_cast<void>(identify_modes(std::vector<double>(100, 1.0), 44100)),
               InvalidInput);
  std::vector<double> broken = struck(bell, 0, 1);
  broken[5] = std::nan("");
  EXPECT_THROW(static_cast<void>(identify_modes(broken, 44100)), InvalidInput);
  EXPECT_THROW(static_cast<void>(identify_modes(struck(bell, 0, 1), -1)), InvalidInput);
}

}  // namespace
