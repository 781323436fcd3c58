#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/identify/recording.hpp>
#include <carom/impact/hunt_crossley.hpp>

#include "relative.hpp"

namespace carom {
namespace {

using support::close;

/// The times at which a body that bounces to rest strikes, contacts taken for short.
template <class Restitution>
std::vector<double> bounces(double speed, int count, Restitution e) {
  std::vector<double> times{0.2};
  for (int i = 1; i < count; ++i) {
    speed *= e(speed);
    times.push_back(times.back() + 2 * speed / 9.81);
  }
  return times;
}

std::vector<Onset> onsets_of(const std::vector<double>& times) {
  std::vector<Onset> onsets;
  for (const double time : times) onsets.push_back({time});
  return onsets;
}

TEST(Bounces, GiveTheDampingOfTheLawThatMadeThem) {
  const auto e = [](double v) { return restitution_of_epsilon(0.3 * v); };
  const auto times = bounces(3, 12, e);
  const FittedBounces fit = identify_bounces(find_bounces(onsets_of(times), 1e-6), 1e-6);
  EXPECT_EQ(fit.chain.times.size(), 12u);
  EXPECT_EQ(fit.laws.law().law, "hunt-crossley");
  EXPECT_TRUE(close(fit.laws.law().find("mu")->value, 0.3, 1e-5));
  // Twice the gravity: twice the speeds, half the damping.
  const FittedBounces heavy =
      identify_bounces(find_bounces(onsets_of(times), 1e-6), 1e-6, {.gravity = 2 * 9.81});
  EXPECT_TRUE(close(heavy.laws.law().find("mu")->value, 0.15, 1e-5));
}

/// Echoes after every bounce, strays at random, two bounces unnoticed: the chain is still found.
TEST(Bounces, ChainIsFoundAmongStraysWithGaps) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> anywhere(0, 4);
  for (const double restitution : {0.75, 0.85, 0.945}) {
    const int count = restitution < 0.8 ? 14 : 24;
    const auto times = bounces(3, count, [&](double) { return restitution; });
    std::vector<Onset> onsets;
    std::vector<double> kept;
    for (std::size_t i = 0; i < times.size(); ++i) {
      if (i == 4 || i == 7) continue;
      kept.push_back(times[i]);
      onsets.push_back({times[i], 1.0});
      onsets.push_back({times[i] + 0.010, 0.3});
    }
    for (int i = 0; i < 12; ++i) onsets.push_back({anywhere(random), 0.3});
    std::sort(onsets.begin(), onsets.end(),
              [](const Onset& a, const Onset& b) { return a.time < b.time; });
    const BounceChain chain = find_bounces(onsets, 1e-4);
    std::size_t found = 0;
    for (const double time : kept) {
      found += std::count_if(chain.times.begin(), chain.times.end(),
                             [&](double t) { return std::abs(t - time) < 1e-6; });
    }
    // The last flights are as short as the echo is late.
    EXPECT_GE(double(found), 0.85 * double(kept.size())) << restitution;
    const FittedBounces fit = identify_bounces(chain, 1e-4);
    EXPECT_NEAR(fit.restitution, restitution, 0.005) << restitution;
  }
}

TEST(Bounces, AreFoundInRingingAndNoise) {
  const double rate = 44100;
  const auto times = bounces(3, 10, [](double v) { return restitution_of_epsilon(0.3 * v); });
  std::vector<double> samples(static_cast<std::size_t>(rate * (times.back() + 0.3)), 0.0);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  double strength = 1;
  for (const double time : times) {
    for (auto i = static_cast<std::size_t>(time * rate); i < samples.size(); ++i) {
      const double t = static_cast<double>(i) / rate - time;
      if (t > 0)
        samples[i] += strength * std::exp(-t / 0.004) * std::sin(2 * std::numbers::pi * 3000 * t);
    }
    strength *= 0.85;
  }
  for (double& sample : samples) sample += 1e-3 * normal(random);
  const std::vector<Onset> found = impact_onsets(samples, rate);
  ASSERT_EQ(found.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(found[i].time, times[i], 3 / rate);
  const FittedBounces fit = identify_bounces(find_bounces(found, 1 / rate), 1 / rate);
  ASSERT_EQ(fit.laws.law().law, "hunt-crossley");
  const FittedNumber& mu = *fit.laws.law().find("mu");
  EXPECT_NEAR(mu.value, 0.3, 3 * mu.half_width());
  EXPECT_LT(mu.half_width(), 0.01);
  EXPECT_TRUE(impact_onsets(std::vector<double>(5000, 0.0), rate).empty());
}

TEST(Bounces, ATrackGivesItsTouches) {
  const auto times = bounces(3, 6, [](double) { return 0.8; });
  std::vector<double> t, h;
  for (double now = times[0]; now < times.back(); now += 1.0 / 240) {
    std::size_t i = 0;
    while (i + 2 < times.size() && times[i + 1] <= now) ++i;
    t.push_back(now);
    h.push_back(9.81 / 2 * (now - times[i]) * (times[i + 1] - now));
  }
  const std::vector<Onset> touches = track_bounces(t, h);
  ASSERT_GE(touches.size(), 4u);
  // Parabolas are exact; the floor is known to the lowest sample, mm at 240 frames a second.
  for (const Onset& touch : touches) {
    const auto nearest = std::min_element(times.begin(), times.end(), [&](double a, double b) {
      return std::abs(a - touch.time) < std::abs(b - touch.time);
    });
    EXPECT_NEAR(touch.time, *nearest, 2e-3);
  }
}

TEST(Bounces, WhatDoesNotBounceIsRefused) {
  EXPECT_THROW(find_bounces(onsets_of({0.0, 1.0, 3.0, 6.0}), 1e-5), InvalidInput);
  EXPECT_THROW(find_bounces(onsets_of({0.0, 1.0}), 1e-5), InvalidInput);
  EXPECT_THROW(find_bounces(onsets_of({1.0, 0.5, 0.2}), 1e-5), InvalidInput);
  EXPECT_THROW(find_bounces({}, 1e-5), InvalidInput);
}

}  // namespace
}  // namespace carom
