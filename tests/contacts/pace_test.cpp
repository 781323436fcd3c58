#include <gtest/gtest.h>

#include <carom/contacts/pace.hpp>

namespace carom {
namespace {

constexpr int looked = 65536;

bool gives_up(double step, double end) {
  Pace pace;
  double time = 0;
  for (int i = 0; i < 3 * looked; ++i) {
    if (pace.hopeless(time += step, end)) return true;
  }
  return false;
}

TEST(Pace, GivesUpWhatWouldTakeYears) {
  EXPECT_TRUE(gives_up(1e-14, 1.0));
  EXPECT_TRUE(gives_up(0.0, 1.0));
}

TEST(Pace, FollowsWhatTakesDays) {
  EXPECT_FALSE(gives_up(1e-12, 1.0));
  EXPECT_FALSE(gives_up(1e-14, 1e-3));
}

// Contacts in quick succession are followed if the flight after them is not.
TEST(Pace, LooksAtTheLastStepsOnly) {
  Pace pace;
  double time = 0;
  for (int i = 1; i < looked; ++i) EXPECT_FALSE(pace.hopeless(time += 1e-20, 1.0));
  EXPECT_FALSE(pace.hopeless(time += 1e-3, 1.0));
}

}  // namespace
}  // namespace carom
