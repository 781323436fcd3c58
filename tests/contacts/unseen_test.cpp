// Gaps that close and open again within a step of free flight.
#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <carom/contacts/system_march.hpp>
#include <carom/systems/line_assembly.hpp>
#include <carom/systems/plane_assembly.hpp>

#include "run_system.hpp"

namespace carom {
namespace {

constexpr double pi = std::numbers::pi;

template <class System>
double first_touch(const System& system, const LawChoice& law, double end) {
  SystemMarch march(AnySystem(system), {law}, Surface::recovers, system.start(),
                    {.rate = 1000, .end = end});
  const auto impacts = run(march, end);
  return impacts.empty() ? std::nan("") : impacts[0].record.time;
}

/// A mass that hovers where a vibrating table gets to: it is struck the first time, at sin = 0.9.
TEST(Unseen, AreNoStrokesOfATable) {
  for (const double frequency : {10.0, 100.0, 450.0}) {
    for (const LawChoice& law :
         {LawChoice{AnyLaw(PowerLaw{1e9, 1.5})}, LawChoice{NewtonRestitution{0.7}}}) {
      Assembly parts;
      parts.bodies.push_back(
          {.type = BodyType::driven, .motion = {.amplitude = 1e-3, .frequency = frequency}});
      parts.bodies.push_back({.mass = 0.01, .position = {0.9e-3, 0}});
      parts.contacts.push_back({.first = 0, .second = 1});
      EXPECT_NEAR(first_touch(LineAssembly(parts), law, 3.0), std::asin(0.9) / (2 * pi * frequency),
                  1e-12)
          << frequency;
    }
  }
}

/// A file in which a piston rests for a second but for one push of 2 ms.
TEST(Unseen, IsNoPushFromAFile) {
  Assembly parts;
  Motion motion{.times = {0, 0.7, 0.701, 0.702, 0.703, 3}, .values = {0, 0, 0.01, 0.01, 0, 0}};
  parts.bodies.push_back({.type = BodyType::driven, .motion = motion});
  parts.bodies.push_back({.mass = 0.01, .position = {5e-3, 0}});
  parts.contacts.push_back({.first = 0, .second = 1});
  const double touch = first_touch(LineAssembly(parts), NewtonRestitution{0.7}, 3.0);
  EXPECT_GT(touch, 0.7);
  EXPECT_LT(touch, 0.701);
}

/// Discs of 1 to 50 mm that meet a fixed one up to 2 m away, off its centre.
TEST(Unseen, IsNothingSmallInTheWay) {
  std::mt19937_64 random(7);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int n = 0; n < 200; ++n) {
    const double r = std::pow(10, uniform(-3, -1.3)), R = std::pow(10, uniform(-3, -1.3));
    const double distance = uniform(0.2, 2), speed = std::pow(10, uniform(0, 1.5)),
                 off = uniform(-0.9, 0.9) * (r + R);
    Assembly parts;
    parts.dimension = 2;
    parts.bodies.push_back({.type = BodyType::disc,
                            .mass = 0.01,
                            .velocity = {speed, 0},
                            .spin = uniform(-50, 50),
                            .outline = Outline::disc,
                            .radius = r});
    parts.bodies.push_back({.type = BodyType::fixed,
                            .position = {distance, off},
                            .outline = Outline::disc,
                            .radius = R});
    parts.contacts.push_back({.first = 0, .second = 1});
    const LawChoice law =
        n % 2 == 0 ? LawChoice{AnyLaw(PowerLaw{1e8, 1.5})} : LawChoice{NewtonRestitution{0.7}};
    const double expected = (distance - std::sqrt((r + R) * (r + R) - off * off)) / speed;
    EXPECT_NEAR(first_touch(PlaneAssembly(parts), law, 2.2 * distance / speed), expected, 1e-12)
        << n;
  }
}

/// A rod that tumbles towards the ground: the first of its ends that gets there.
TEST(Unseen, IsNoTurnOfABodyThatTumbles) {
  for (const double spin : {30.0, 300.0, -170.0}) {
    const double length = 0.2, height = 0.5, fall = 0.3;
    Assembly parts;
    parts.dimension = 2;
    parts.bodies.push_back({.type = BodyType::rod,
                            .mass = 0.1,
                            .position = {0, height},
                            .velocity = {0, -fall},
                            .angle = 0.3,
                            .spin = spin,
                            .outline = Outline::rod,
                            .radius = 0.005,
                            .length = length});
    parts.contacts.push_back({.first = 0, .second = -1});
    const auto lowest = [&](double t) {
      return height - fall * t - 0.5 * length * std::abs(std::sin(0.3 + spin * t)) - 0.005;
    };
    double expected = 0;
    while (lowest(expected) > 0) expected += 1e-6;
    EXPECT_NEAR(first_touch(PlaneAssembly(parts), NewtonRestitution{0.7}, 3.0), expected, 1e-6);
  }
}

}  // namespace
}  // namespace carom
