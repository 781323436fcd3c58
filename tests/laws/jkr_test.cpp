#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <carom/laws/catalogue.hpp>

namespace carom {
namespace {

TEST(JKR, HasThePullsAndTheFoldOfThePaper) {
  // [JKR1971]: pull-off 3/2 pi w R, 8/9 of it at x = 0, 5/9 at the fold.
  const JKR law{.stiffness = 3e8, .radius = 0.02, .adhesion = 0.3};
  const double pull = 1.5 * std::numbers::pi * law.adhesion * law.radius, fold = law.edge({});
  EXPECT_NEAR(law.force(0, 0, {}).total(), -8.0 / 9 * pull, 1e-13 * pull);
  EXPECT_NEAR(law.force(fold, 0, {}).total(), -5.0 / 9 * pull, 1e-13 * pull);
  double largest = 0;
  for (int i = 0; i <= 20000; ++i)
    largest = std::max(largest, -law.force(fold * i / 20000, 0, {}).total());
  EXPECT_NEAR(largest, pull, 1e-8 * pull);  // the top of a parabola, 1e-4 of its width away
  // Without adhesion it is Hertz: at a compression of 1e6 times the fold w matters to 1e-9.
  const double deep = -1e6 * fold;
  EXPECT_NEAR(law.force(deep, 0, {}).total(), 3e8 * std::pow(deep, 1.5),
              1e-4 * 3e8 * std::pow(deep, 1.5));
}

TEST(JKR, ForceIsTheRootOfThePapersEquations) {
  const JKR law{.stiffness = 3e8, .radius = 0.02, .adhesion = 0.3};
  const double R = law.radius, w = law.adhesion, E = 0.75 * law.stiffness / std::sqrt(R);
  // From the contact radius to x and f, as the paper has it; the law goes the other way.
  for (double a = 1.001 * law.smallest_contact_radius(); a < 0.3 * R; a *= 1.3) {
    const double x = a * a / R - std::sqrt(2 * std::numbers::pi * w * a / E);
    const double f =
        4 * E * a * a * a / (3 * R) - std::sqrt(8 * std::numbers::pi * w * E * a * a * a);
    // Near the fold f has the slope of a square root in x: rounding of x is amplified.
    EXPECT_NEAR(law.force(x, 0, {}).total(), f, 1e-11 * (std::abs(f) + w * R)) << a;
  }
}

}  // namespace
}  // namespace carom
