#include <gtest/gtest.h>

#include <carom/laws/catalogue.hpp>

namespace carom {
namespace {

TEST(PowerDamper, ContainsTheOthers) {
  const ContactMemory m;
  const double k = 1e7, n = 1.7, c = 300, x = 2e-4, v = -0.3;
  const auto lost = [&](const auto& law) { return law.force(x, v, m).lost; };
  EXPECT_DOUBLE_EQ(lost(PowerDamper{k, n, c, 0}), lost(HertzDamper{k, n, c}));
  EXPECT_NEAR(lost(PowerDamper{k, n, c * k, n}), lost(HuntCrossley{k, n, c}), 1e-9);
  EXPECT_DOUBLE_EQ(lost(PowerDamper{k, n, c, (n - 1) / 2}), lost(Tsuji{k, n, c}));
  EXPECT_DOUBLE_EQ(lost(PowerDamper{k, n, c, n - 1}), lost(KuwabaraKono{k, n, c}));
}

}  // namespace
}  // namespace carom
