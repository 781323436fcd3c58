#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/archive.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/nonsmooth_march.hpp>
#include <carom/steppers/paoli_schatzman.hpp>
#include <carom/steppers/simulated_pendulums.hpp>
#include <carom/systems/small_systems.hpp>

namespace carom {
namespace {

template <class S>
using ByMoreauJean = NonsmoothMarch<S, MoreauJean<S>>;
template <class S>
using ByPaoliSchatzman = NonsmoothMarch<S, PaoliSchatzman<S>>;

static_assert(Stepper<ByMoreauJean<BouncingPoint>>);

/// A body that starts at the wall is hit in the first step, by Paoli-Schatzman at the start itself.
/// Without forces the restitution is e and the loss m v^2 (1 - e^2)/2, both to rounding.
template <class March, class Settings>
void expect_restitution_at_the_wall(double e, const Settings& settings) {
  SCOPED_TRACE(e);
  March wall(BouncingPoint{.mass = 0.3, .gravity = 0.0}, {e},
             {Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, -2.0)}, 1e-3, settings);
  std::vector<SystemImpact> impacts;
  march(wall, 0.02, [&](const March& now) {
    impacts.insert(impacts.end(), now.finished().begin(), now.finished().end());
  });
  ASSERT_EQ(impacts.size(), 1u);
  EXPECT_EQ(impacts[0].record.time, 0.0);
  EXPECT_EQ(impacts[0].record.speed_in, 2.0);
  EXPECT_NEAR(impacts[0].record.restitution(), e, 1e-14);
  EXPECT_NEAR(impacts[0].effective_mass, 0.3, 1e-16);
  EXPECT_NEAR(impacts[0].impulse, 0.3 * 2.0 * (1 + e), 1e-15);
  EXPECT_NEAR(wall.ledger().dissipated(), 0.6 * (1 - e * e), 1e-15);
  EXPECT_LT(std::abs(wall.ledger().worst_residual()), 1e-15);
}

TEST(NonsmoothMarch, RecordsAnImpactAtTheStart) {
  for (const double e : {0.3, 0.5, 0.6, 1.0}) {
    const NonsmoothSettings common{.step = 1e-3};
    expect_restitution_at_the_wall<ByMoreauJean<BouncingPoint>>(
        e, MoreauJeanSettings{.common = common});
    expect_restitution_at_the_wall<ByPaoliSchatzman<BouncingPoint>>(e, common);
  }
}

/// What only carries the weight is no impact: a body laid on the floor has none and is held.
TEST(NonsmoothMarch, ABodyThatLiesIsHeldWithoutImpacts) {
  const auto expect = [](auto&& floor) {
    march(floor, 0.5, [](const auto& now) { EXPECT_TRUE(now.finished().empty()); });
    EXPECT_TRUE(floor.held(0));
    EXPECT_NEAR(floor.force(0), 9.81, 1e-9);
  };
  const MotionState still{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Zero(1)};
  const NonsmoothSettings common{.step = 1e-3};
  expect(ByMoreauJean<BouncingPoint>({}, {0.5}, still, 1e-3, MoreauJeanSettings{.common = common}));
  expect(ByPaoliSchatzman<BouncingPoint>({}, {0.5}, still, 1e-3, common));
}

/// Two rods against the event-driven run: the same tip, place, effective mass and impulse, to the
/// travel of one step before the impact is seen.
template <class March, class Settings>
double error_of_first_impact(double step, const Settings& settings) {
  const PendulumRods rods{{1.0, 0.2}, {6.0, 4.0}, -2.0};
  const PendulumState start{{0.26, -1.57}};
  const NewtonRestitution law{0.6};
  const PendulumRun exact = simulate_pendulums(rods, start, law, {.duration = 1.3});
  March pendulums(rods, law, motion_of(start), step, settings);
  std::vector<PendulumImpact> impacts;
  march(pendulums, 1.3, [&](const March& now) {
    for (const SystemImpact& impact : now.finished())
      impacts.push_back(pendulum_impact(rods, impact));
  });
  EXPECT_EQ(pendulums.status(), MarchStatus::going);
  EXPECT_EQ(exact.impacts.size(), 1u);
  EXPECT_EQ(impacts.size(), 1u);
  if (impacts.size() != 1 || exact.impacts.size() != 1) return 1.0;
  const PendulumImpact &ours = impacts[0], &true_one = exact.impacts[0];
  EXPECT_EQ(ours.tip, true_one.tip);
  EXPECT_NEAR(ours.record.time, true_one.record.time, 2 * step);
  EXPECT_NEAR(ours.along, true_one.along, 20 * step);  // tips pass at some 10 m/s
  EXPECT_NEAR(ours.effective_mass, true_one.effective_mass, step);
  EXPECT_NEAR(pendulum_sample(pendulums).impulse, ours.impulse, 1e-12);
  return std::abs(ours.impulse / true_one.impulse - 1);
}

TEST(NonsmoothMarch, RodsHitAsInTheEventDrivenRun) {
  for (const double step : {1e-3, 1e-4}) {
    const NonsmoothSettings common{.step = step};
    // Relative to an approach of 10 m/s, gravity gives 1 step per step.
    EXPECT_LT((error_of_first_impact<ByMoreauJean<PendulumRods>>(
                  step, MoreauJeanSettings{.common = common})),
              2 * step);
    EXPECT_LT((error_of_first_impact<ByPaoliSchatzman<PendulumRods>>(step, common)), 2 * step);
  }
}

/// The same bits whether a run is interrupted or not, in the midst of an impact too.
TEST(NonsmoothMarch, ContinuesFromAnArchive) {
  const NonsmoothSettings common{.step = 1e-3};
  const auto fresh = [&](auto use) {
    ByPaoliSchatzman<BouncingPoint> wall(
        {}, {0.7}, {Eigen::VectorXd::Constant(1, 0.01), Eigen::VectorXd::Zero(1)}, 1e-3, common);
    return use(wall);
  };
  const auto rest_of = [](auto& wall) {
    std::vector<double> numbers;
    march(wall, 0.3, [&](const auto& now) {
      for (const SystemImpact& impact : now.finished()) {
        numbers.insert(numbers.end(),
                       {impact.record.time, impact.record.speed_out, impact.impulse});
      }
    });
    numbers.push_back(wall.position()[0]);
    numbers.push_back(wall.ledger().dissipated());
    return numbers;
  };
  for (const int stop : {20, 45, 46, 47}) {  // the first impact is at 0.045 s
    std::string bytes;
    const std::vector<double> whole = fresh([&](auto& wall) {
      for (int i = 0; i < stop; ++i) wall.step();
      Archive out;
      wall.archive(out);
      bytes = out.bytes();
      return rest_of(wall);
    });
    EXPECT_GT(whole.size(), 5u);
    EXPECT_EQ(whole, fresh([&](auto& wall) {
                Archive in(bytes);
                wall.archive(in);
                return rest_of(wall);
              }));
  }
}

}  // namespace
}  // namespace carom
