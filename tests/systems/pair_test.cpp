#include <cmath>
#include <limits>

#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/ellint_2.hpp>
#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/systems/pair.hpp>

namespace carom {
namespace {

constexpr Material steel{2.1e11, 0.3}, glass{7e10, 0.22};

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
  EXPECT_THROW(validate(Pair{1.0, 1.0, 1.0, 2.0}), InvalidInput);
  EXPECT_THROW(validate(Pair{-1.0, 1.0, 1.0, 0.0}), InvalidInput);
  EXPECT_THROW(hertz_spheres(0.02, -0.01, steel, steel), InvalidInput);
  EXPECT_THROW(hertz_sphere_plane(0.02, {2e11, 0.7}, steel), InvalidInput);
}

}  // namespace
}  // namespace carom
