#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {
namespace {

TEST(WaltonBraun, BranchesMeetAtTheDeepestPointAndUnloadingLeavesADent) {
  const WaltonBraun law{2e6, 5e6};
  const double deepest = 3e-4;
  const ContactMemory unloading = law.flip(deepest, {});
  const double f = law.force(deepest, 0, {}).total();
  EXPECT_NEAR(law.force(deepest, 0, unloading).total(), f, 1e-13 * f);
  EXPECT_NEAR(law.potential(deepest, unloading), law.potential(deepest, {}), 1e-13 * f * deepest);
  EXPECT_EQ(law.flip(deepest, unloading), ContactMemory{});
  const double left = law.edge(unloading);
  EXPECT_NEAR(left, deepest * (1 - 2.0 / 5), 1e-18);
  EXPECT_EQ(law.force(left, -1, unloading).total(), 0);
}

TEST(WaltonBraun, UnloadingIsNeverSofter) {
  EXPECT_THROW(validate(WaltonBraun{2e6, 1e6}), InvalidInput);
  EXPECT_NO_THROW(validate(WaltonBraun{2e6, 2e6}));
}

}  // namespace
}  // namespace carom
