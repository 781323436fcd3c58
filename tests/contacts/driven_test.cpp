#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <carom/contacts/system_march.hpp>
#include <carom/systems/line_assembly.hpp>

#include "run_system.hpp"

namespace carom {
namespace {

/// A piston that follows a curve, at x = 0, and a mass to its right that just touches it.
Assembly piston(const Motion& motion, double mass) {
  Assembly parts;
  AssemblyBody driver;
  driver.type = BodyType::driven;
  driver.motion = motion;
  AssemblyBody body;
  body.mass = mass;
  parts.bodies = {driver, body};
  return parts;
}

/// In the frame of a piston that moves steadily it is a wall. What is at rest has no speed of its
/// own by which errors could be judged: forces that begin as no power of the clock, n = 1.3, asked
/// for steps without end.
TEST(Driven, APistonStrikesABodyAtRest) {
  constexpr double speed = 0.4;
  Assembly parts = piston({.times = {0.0, 1.0}, .values = {0.0, speed}}, 0.25);
  parts.bodies[1].position = {0.002, 0.0};
  parts.contacts.push_back({.first = 0, .second = 1});
  const LineAssembly line(parts);
  for (const double exponent : {1.0, 1.1, 1.3, 1.45, 1.5, 1.6, 2.0, 2.2, 2.5, 3.0}) {
    SCOPED_TRACE(exponent);
    SystemMarch march(AnySystem(line), {AnyLaw(PowerLaw{6e5, exponent})}, Surface::recovers,
                      line.start(), {.rate = 1e4, .end = 0.5});
    const auto impacts = run(march, 0.5);
    ASSERT_EQ(march.status(), MarchStatus::going);
    ASSERT_EQ(impacts.size(), 1U);
    EXPECT_NEAR(impacts[0].record.speed_in, speed, 1e-14);
    EXPECT_NEAR(march.velocity()[0], 2 * speed, 1e-11);
    const Ledger& ledger = march.ledger();
    EXPECT_NEAR(ledger.injected(), 0.5 * 0.25 * 4 * speed * speed, 1e-12);
    EXPECT_LE(std::abs(ledger.residual()), 1e-13 * ledger.injected());
  }
}

/// A linear spring between a body and a natural cubic spline p(t): between the points of the curve
/// q = p - p''/w^2 - g/w^2 plus a free oscillation.
TEST(Driven, StepsEndAtThePointsOfACurve) {
  const Motion motion{.times = {0, 0.003, 0.006, 0.009, 0.012, 0.015, 0.018},
                      .values = {0, 3e-6, 1e-5, 2e-6, 8e-6, 5e-6, 9e-6}};
  constexpr double mass = 0.2, w = 2 * std::numbers::pi * 50, gravity = 9.81;
  const MotionCurve curve(motion);
  double place = 0.0, speed = 0.0;  // of the body
  for (std::size_t i = 0; i + 1 < motion.times.size(); ++i) {
    const double from = motion.times[i], to = motion.times[i + 1], h = to - from;
    // Within the span: the curve stands still beyond its ends.
    const auto at = [&](double t) {
      return curve.at(std::min(t, motion.times.back() * (1 - 1e-15)));
    };
    const MotionPoint a = at(from + 1e-16), b = at(to);
    const double jerk = (b.acceleration - a.acceleration) / h / (w * w);
    const auto particular = [&](const MotionPoint& p) {
      return p.value - (p.acceleration + gravity) / (w * w);
    };
    const double y = place - particular(a), u = speed - (a.rate - jerk);
    place = particular(b) + y * std::cos(w * h) + u / w * std::sin(w * h);
    speed = b.rate - jerk - y * w * std::sin(w * h) + u * std::cos(w * h);
  }
  for (const bool linked : {true, false}) {
    SCOPED_TRACE(linked);
    Assembly parts = piston(motion, mass);
    parts.gravity = gravity;
    if (linked) {
      parts.links.push_back({.first = 0, .second = 1, .stiffness = mass * w * w});
    } else {
      parts.contacts.push_back({.first = 0, .second = 1});
    }
    const LineAssembly line(parts);
    std::vector<LawChoice> laws;
    if (!linked) laws.push_back(AnyLaw(PowerLaw{mass * w * w, 1.0}));
    const double end = motion.times.back();
    SystemMarch march(AnySystem(line), laws, Surface::recovers, line.start(),
                      {.rate = 1e4, .end = end});
    run(march, end);
    ASSERT_EQ(march.status(), MarchStatus::going);
    EXPECT_NEAR(march.position()[0], place, 1e-15);
    EXPECT_NEAR(march.velocity()[0], speed, 1e-12);
  }
}

/// Samples lie within steps: the ledger at a sample is that of a run that ends there.
TEST(Driven, TheLedgerOfASampleIsThatOfARunUntilThen) {
  Motion motion;
  motion.amplitude = 1e-3;
  motion.frequency = 50;
  Assembly parts = piston(motion, 0.02);
  parts.bodies[1].position = {1e-4, 0.0};
  parts.bodies[1].velocity = {-0.3, 0.0};
  parts.gravity = 9.81;
  parts.contacts.push_back({.first = 0, .second = 1});
  const LineAssembly line(parts);
  const auto made = [&] {
    return SystemMarch(AnySystem(line), {AnyLaw(HuntCrossley{1e6, 1.5, 0.3})}, Surface::recovers,
                       line.start(), {.rate = 2e4, .end = 0.05});
  };
  const auto to_next_sample = [](SystemMarch& march) {
    do march.step();
    while (!march.sampled());
  };
  constexpr double scale = 1e-3;  // J: of the energies here
  SystemMarch march = made();
  double lost = 0, further = 0;
  int pressed = 0;
  for (int sample = 1; march.time() < 0.05; ++sample) {
    to_next_sample(march);
    ASSERT_EQ(march.status(), MarchStatus::going);
    const Ledger now = march.ledger_now();
    EXPECT_LE(std::abs(now.residual()), 1e-12 * scale);
    EXPECT_EQ(now.stored(), march.stored_energy());
    EXPECT_GE(now.dissipated(), lost - 1e-12 * scale);
    lost = now.dissipated();
    further = std::max(further, march.ledger().dissipated() - lost);
    if (march.force(0) <= 0) continue;
    ++pressed;
    SystemMarch until = made();
    for (int i = 0; i < sample; ++i) to_next_sample(until);
    until.finish();  // the polynomial between the ends of a step is less exact than they are
    EXPECT_NEAR(now.injected(), until.ledger().injected(), 1e-8 * scale);
    EXPECT_NEAR(now.dissipated(), until.ledger().dissipated(), 1e-8 * scale);
  }
  EXPECT_GT(pressed, 20);
  EXPECT_GT(further, 0.01 * scale);  // the ledger of the whole step is another one
}

}  // namespace
}  // namespace carom
