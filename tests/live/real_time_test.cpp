// What an audio thread relies on: no memory is taken, no lock waited for, every block ends, and
// what a player changes while it sounds adds no energy beyond what is booked.
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <random>

#include <gtest/gtest.h>

#include "allocations.hpp"
#include "locks.hpp"
#include "played_string.hpp"

namespace {

using carom::Gesture;
using carom::Instrument;
using carom::Voice;
using support::hard;
using support::played_string;
using support::soft;

const std::vector<carom::Mode>& modes_at(double tension) {
  static std::map<double, std::vector<carom::Mode>> known;
  carom::StiffString string = support::live_string;
  string.tension = tension;
  auto& modes = known[tension];
  if (modes.empty()) modes = modal_body(string, {}).modes;
  return modes;
}

Instrument instrument(const carom::ModalContactLaw& law, int voices) {
  std::vector<std::vector<carom::Mode>> notes;
  for (int note = 0; note < 6; ++note) notes.push_back(modes_at(50 + 10 * note));
  return {played_string(law, true),
          notes,
          {.voice = {.rate = 44100, .oversampling = 2}, .voices = voices}};
}

/// Any gesture, with numbers as a player gives them.
class Player {
 public:
  carom::PlayEvent event() {
    const auto gesture = static_cast<Gesture>(random_() % 6);
    carom::PlayEvent one{
        .offset = static_cast<int>(random_() % 128),
        .gesture = gesture,
        .note = static_cast<int>(random_() % 6),
        .index = gesture == Gesture::obstacle ? static_cast<int>(random_() % 2) : 0,
        .amount = 0,
        .place = between(0.05, 0.95)};
    if (gesture == Gesture::pluck) one.amount = between(1e-4, 3e-3);
    if (gesture == Gesture::strike) one.amount = between(0.1, 5);
    if (gesture == Gesture::damp || gesture == Gesture::damp_all) one.amount = between(0, 80);
    if (gesture == Gesture::obstacle)
      one.amount = one.index == 0 ? between(-2e-3, 3e-4) : between(1e-4, 4e-3);
    return one;
  }
  double between(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random_);
  }

 private:
  std::mt19937 random_{7};
};

#if defined(CAROM_COUNTS_ALLOCATIONS) && defined(CAROM_COUNTS_LOCKS)
TEST(RealTime, TheCountersCount) {
  const long long locks = support::locks(), allocations = support::allocations();
  std::mutex mutex;
  mutex.lock();
  mutex.unlock();
  EXPECT_EQ(support::locks(), locks + 1);
  int* volatile kept = new int;  // volatile, or both calls may be left out
  delete kept;
  EXPECT_GT(support::allocations(), allocations);
}

TEST(RealTime, NoCallOfAVoiceAllocatesOrLocks) {
  for (const auto& law : {soft, hard}) {
    Voice voice(played_string(law, true), {.rate = 44100, .oversampling = 4});
    const std::vector<carom::Mode>& modes = modes_at(75);
    std::vector<double> row(91), shape(1), position(90, 1e-6);
    std::array<double, 128> out{};
    const std::span<double> block(out);
    const long long allocations = support::allocations(), locks = support::locks();
    for (int turn = 0; turn < 40; ++turn) {
      voice.pluck(0.3, 1e-3);
      voice.strike(2.0, 0.2);
      voice.strike(1.0);
      voice.add(position, {});
      voice.move_obstacle(0, 1e-4);
      voice.move_obstacle(1, 1e-3, 0.5);
      voice.glide(modes);
      voice.damp(turn);
      voice.listen(0, 0.4);
      voice.shapes_at(0.2, row);
      voice.shape(row, shape);
      for (int k = 0; k < 5; ++k) voice.process({&block, 1});
      if (turn % 10 == 9) voice.reset();
    }
    EXPECT_EQ(support::allocations(), allocations);
    EXPECT_EQ(support::locks(), locks);
    EXPECT_GT(voice.contact_steps(), 100);
  }
}

TEST(RealTime, NoCallOfAnInstrumentAllocatesOrLocks) {
  for (const auto& law : {soft, hard}) {
    Instrument one = instrument(law, 3);
    Player player;
    const std::vector<carom::Mode>& modes = modes_at(77);
    std::array<double, 128> out{};
    const std::span<double> block(out);
    const long long allocations = support::allocations(), locks = support::locks();
    for (int turn = 0; turn < 600; ++turn) {
      for (int k = 0; k < 3; ++k) EXPECT_TRUE(one.post(player.event()));
      one.process({&block, 1});
      if (turn % 20 == 0) one.retune(turn % 6, modes);
      EXPECT_TRUE(std::isfinite(one.energy().stored));
    }
    EXPECT_EQ(support::allocations(), allocations);
    EXPECT_EQ(support::locks(), locks);
  }
}
#endif

// Loops that look for contacts are bounded: a block makes its steps and ends, whatever was asked
// for.
TEST(RealTime, ABlockEndsWhateverIsAsked) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const auto& law : {soft, hard}) {
    Instrument one = instrument(law, 2);
    for (const double wild : {nan, infinity, -infinity, 1e300, -0.2}) {
      EXPECT_FALSE(one.post({.gesture = Gesture::pluck, .amount = wild, .place = 0.3})) << wild;
      EXPECT_FALSE(one.post({.gesture = Gesture::obstacle, .amount = wild, .place = 0.3})) << wild;
    }
    EXPECT_FALSE(one.post({.gesture = Gesture::strike, .amount = 101, .place = 0.2}));
    EXPECT_FALSE(one.post({.gesture = Gesture::strike, .amount = 1, .place = nan}));
    std::array<double, 128> out{};
    const std::span<double> block(out);
    const double shares[] = {1, -1, 0.5, -0.1, 1e-300, 0.0};
    Player player;
    double longest = 0;
    for (int turn = 0; turn < 240; ++turn) {
      carom::PlayEvent event = player.event();
      const bool height = event.gesture == Gesture::pluck || event.gesture == Gesture::obstacle;
      event.amount = shares[turn % 6] * (height                             ? 0.1
                                         : event.gesture == Gesture::strike ? 100
                                                                            : 1e4);
      EXPECT_TRUE(one.post(event));
      const auto begin = std::chrono::steady_clock::now();
      one.process({&block, 1});
      longest = std::max(
          longest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
      for (const double sample : out) ASSERT_TRUE(std::isfinite(sample)) << turn;
    }
    RecordProperty("longest", std::to_string(longest));
    EXPECT_LT(longest, 0.25) << "[s]";  // far from what it takes: the machine may be busy
  }
}

// Pickup, damping and an obstacle that goes away do no work: with nobody playing, energy only
// falls.
TEST(RealTime, WhatDoesNoWorkAddsNoEnergy) {
  Voice voice(played_string(soft, true), {.rate = 44100, .oversampling = 4});
  Player player;
  std::array<double, 128> out{};
  const std::span<double> block(out);
  voice.pluck(0.3, 3e-3);
  for (int i = 0; i < 40; ++i) voice.process({&block, 1});
  voice.move_obstacle(0, -20e-3);
  voice.move_obstacle(1, 20e-3);
  for (int i = 0; i < 100; ++i) voice.process({&block, 1});
  const double injected = voice.energy().injected;
  // What the scheme calls energy depends on the damping in the second order of sigma dt.
  constexpr double most = 5, second_order = (most / 176400) * (most / 176400);
  double before = voice.stored();
  for (int i = 0; i < 500; ++i) {
    voice.listen(0, player.between(0.05, 0.95));
    voice.move_obstacle(0, -20e-3, player.between(0.05, 0.95));
    EXPECT_LE(voice.stored(), before * (1 + 1e-12)) << i;
    voice.damp(player.between(0, most));
    EXPECT_LE(voice.stored(), before * (1 + second_order)) << i;
    voice.process({&block, 1});
    EXPECT_LE(voice.stored(), before) << i;
    before = voice.stored();
  }
  EXPECT_NEAR(voice.energy().injected, injected, 1e-9 * injected);
}

// Another tension at the same shape stores more or less in it, as the work of a tuner's hand: no
// more than the stiffest mode says, and booked to the last digit.
TEST(RealTime, ATighterStringGetsTheWorkOfTheHandOnly) {
  Voice voice(played_string(soft), {.rate = 44100, .oversampling = 4});
  Player player;
  std::array<double, 128> out{};
  const std::span<double> block(out);
  voice.pluck(0.3, 2e-3);
  double tension = 70;
  voice.glide(modes_at(tension));
  for (int i = 0; i < 300; ++i) {
    voice.process({&block, 1});
    const carom::VoiceEnergy before = voice.energy();
    const double next = 50 + 10 * std::floor(player.between(0, 6));
    voice.glide(modes_at(next));
    const carom::VoiceEnergy after = voice.energy();
    EXPECT_LE(after.stored, before.stored * std::max(1.0, next / tension) * (1 + 1e-9)) << i;
    EXPECT_NEAR(after.injected - before.injected, after.stored - before.stored,
                1e-12 * (1 + before.injected));
    EXPECT_LT(std::abs(after.residual), 1e-11 * (after.stored + after.dissipated + after.injected));
    tension = next;
  }
}

}  // namespace
