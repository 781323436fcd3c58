#include <cmath>
#include <limits>

#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/ellint_2.hpp>
#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/simulated_pair.hpp>

namespace carom {
namespace {

constexpr Material steel{2.1e11, 0.3}, glass{7e10, 0.22};

TEST(Pair, MomentumIsKeptAndRestitutionIsThatOfTheEffectiveMass) {
  const HuntCrossley law{1e9, 1.5, 0.5};
  const Pair pair{
      .mass_a = 0.03, .mass_b = 0.01, .velocity_a = 2.0, .velocity_b = -1.0, .gap = 0.01};
  const PairRun run = simulate_pair(law, pair, {.rate = 44100}, 1e-3);
  const double momentum = 0.03 * 2.0 - 0.01 * 1.0;
  EXPECT_NEAR(0.03 * run.velocity_a + 0.01 * run.velocity_b, momentum, 1e-16);
  // mu v_in = 1.5: the root of mu v - ln(1 + mu v) on the other side.
  const double in = 1.5, out = -0.5 * (run.velocity_b - run.velocity_a);
  EXPECT_NEAR(out - std::log1p(out), in - std::log1p(in), 1e-12);
  EXPECT_NEAR(run.onset, 0.01 / 3.0, 1e-18);
  for (const PairSample& s : run.samples) {
    EXPECT_NEAR(0.03 * s.velocity_a + 0.01 * s.velocity_b, momentum, 1e-15);
    EXPECT_NEAR(0.03 * s.position_a + 0.01 * s.position_b, momentum * s.time - 0.03 * 0.01, 1e-15);
  }
  EXPECT_NEAR(run.samples.front().position_a, -0.01, 1e-15);
  EXPECT_NEAR(run.samples.front().position_b, 0.0, 1e-15);
  EXPECT_NEAR(run.samples.back().velocity_b, run.velocity_b, 1e-12);
}

TEST(Pair, AHeavyPartnerIsAWall) {
  const HuntCrossley law{1e9, 1.5, 0.5};
  const PairRun run = simulate_pair(
      law, {.mass_a = 0.01, .mass_b = 1e12, .velocity_a = 1.0, .velocity_b = 0.0}, {});
  EXPECT_NEAR(run.velocity_a, -0.7484349315974342, 1e-12);
}

TEST(Pair, HertzStiffnessFollowsFromRadiiAndElasticConstants) {
  // Equal steel spheres: k = (4/3) (E/(2 (1 - nu^2))) sqrt(R/2).
  const double radius = 0.02, k = 4.0 / 3 * 2.1e11 / (2 * 0.91) * std::sqrt(radius / 2);
  EXPECT_NEAR(hertz_spheres(radius, radius, steel, steel).stiffness, k, 1e-12 * k);
  EXPECT_EQ(hertz_spheres(radius, radius, steel, steel).exponent, 1.5);
  const double plane = hertz_sphere_plane(radius, steel, glass).stiffness;
  EXPECT_EQ(hertz_spheres(radius, std::numeric_limits<double>::infinity(), steel, glass).stiffness,
            plane);
  // A ball in a close hollow is stiffer than on a plane.
  EXPECT_GT(hertz_spheres(radius, -0.03, steel, glass).stiffness, plane);
  EXPECT_NEAR(hertz_crossed_cylinders(radius, radius, steel, glass).stiffness, plane,
              1e-12 * plane);
  EXPECT_NEAR(parallel_cylinders(0.1, steel, glass).stiffness,
              M_PI / 4 * contact_modulus(steel, glass) * 0.1, 1e-3);
}

TEST(Pair, CrossedCylindersAreWithinWhatTheirCommentSaysOfHertzsEllipse) {
  // Ellipse of semi-axes ratio r = b/a < 1, e^2 = 1 - r^2: R'/R'' = ((a/b)^2 E - K)/(K - E), and
  // F = (4/3) E* x^(3/2) sqrt(R_e) with x ~ K(e): [Johnson1985] eqs (4.28)-(4.32).
  const auto stiffness = [](double ratio) {
    double low = 1e-6, high = 1 - 1e-12;  // of b/a
    const auto radii = [](double r) {
      const double e = std::sqrt(1 - r * r);
      const double K = boost::math::ellint_1(e), E = boost::math::ellint_2(e);
      return (E / (r * r) - K) / (K - E);
    };
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (low + high);
      (radii(middle) > ratio ? low : high) = middle;
    }
    const double r = low, e = std::sqrt(1 - r * r);
    const double K = boost::math::ellint_1(e), E = boost::math::ellint_2(e);
    // p0, a, b per unit E* and with R'' = 1 (smaller), R' = ratio: a general load F = 1.
    // (1/2)(1/R') = p0 b (K - E)/(e^2 a^2 E*), delta = p0 b K/E*, F = (2/3) p0 pi a b.
    const double a = std::cbrt(3 * ratio * (K - E) / (M_PI * e * e)), b = r * a;
    const double p0 = 3 / (2 * M_PI * a * b), delta = p0 * b * K;
    return 1 / std::pow(delta, 1.5);
  };
  for (const auto& [ratio, bound] : {std::pair{1.5, 0.01}, {2.0, 0.01}, {4.0, 0.04}}) {
    const double mean = 4.0 / 3 * std::pow(ratio, 0.25);  // R'' = 1, R' = ratio, E* = 1
    EXPECT_NEAR(stiffness(ratio) / mean, 1.0, bound) << ratio;
  }
}

TEST(Pair, RefusesBodiesThatNeverMeet) {
  EXPECT_THROW(simulate_pair(PowerLaw{1e9}, {1.0, 1.0, 1.0, 2.0}, {}), InvalidInput);
  EXPECT_THROW(simulate_pair(PowerLaw{1e9}, {-1.0, 1.0, 1.0, 0.0}, {}), InvalidInput);
  EXPECT_THROW(hertz_spheres(0.02, -0.01, steel, steel), InvalidInput);
  EXPECT_THROW(hertz_sphere_plane(0.02, {2e11, 0.7}, steel), InvalidInput);
}

}  // namespace
}  // namespace carom
