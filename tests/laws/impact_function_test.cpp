#include <gtest/gtest.h>

#include <carom/laws/catalogue.hpp>

namespace carom {
namespace {

TEST(ImpactFunction, DamperFadesInAndTheForceIsNeverNegative) {
  const ImpactFunction law{.stiffness = 1e6, .exponent = 1.5, .damping = 100, .depth = 1e-3};
  EXPECT_DOUBLE_EQ(law.damping_at(5e-4), 50);  // STEP is odd about the middle of the depth
  EXPECT_DOUBLE_EQ(law.damping_at(1e-3), 100);
  EXPECT_DOUBLE_EQ(law.damping_at(2e-3), 100);
  const ContactMemory full = law.flip(law.depth, {});
  EXPECT_EQ(law.force(2e-3, -1.0, full).total(), 0);
  EXPECT_EQ(law.force(law.depth, 1.0, full).total(), law.force(law.depth, 1.0, {}).total());
  EXPECT_EQ(law.flip(law.depth, full), ContactMemory{});
  EXPECT_TRUE(law.flip(2e-3, full).unloading);
  EXPECT_GT(law.force(1e-6, -1.0, {}).total(), 0);  // the damper has faded
}

}  // namespace
}  // namespace carom
