#include <gtest/gtest.h>

#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/newmark_impacts.hpp>
#include <carom/steppers/paoli_schatzman.hpp>
#include <carom/systems/bar_pairs.hpp>
#include <carom/systems/bar_spiral.hpp>
#include <carom/systems/small_systems.hpp>

#include "allocations.hpp"

#ifdef CAROM_COUNTS_ALLOCATIONS
namespace carom {
namespace {

/// Heap calls of a march with impacts, after construction.
template <class Stepper>
long long heap_calls(Stepper stepper, double until) {
  const long long before = support::allocations();
  bool touched = false;
  march(stepper, until, [&](const Stepper& s) { touched = touched || s.touching(); });
  const long long calls = support::allocations() - before;
  EXPECT_TRUE(touched);
  return calls;
}

template <class S>
void expect_no_heap(const S& system, const MotionState& start, double step, double until) {
  const std::vector<NewtonRestitution> law{{0.3}};
  EXPECT_EQ(heap_calls(PaoliSchatzman(system, law, start, {.step = step}), until), 0);
  EXPECT_EQ(heap_calls(MoreauJean(system, law, start, {.common = {.step = step}}), until), 0);
  EXPECT_EQ(heap_calls(NewmarkImpacts(system, law, start, {.common = {.step = step}}), until), 0);
}

TEST(NonsmoothSteppers, StepsDoNotAllocate) {
  const BarStart start{.angle = 1.2, .height = 0.006355, .speed = 1.0};
  expect_no_heap(BarPairs(), BarPairs().at(start), 1e-7, 1e-4);
  expect_no_heap(BarSpiral(), BarSpiral().at(start), 1e-7, 1e-4);
  // Three contacts at once through dense dynamics and the complementarity solver.
  const BallColumn column{.masses = Eigen::Vector3d(1.0, 2.0, 3.0), .radius = 0.01};
  expect_no_heap(column, {Eigen::Vector3d(0.02, 0.05, 0.08), Eigen::Vector3d::Zero()}, 1e-4, 0.2);
  // Gaps that are not linear.
  expect_no_heap(RockingBlock(), {Eigen::Vector3d(0.0, 0.2, 0.3), Eigen::Vector3d::Zero()}, 1e-4,
                 0.3);
}

TEST(NonsmoothSteppers, TheHeapCounterCounts) {
  const long long before = support::allocations();
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(1000);
  EXPECT_GT(support::allocations(), before) << v.size();
}

}  // namespace
}  // namespace carom
#endif
