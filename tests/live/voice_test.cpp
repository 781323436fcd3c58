#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/live/voice.hpp>
#include <carom/steppers/modal_plain.hpp>

#include "played_string.hpp"

namespace {

using carom::Voice;
using support::hard;
using support::played_string;
using support::soft;

constexpr double rate = 44100;

/// So many samples of a voice in blocks of 128.
std::vector<double> sound_of(Voice& voice, std::size_t samples) {
  std::vector<double> out(samples, 0.0);
  for (std::size_t i = 0; i < samples; i += 128) {
    const std::span<double> block =
        std::span(out).subspan(i, std::min<std::size_t>(128, samples - i));
    voice.process({&block, 1});
  }
  return out;
}

/// |residual| in shares of all that went through the account.
double unexplained(const Voice& voice) {
  const carom::VoiceEnergy energy = voice.energy();
  return std::abs(energy.residual) /
         (std::abs(energy.stored) + std::abs(energy.dissipated) + std::abs(energy.injected));
}

TEST(Voice, MovesAsThePlainScheme) {
  for (const auto& law : {soft, hard}) {
    carom::PlayedBody body = played_string(law);
    Voice voice(body, {.rate = rate, .oversampling = 4, .velocity = false});
    const carom::ModalState start =
        pluck(support::live_string, body.problem.body, {.position = 0.2, .height = 1.5e-3});
    voice.add({start.position.data(), 90}, {});
    body.problem.start = start;
    body.problem.rate = 4 * rate;
    carom::ModalPlain plain(body.problem);
    const std::vector<double> heard = sound_of(voice, 1000);
    double deviation = 0, largest = 0;
    long long touched = 0;
    for (const double sample : heard) {
      for (int k = 0; k < 4; ++k) {
        plain.step();
        touched += plain.touched() ? 1 : 0;
      }
      const double expected = body.ears.row(0).dot(plain.position());
      deviation = std::max(deviation, std::abs(sample - expected));
      largest = std::max(largest, std::abs(expected));
    }
    EXPECT_GT(touched, 20);
    EXPECT_EQ(voice.contact_steps(), touched);
    // The order of sums differs; contacts of an elastic string enlarge that.
    EXPECT_LE(deviation, 1e-9 * largest);
  }
}

TEST(Voice, PluckMovesThePlaceByItsHeight) {
  carom::PlayedBody body = played_string(soft);
  body.problem.heights = {-1.0, 1.0};  // nothing in the way
  Voice voice(body, {.rate = rate, .oversampling = 4, .velocity = false});
  std::vector<double> row(90);
  voice.shapes_at(0.3, row);
  // Slow beside the period of the string: it follows the force as at rest.
  voice.pluck(0.3, 1e-3, 0.2);
  sound_of(voice, static_cast<std::size_t>(0.2 * rate));
  double place = 0;
  voice.shape(row, {&place, 1});
  EXPECT_NEAR(place, 1e-3, 1e-5);
  EXPECT_LT(unexplained(voice), 1e-12);
}

TEST(Voice, EveryChangeIsBooked) {
  for (const auto& law : {soft, hard}) {
    Voice voice(played_string(law, true), {.rate = rate, .oversampling = 4});
    std::vector<carom::Mode> sharper = modal_body(support::live_string, {}).modes;
    for (carom::Mode& mode : sharper) mode.frequency *= 1.3;
    double loudest = 0;
    for (int turn = 0; turn < 6; ++turn) {
      voice.pluck(0.2 + 0.1 * turn, 1.5e-3);
      sound_of(voice, 700);
      voice.strike(1.0 + turn, 0.15);
      sound_of(voice, 300);
      voice.move_obstacle(0, turn % 2 == 0 ? 5e-4 : -3e-4);
      sound_of(voice, 500);
      voice.move_obstacle(0, -1e-4, 0.2 + 0.1 * turn);
      voice.move_obstacle(1, turn % 2 == 0 ? 1e-4 : 4e-3, 0.7);
      sound_of(voice, 500);
      voice.glide(sharper);
      voice.listen(0, 0.8);
      sound_of(voice, 200);
      voice.damp(turn == 3 ? 50 : 0);
      for (const double sample : sound_of(voice, 300))
        loudest = std::max(loudest, std::abs(sample));
      EXPECT_LT(unexplained(voice), 1e-11) << turn;
    }
    EXPECT_GT(voice.contact_steps(), 500);
    EXPECT_EQ(voice.space().unsolved(), 0);
    EXPECT_GT(loudest, 1e-3);
    EXPECT_LT(loudest, 1e3);  // [m/s]
  }
}

// Without contacts of restitution below one there is no source but those that are booked: once
// nothing is done any more, the energy only falls.
TEST(Voice, NothingIsAddedWhileNobodyPlays) {
  Voice voice(played_string(soft, true), {.rate = rate, .oversampling = 4});
  voice.strike(3.0, 0.2);
  sound_of(voice, 2000);
  voice.move_obstacle(0, 3e-4);
  voice.damp(10);
  sound_of(voice, 8000);
  double before = voice.stored();
  const double injected = voice.energy().injected;
  for (int block = 0; block < 300; ++block) {
    sound_of(voice, 128);
    EXPECT_LE(voice.stored(), before * (1 + 1e-12));
    before = voice.stored();
  }
  EXPECT_NEAR(voice.energy().injected, injected, 1e-9 * injected);
}

// live.md: with gaps begun anew a hard obstacle passes through the string.
TEST(Voice, AHardObstacleLiftsTheString) {
  Voice voice(played_string(hard), {.rate = rate, .oversampling = 4});
  std::vector<double> row(90);
  voice.shapes_at(0.1 / 0.65, row);
  voice.move_obstacle(0, 4e-4);
  sound_of(voice, 22050);
  double place = 0;
  voice.shape(row, {&place, 1});
  EXPECT_NEAR(voice.height(0), 4e-4, 1e-12);
  EXPECT_GT(place, 4e-4 - 1e-6);
  EXPECT_GT(voice.energy().injected, 0);  // lifting a string takes work
  EXPECT_LT(unexplained(voice), 1e-11);
}

TEST(Voice, AMovedPickupAndAResetMakeNoStep) {
  Voice voice(played_string(soft), {.rate = rate, .oversampling = 4, .velocity = false});
  voice.pluck(0.3, 2e-3);
  const std::vector<double> before = sound_of(voice, 1280);
  double largest_step = 0, largest = 0;
  for (std::size_t i = 1; i < before.size(); ++i) {
    largest_step = std::max(largest_step, std::abs(before[i] - before[i - 1]));
    largest = std::max(largest, std::abs(before[i]));
  }
  voice.listen(0, 0.1);
  const std::vector<double> after = sound_of(voice, 1);
  EXPECT_LE(std::abs(after[0] - before.back()), 2 * largest_step + 0.01 * largest);
  const double last = sound_of(voice, 77).back();
  voice.reset();
  EXPECT_NEAR(sound_of(voice, 1)[0], last, 0.02 * largest);
  EXPECT_NEAR(sound_of(voice, 4410).back(), 0, 1e-9 * largest);
}

TEST(Voice, RefusesWhatItCannotPlay) {
  carom::PlayedBody body = played_string(soft);
  EXPECT_THROW(Voice(body, {.rate = 0}), carom::InvalidInput);
  EXPECT_THROW(Voice(body, {.oversampling = 0}), carom::InvalidInput);
  body.hammer = 2;
  EXPECT_THROW(Voice(body, {}), carom::InvalidInput);
  body.hammer = -1;
  body.ears.resize(0, 90);
  EXPECT_THROW(Voice(body, {}), carom::InvalidInput);
}

}  // namespace
