#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/impact/history.hpp>
#include <carom/impact/hunt_crossley.hpp>

#include "relative.hpp"

namespace carom {
namespace {

using support::close;

/// d x/dt = v and m dv/dt = f_e - f, by central differences with one Richardson step: error h^4.
template <class Law>
void expect_motion_obeys_newton(const Law& law, const Collision& collision) {
  const ImpactHistory history(law, collision);
  const Impact& hit = history.summary();
  const double duration =
      std::isfinite(hit.contact_time) ? hit.contact_time : 5 * hit.max_compression_time;
  const auto derivative = [&](double t, double ImpactState::*member) {
    const auto central = [&](double h) {
      return (history.at(t + h).*member - history.at(t - h).*member) / (2 * h);
    };
    const double h = 1e-3 * std::min(t, std::abs(duration - t) + 1e-3 * duration);
    return (4 * central(h / 2) - central(h)) / 3;
  };
  for (int i = 1; i < 40; ++i) {
    const double t = duration * i / 40.0;
    SCOPED_TRACE(::testing::Message() << "t/duration = " << i / 40.0 << " n = " << law.exponent);
    const ImpactState s = history.at(t);
    const double speed = collision.speed;
    EXPECT_NEAR(derivative(t, &ImpactState::compression), s.rate, 1e-9 * speed);
    EXPECT_NEAR(collision.mass * derivative(t, &ImpactState::rate), collision.force - s.force,
                1e-8 * hit.max_force);
    // At the limit speed 1 + mu v cancels: compare on the scale of the impact.
    EXPECT_NEAR(s.force, law.force(s.compression, s.rate), 1e-13 * hit.max_force);
    EXPECT_TRUE(close(
        s.energy, 0.5 * collision.mass * s.rate * s.rate + law.potential(s.compression), 1e-12));
  }
}

TEST(ImpactHistory, ObeysNewtonsLaw) {
  for (const double n : {1.0, 1.5, 2.0, 3.1, 5.0}) {
    for (const double eps : {0.0, 1e-6, 0.3, 4.0, 30.0}) {
      expect_motion_obeys_newton(HuntCrossley{1.0, n, eps}, {.mass = 1, .speed = 1});
      expect_motion_obeys_newton(HuntCrossley{1.0, n, eps}, {.mass = 1, .speed = 1, .force = 0.2});
    }
    for (const double c : {1e-6, 0.2, 1.0, 5.0}) {
      expect_motion_obeys_newton(HertzDamper{1.0, n, c}, {.mass = 1, .speed = 1});
      expect_motion_obeys_newton(HertzDamper{1.0, n, c}, {.mass = 1, .speed = 1, .force = -0.1});
    }
    expect_motion_obeys_newton(PowerLaw{1.0, n}, {.mass = 1, .speed = 1});
  }
}

TEST(ImpactHistory, LiesOnTheExactPhaseCurveAtAllTimes) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 400; ++i) {
    const double n = 1 + 4 * unit(random), eps = std::pow(10, -6 + 9 * unit(random));
    const Collision collision{.mass = 0.02, .speed = 3.0};
    const HuntCrossley law{5e6, n, eps / collision.speed};
    const ImpactHistory history(law, collision);
    const Impact& hit = history.summary();
    for (int j = 0; j < 10; ++j) {
      const ImpactState s = history.at(hit.contact_time * unit(random));
      // dx/dv = -m v/f: one rounding of v moves x(v) by that much, without bound at the limit
      // speed.
      const double x = compression_at_rate(law, collision, s.rate);
      const double rounding = 2e-15 * collision.speed * collision.mass * std::abs(s.rate) / s.force;
      if (rounding > 0.01 * hit.max_compression) continue;
      EXPECT_NEAR(s.compression, x, 1e-13 * hit.max_compression + rounding) << n << " " << eps;
    }
  }
}

TEST(ImpactHistory, TaylorPiecesAndTimeIntegralAgree) {
  // Two independent ways to one motion: the inverted time integral, and the Taylor pieces that a
  // vanishing external force switches to.
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 150; ++i) {
    const double n = 1 + 4 * unit(random), eps = std::pow(10, -4 + 6 * unit(random));
    const HuntCrossley law{1.0, n, eps};
    const ImpactHistory integral(law, {.mass = 1, .speed = 1});
    const ImpactHistory taylor(law, {.mass = 1, .speed = 1, .force = 1e-30});
    const double duration = integral.summary().contact_time;
    SCOPED_TRACE(::testing::Message() << n << " " << eps);
    EXPECT_TRUE(close(taylor.summary().contact_time, duration, 1e-12));
    EXPECT_TRUE(close(taylor.summary().rebound_speed, integral.summary().rebound_speed, 1e-12));
    EXPECT_TRUE(close(taylor.summary().max_force, integral.summary().max_force, 1e-12));
    EXPECT_TRUE(close(taylor.summary().max_force_time, integral.summary().max_force_time, 1e-11));
    EXPECT_TRUE(close(taylor.summary().energy_lost, integral.summary().energy_lost, 1e-12));
    for (int j = 0; j < 20; ++j) {
      const double t = duration * unit(random);
      const ImpactState a = integral.at(t), b = taylor.at(t);
      EXPECT_NEAR(a.compression, b.compression, 1e-12 * integral.summary().max_compression);
      EXPECT_NEAR(a.rate, b.rate, 1e-12);
      EXPECT_NEAR(a.force, b.force, 1e-12 * integral.summary().max_force);
      EXPECT_NEAR(a.energy, b.energy, 1e-12 * integral.summary().energy_in);
    }
  }
}

TEST(ImpactHistory, MeetsTheSummaryAtItsMarks) {
  for (const double c : {0.0, 0.01, 0.4, 2.5}) {
    const HertzDamper law{2e5, 1.5, c * 100};
    const ImpactHistory history(law, {.mass = 0.1, .speed = 2});
    const Impact& hit = history.summary();
    EXPECT_EQ(history.at(0).compression, 0);
    EXPECT_EQ(history.at(0).rate, 2);
    const ImpactState top = history.at(hit.max_compression_time);
    EXPECT_TRUE(close(top.compression, hit.max_compression, 1e-13));
    EXPECT_NEAR(top.rate, 0, 1e-12);
    EXPECT_TRUE(close(history.at(hit.max_force_time).force, hit.max_force, 1e-12));
    const ImpactState end = history.at(hit.contact_time);
    EXPECT_NEAR(end.compression, hit.separation_compression, 1e-13 * hit.max_compression);
    EXPECT_TRUE(close(-end.rate, hit.rebound_speed, 1e-13));
  }
}

TEST(ImpactHistory, IsFreeFlightOutsideTheContact) {
  const ImpactHistory history(HuntCrossley{1e6, 1.5, 0.3}, {.mass = 0.1, .speed = 2, .force = 0.5});
  const Impact& hit = history.summary();
  const ImpactState before = history.at(-0.01);
  EXPECT_NEAR(before.compression, -0.02 + 0.5 * 5 * 1e-4, 1e-15);
  EXPECT_NEAR(before.rate, 2 - 0.05, 1e-15);
  EXPECT_EQ(before.force, 0);
  const ImpactState after = history.at(hit.contact_time + 0.01);
  EXPECT_NEAR(after.rate, -hit.rebound_speed + 0.05, 1e-14);
  EXPECT_NEAR(after.energy, 0.05 * after.rate * after.rate, 1e-15);
  EXPECT_THROW(static_cast<void>(history.at(std::numeric_limits<double>::quiet_NaN())),
               InvalidInput);
}

TEST(ImpactHistory, ManyTimesAtOnceAreTheSame) {
  const ImpactHistory history(HuntCrossley{1e6, 1.5, 0.3}, {.mass = 0.1, .speed = 2});
  std::vector<double> times;
  for (int i = -2; i < 30; ++i) times.push_back(history.summary().contact_time * i / 20.0);
  std::vector<ImpactState> states(times.size());
  history.at(times, states);
  for (std::size_t i = 0; i < times.size(); ++i) {
    EXPECT_EQ(states[i].compression, history.at(times[i]).compression);
  }
}

}  // namespace
}  // namespace carom
