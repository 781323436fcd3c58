#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/live/instrument.hpp>

#include "played_string.hpp"

namespace {

using carom::Gesture;
using carom::Instrument;

std::vector<std::vector<carom::Mode>> scale(int notes) {
  std::vector<std::vector<carom::Mode>> all;
  for (int note = 0; note < notes; ++note) {
    carom::StiffString string = support::live_string;
    string.tension *= std::exp2(note / 6.0);
    all.push_back(modal_body(string, {}).modes);
  }
  return all;
}

Instrument instrument(int voices, int notes = 8) {
  return {support::played_string(support::soft),
          scale(notes),
          {.voice = {.rate = 44100, .oversampling = 2}, .voices = voices}};
}

std::vector<double> block_of(Instrument& one, std::size_t samples = 128) {
  std::vector<double> out(samples);
  const std::span<double> block(out);
  one.process({&block, 1});
  return out;
}

TEST(Instrument, EventsActAtTheirSample) {
  Instrument one = instrument(2);
  EXPECT_EQ(one.awake(), 0);
  EXPECT_TRUE(one.post({.offset = 100, .note = 3, .amount = 1e-3, .place = 0.3}));
  const std::vector<double> heard = block_of(one);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(heard[i], 0.0) << i;
  EXPECT_NE(heard[127], 0.0);
  EXPECT_EQ(one.awake(), 1);
  EXPECT_EQ(one.front_note(), 3);
}

TEST(Instrument, ANoteHasOneVoiceAndTheQuietestIsStolen) {
  Instrument one = instrument(2);
  const auto play = [&](int note, double height) {
    one.post({.note = note, .amount = height, .place = 0.3});
    for (int i = 0; i < 8; ++i) block_of(one);
  };
  play(0, 1e-3);
  play(0, 1e-3);
  EXPECT_EQ(one.awake(), 1);
  play(1, 1e-4);  // the quiet one
  EXPECT_EQ(one.awake(), 2);
  play(2, 1e-3);
  EXPECT_EQ(one.awake(), 2);
  int loud = 0;
  for (int i = 0; i < one.voice_count(); ++i) loud += one.voice(i).stored() > 1e-6 ? 1 : 0;
  EXPECT_EQ(loud, 2);
  play(1, 1e-4);  // is gone: takes the place of another
  EXPECT_EQ(one.front_note(), 1);
}

TEST(Instrument, SilentVoicesSleep) {
  Instrument one = instrument(2);
  one.post({.note = 0, .amount = 1e-3, .place = 0.3});
  block_of(one);
  one.post({.gesture = Gesture::damp_all, .amount = 200});
  for (int i = 0; i < 400 && one.awake() > 0; ++i) block_of(one);
  EXPECT_EQ(one.awake(), 0);
  for (const double sample : block_of(one)) EXPECT_EQ(sample, 0.0);
}

TEST(Instrument, RetunedNotesFollowWhileTheySound) {
  Instrument one = instrument(1);
  one.post({.note = 0, .amount = 1e-3, .place = 0.3});
  for (int i = 0; i < 8; ++i) block_of(one);
  const carom::VoiceEnergy before = one.energy();
  one.retune(0, scale(8)[5]);
  const carom::VoiceEnergy after = one.energy();
  EXPECT_GT(after.stored, before.stored);  // a tightened string
  EXPECT_NEAR(after.injected - before.injected, after.stored - before.stored, 1e-12 * after.stored);
}

TEST(Instrument, KeepsSixtyFourEventsAndRefusesMore) {
  Instrument one = instrument(1);
  for (int i = 0; i < 64; ++i) EXPECT_TRUE(one.post({.offset = 127 - i, .note = 0}));
  EXPECT_FALSE(one.post({.note = 0}));
  block_of(one);
  EXPECT_TRUE(one.post({.note = 0}));
  one.post({.note = 99, .amount = 1});  // none of its notes: nothing happens
  block_of(one);
}

TEST(Instrument, RefusesNotesThatDoNotFit) {
  const carom::PlayedBody body = support::played_string(support::soft);
  EXPECT_THROW(Instrument(body, {}, {}), carom::InvalidInput);
  EXPECT_THROW(Instrument(body, {std::vector<carom::Mode>(3)}, {}), carom::InvalidInput);
  EXPECT_THROW(Instrument(body, scale(1), {.voices = 0}), carom::InvalidInput);
}

}  // namespace
