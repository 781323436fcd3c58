#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/identify/impact_series.hpp>
#include <carom/identify/recording.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/hunt_crossley.hpp>

#include "relative.hpp"

namespace carom {
namespace {

using support::close;

template <class Law>
std::vector<SeriesImpact> series_of(const Law& law, double mass,
                                    std::initializer_list<double> speeds) {
  std::vector<SeriesImpact> impacts;
  for (const double speed : speeds) {
    const Impact hit = impact(law, {mass, speed});
    impacts.push_back(
        {.speed = speed, .restitution = hit.restitution, .contact_time = hit.contact_time});
  }
  return impacts;
}

TEST(ImpactSeries, GivesBackTheLawThatMadeIt) {
  for (const double n : {1.0, 1.5, 2.4}) {
    const HuntCrossley law{.stiffness = 3e7, .exponent = n, .mu = 0.15};
    const auto impacts = series_of(law, 0.2, {0.5, 1, 2, 4, 8});
    const FittedSeries fit = identify_series(impacts, SeriesLaw::hunt_crossley, 0.2);
    SCOPED_TRACE(n);
    EXPECT_EQ(fit.status, FitStatus::converged);
    EXPECT_LT(fit.misfit, 1e-8);
    EXPECT_TRUE(close(*fit.law.mu, law.mu, 1e-7));
    // At n = 1 the exponent lies on its bound, where the slope of the fit vanishes.
    EXPECT_NEAR(*fit.law.exponent, n, 1e-4);
    EXPECT_TRUE(close(*fit.law.stiffness, law.stiffness, n == 1.0 ? 1e-2 : 1e-5));
    EXPECT_TRUE(close(fit.law.epsilon, law.mu * 0.5, 1e-7));
    EXPECT_TRUE(close(*fit.law.check.restitution, impacts[0].restitution, 1e-8));
  }
  const HertzDamper damper{.stiffness = 2e8, .exponent = 1.5, .damping = 60};
  const auto impacts = series_of(damper, 0.5, {0.3, 1, 3});
  const FittedSeries fit = identify_series(impacts, SeriesLaw::hertz_damper, 0.5);
  EXPECT_TRUE(close(*fit.law.damping, damper.damping, 1e-5));
  EXPECT_TRUE(close(*fit.law.stiffness, damper.stiffness, 1e-4));
  EXPECT_NEAR(*fit.law.exponent, 1.5, 1e-5);
}

TEST(ImpactSeries, HalfWidthsHoldTheTruthNineteenTimesInTwenty) {
  const HuntCrossley law{.stiffness = 3e7, .exponent = 1.5, .mu = 0.15};
  const auto exact = series_of(law, 0.2, {0.5, 1, 1.5, 2, 3, 4, 6, 8});
  std::mt19937_64 random(19);
  std::normal_distribution<double> normal;
  for (const bool known : {true, false}) {
    int inside_mu = 0, inside_exponent = 0;
    constexpr int trials = 120;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<SeriesImpact> noisy = exact;
      for (SeriesImpact& one : noisy) {
        one.restitution += 0.01 * normal(random);
        *one.contact_time *= 1 + 0.01 * normal(random);
        if (known) {
          one.restitution_sd = 0.01;
          one.contact_time_sd = 0.01 * *one.contact_time;
        }
      }
      const FittedSeries fit = identify_series(noisy, SeriesLaw::hunt_crossley, 0.2);
      inside_mu += std::abs(*fit.law.mu - law.mu) < *fit.uncertainty.mu ? 1 : 0;
      inside_exponent += std::abs(*fit.law.exponent - 1.5) < *fit.uncertainty.exponent ? 1 : 0;
    }
    // 95 % of 120 is 114; three standard deviations of that count are 7.
    EXPECT_GE(inside_mu, 107) << known;
    EXPECT_LE(inside_mu, 120) << known;
    EXPECT_GE(inside_exponent, 107) << known;
  }
}

TEST(ImpactSeries, AKnownExponentOrNoContactTimesLeaveFewerUnknowns) {
  const HuntCrossley law{.stiffness = 3e7, .exponent = 1.5, .mu = 0.15};
  const auto one = series_of(law, 0.2, {2});
  const FittedSeries fit = identify_series(one, SeriesLaw::hunt_crossley, 0.2, 1.5);
  EXPECT_TRUE(close(*fit.law.stiffness, law.stiffness, 1e-6));
  EXPECT_FALSE(fit.uncertainty.mu);  // two numbers, two unknowns: nothing to judge noise by
  EXPECT_THROW(static_cast<void>(identify_series(one, SeriesLaw::hunt_crossley, 0.2)),
               InvalidInput);
  auto untimed = series_of(law, 0.2, {1, 2, 4});
  for (SeriesImpact& each : untimed) each.contact_time.reset();
  const FittedSeries damping = identify_series(untimed, SeriesLaw::hunt_crossley);
  EXPECT_TRUE(close(*damping.law.mu, law.mu, 1e-7));
  EXPECT_FALSE(damping.law.exponent);
  EXPECT_THROW(static_cast<void>(identify_series(untimed, SeriesLaw::hertz_damper)), InvalidInput);
}

TEST(ImpactSeries, RefusesWhatCannotBeMeasured) {
  const SeriesImpact sound{.speed = 1, .restitution = 0.5, .contact_time = 1e-4};
  const auto refused = [&](auto spoil) {
    std::vector<SeriesImpact> impacts(3, sound);
    spoil(impacts[1]);
    EXPECT_THROW(static_cast<void>(identify_series(impacts, SeriesLaw::hunt_crossley)),
                 InvalidInput);
  };
  refused([](SeriesImpact& one) { one.speed = 0; });
  refused([](SeriesImpact& one) { one.restitution = 1.2; });
  refused([](SeriesImpact& one) { one.restitution = 0; });
  refused([](SeriesImpact& one) { one.contact_time = -1e-4; });
  refused([](SeriesImpact& one) { one.contact_time.reset(); });
  refused([](SeriesImpact& one) { one.restitution_sd = 0.1; });
  EXPECT_THROW(static_cast<void>(identify_series({}, SeriesLaw::hunt_crossley)), InvalidInput);
}

/// The times at which a body that bounces to rest strikes, contacts taken for short.
std::vector<double> bounces(double mu, double speed, int count) {
  std::vector<double> times{0.2};
  for (int i = 1; i < count; ++i) {
    speed *= restitution_of_epsilon(mu * speed);
    times.push_back(times.back() + 2 * speed / 9.81);
  }
  return times;
}

TEST(Recording, BouncesGiveTheDamping) {
  const std::vector<double> times = bounces(0.3, 3, 12);
  const FittedBounces fit = identify_bounces(times, 1e-5);
  EXPECT_EQ(fit.times.size(), 12u);
  EXPECT_TRUE(close(*fit.series.law.mu, 0.3, 1e-6));
  EXPECT_LT(fit.series.misfit, 1e-4);
  // Twice the gravity: twice the speeds, half the damping.
  EXPECT_TRUE(close(*identify_bounces(times, 1e-5, 2 * 9.81).series.law.mu, 0.15, 1e-6));
  EXPECT_THROW(static_cast<void>(identify_bounces(std::vector{0.0, 1.0, 3.0, 6.0}, 1e-5)),
               InvalidInput);
}

TEST(Recording, ImpactsAreFoundInRingingAndNoise) {
  const double rate = 44100;
  const std::vector<double> times = bounces(0.3, 3, 10);
  std::vector<double> samples(static_cast<std::size_t>(rate * (times.back() + 0.3)), 0.0);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  double strength = 1;
  for (const double time : times) {
    const auto first = static_cast<std::size_t>(time * rate);
    for (std::size_t i = first; i < samples.size(); ++i) {
      const double t = static_cast<double>(i) / rate - time;
      if (t > 0) samples[i] += strength * std::exp(-t / 0.004) * std::sin(2 * 3.14159 * 3000 * t);
    }
    strength *= 0.85;
  }
  for (double& sample : samples) sample += 1e-3 * normal(random);
  const std::vector<double> found = impact_times(samples, rate);
  ASSERT_EQ(found.size(), times.size());
  for (std::size_t i = 0; i < times.size(); ++i) EXPECT_NEAR(found[i], times[i], 3 / rate);
  const FittedBounces fit = identify_bounces(found, 1 / rate);
  EXPECT_NEAR(*fit.series.law.mu, 0.3, 3 * *fit.series.uncertainty.mu);
  EXPECT_LT(*fit.series.uncertainty.mu, 0.01);
  EXPECT_TRUE(impact_times(std::vector<double>(5000, 0.0), rate).empty());
}

}  // namespace
}  // namespace carom
