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

}  // namespace
}  // namespace carom
