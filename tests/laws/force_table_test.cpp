#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {
namespace {

/// A Hertz contact of restitution e: unloading returns e^2 of the work along x^p.
Columns hertz_loop(double e, int rows = 200) {
  Columns columns;
  const double p = 2.5 / (e * e) - 1;  // 1/(p + 1) = e^2/2.5
  for (int i = 0; i < rows; ++i) {
    const double s = double(i) / (rows - 1);
    columns["compression"].push_back(1e-3 * s);
    columns["loading"].push_back(1e7 * std::pow(1e-3 * s, 1.5));
    columns["unloading"].push_back(1e7 * std::pow(1e-3, 1.5) * std::pow(s, p));
  }
  return columns;
}

std::string refusal(const Columns& columns) {
  try {
    static_cast<void>(make_law("table", {{"file", columns}}));
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(ForceTable, FollowsItsRowsAndTheCurveBetweenThem) {
  const ForceTable law{ForceLoop(hertz_loop(0.8))};
  for (double x = 2e-5; x < 1e-3; x += 1.7e-5) {
    // Cubics through 200 points, slopes of second order: h^2 f''' x/6 of a power 1.5.
    const double f = 1e7 * std::pow(x, 1.5);
    EXPECT_NEAR(law.force(x, 0.5, {}).total(), f, 2e-3 * f) << x;
  }
  EXPECT_DOUBLE_EQ(law.force(1e-3, 0.5, {}).total(), 1e7 * std::pow(1e-3, 1.5));
}

TEST(ForceTable, BreaksAreItsRowsAndThoseOfUnloadingScaleWithTheDepth) {
  const ForceTable law{ForceLoop(hertz_loop(0.8, 11))};  // rows at 0, 1e-4, ..., 1e-3
  const Columns rows = law.loop.columns();
  const std::vector<double>& x = rows.find("compression")->second;
  const ContactMemory back{.deepest = 5e-4, .unloading = true};
  for (std::size_t i = 1; i < x.size(); ++i) {
    const double between = 0.3 * x[i - 1] + 0.7 * x[i];
    EXPECT_EQ(law.next_break(between, 1, {}), x[i]);
    EXPECT_EQ(law.next_break(between, -1, {}), x[i - 1]);
    EXPECT_DOUBLE_EQ(law.next_break(0.5 * between, 1, back), 0.5 * x[i]);
    EXPECT_DOUBLE_EQ(law.next_break(0.5 * between, -1, back), 0.5 * x[i - 1]);
    EXPECT_EQ(law.next_break(x[i], -1, {}), x[i - 1]);
  }
  EXPECT_TRUE(std::isinf(law.next_break(x.back(), 1, {})));
  EXPECT_TRUE(std::isinf(law.next_break(0, -1, {})));
}

TEST(ForceTable, ConservedForceIsTheSlopeOfThePotentialAndLossesAreLosses) {
  Columns lossless = hertz_loop(0.8);
  lossless.erase("unloading");
  for (const ForceTable& law :
       {ForceTable{ForceLoop(hertz_loop(0.8))}, ForceTable{ForceLoop(lossless)}}) {
    for (const ContactMemory& m :
         {ContactMemory{}, ContactMemory{.deepest = 7e-4, .unloading = true}}) {
      if (m.unloading && law.loop.is_lossless()) continue;
      for (double x = 1.03e-5; x < 7e-4; x += 2.9e-5) {
        const double h = 1e-5 * x;  // error and rounding below 1e-7, as in admissible_test.cpp
        const double slope = (law.potential(x + h, m) - law.potential(x - h, m)) / (2 * h);
        const Force f = law.force(x, 1, m);
        EXPECT_NEAR(slope, f.conserved, 1e-6 * (f.conserved + law.potential(x, m) / x)) << x;
        EXPECT_GE(f.lost, 0);
      }
    }
  }
}

TEST(ForceTable, ReturnsTheShareOfTheWorkThatTheLoopDoes) {
  const ForceTable law{ForceLoop(hertz_loop(0.8, 2000))};
  for (const double deepest : {3e-4, 1e-3}) {
    // What is stored at the turning point over the work of loading, by the trapezoidal rule.
    double work = 0;
    constexpr int n = 20000;
    for (int i = 0; i < n; ++i)
      work += law.force(deepest * (i + 0.5) / n, 1, {}).total() * deepest / n;
    const ContactMemory unloading = law.flip(deepest, {});
    EXPECT_NEAR(law.potential(deepest, unloading), law.potential(deepest, {}), 1e-12 * work);
    EXPECT_NEAR(law.potential(deepest, unloading) / work, 0.64, 1e-4);  // e^2, of cubics
  }
}

TEST(ForceTable, LeavesTheDentThatWasMeasured) {
  Columns columns = hertz_loop(0.8);
  for (std::size_t i = 0; i < 40; ++i) columns["unloading"][i] = 0;
  const ForceTable law{ForceLoop(columns)};
  const ContactMemory unloading = law.flip(5e-4, {});
  EXPECT_NEAR(law.edge(unloading), 5e-4 * 39 / 199, 1e-12);
  EXPECT_EQ(law.force(law.edge(unloading), -1, unloading).total(), 0);
  EXPECT_EQ(law.potential(law.edge(unloading), unloading), 0);
}

TEST(ForceTable, RefusesWhatIsNoLoop) {
  EXPECT_EQ(refusal(hertz_loop(0.8)), "");
  Columns falling = hertz_loop(0.8), above = falling, open = falling, first = falling,
          generous = falling, named = falling;
  falling["loading"][50] = 0.5 * falling["loading"][49];
  above["unloading"][50] = 2 * above["loading"][50];
  for (double& f : open["unloading"]) f *= 0.9;
  first["loading"][0] = 1;
  generous["unloading"] = generous["loading"];
  for (std::size_t i = 100; i < 150; ++i) generous["loading"][i] = generous["loading"][150];
  generous["unloading"] = generous["loading"];
  named["unloadin"] = named["loading"];
  EXPECT_NE(refusal(falling).find("loading falls"), std::string::npos);
  EXPECT_NE(refusal(above).find("not between 0 and loading"), std::string::npos);
  EXPECT_NE(refusal(open).find("meet loading"), std::string::npos);
  EXPECT_NE(refusal(first).find("begin with"), std::string::npos);
  EXPECT_NE(refusal(generous).find("return more"), std::string::npos);
  EXPECT_NE(refusal(named).find("did you mean 'unloading'"), std::string::npos);
}

}  // namespace
}  // namespace carom
