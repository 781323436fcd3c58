#include <cmath>

#include <gtest/gtest.h>

#include <carom/output/run.hpp>

namespace carom {
namespace {

RecordedRun pair(const std::string& bodies) {
  return run_in_memory(parse_scenario(
      "kind = \"pair\"\n[pair]\n" + bodies +
          "[contact]\nlaw = \"hunt-crossley\"\nstiffness = 1e9\nexponent = 1.5\nmu = 0.5\n",
      "test.toml"));
}

TEST(PairKind, MomentumIsKeptAndRestitutionIsThatOfTheEffectiveMass) {
  const RecordedRun run = pair("masses = [0.03, 0.01]\nvelocities = [2.0, -1.0]\ngap = 0.01\n");
  const double momentum = 0.03 * 2.0 - 0.01 * 1.0;
  const Json& after = run.outcome.results.at("velocities");
  const double a = after.at(0), b = after.at(1);
  EXPECT_NEAR(0.03 * a + 0.01 * b, momentum, 1e-16);
  // mu v_in = 1.5: the root of mu v - ln(1 + mu v) on the other side.
  const double in = 1.5, out = -0.5 * (b - a);
  EXPECT_NEAR(out - std::log1p(out), in - std::log1p(in), 1e-12);
  const auto &x_a = run.column("position_a"), &x_b = run.column("position_b");
  const auto &v_a = run.column("velocity_a"), &v_b = run.column("velocity_b");
  ASSERT_FALSE(x_a.empty());
  EXPECT_NEAR(x_a.front(), -0.01, 1e-15);
  EXPECT_NEAR(x_b.front(), 0.0, 1e-15);
  for (std::size_t i = 0; i < x_a.size(); ++i) {
    EXPECT_NEAR(0.03 * v_a[i] + 0.01 * v_b[i], momentum, 1e-15);
    EXPECT_NEAR(0.03 * x_a[i] + 0.01 * x_b[i], momentum * run.time[i] - 0.03 * 0.01, 1e-15);
  }
}

TEST(PairKind, AHeavyPartnerIsAWall) {
  const RecordedRun run = pair("masses = [0.01, 1e12]\nvelocities = [1.0, 0.0]\ngap = 0.0\n");
  // The root of mu v - ln(1 + mu v), as above, with mu v_in = 0.5.
  EXPECT_NEAR(run.outcome.results.at("velocities").at(0).get<double>(), -0.7484349315974342, 1e-12);
}

}  // namespace
}  // namespace carom
