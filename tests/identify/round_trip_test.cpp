#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <carom/identify/single_impact.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/hunt_crossley.hpp>

#include "relative.hpp"

namespace carom {
namespace {

using support::close;

/// Random measurements over the whole of the contract's ranges.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}
  double between(double low, double high) { return low + (high - low) * unit_(random_); }
  double decades(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }

 private:
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> unit_{0, 1};
};

// identify -> impact -> identify. Everything must come back to 1e-10. The damping itself is only as
// well known as 1 - e: one rounding of e moves it by 1e-16/(1 - e), so e stays below 1 - 1e-5.
constexpr double promised = 1e-10;

TEST(RoundTrip, HuntCrossleyComesBackOverTheWholeRange) {
  Draw draw(20110211);
  constexpr int sets = 100'000;
  for (int i = 0; i < sets; ++i) {
    const double mass = draw.decades(1e-6, 1e4), speed = draw.decades(1e-4, 1e3);
    const double k = draw.decades(1, 1e13), n = draw.between(1, 5);
    // epsilon up to 1e3 is e down to 1e-3.
    const double e = i % 2 == 0 ? draw.between(1e-3, 1 - 1e-5) : 1 - draw.decades(1e-5, 0.999);
    const Identified first = identify_hunt_crossley(
        {.mass = mass, .speed = speed, .restitution = e, .stiffness = k, .exponent = n});
    const Impact hit = impact(first.hunt_crossley(), {mass, speed});
    const Identified second = identify_hunt_crossley({.mass = mass,
                                                      .speed = speed,
                                                      .restitution = hit.restitution,
                                                      .contact_time = hit.contact_time,
                                                      .exponent = n});
    ASSERT_TRUE(close(hit.restitution, e, promised)) << i;
    ASSERT_TRUE(close(*second.stiffness, k, promised)) << i << " n " << n << " e " << e;
    ASSERT_TRUE(close(*second.mu, *first.mu, promised)) << i << " e " << e;
  }
}

// 100 000 sets in parts, so that the parts can run side by side.
class RoundTripPart : public testing::TestWithParam<unsigned> {};
INSTANTIATE_TEST_SUITE_P(Parts, RoundTripPart, testing::Range(0u, 4u));

TEST_P(RoundTripPart, HertzDamperComesBackOverTheWholeRange) {
  Draw draw(20200101 + GetParam());
  constexpr int sets = 25'000;
  for (int i = 0; i < sets; ++i) {
    const double mass = draw.decades(1e-6, 1e4), speed = draw.decades(1e-4, 1e3);
    const double k = draw.decades(1, 1e13), n = draw.between(1, 5);
    const double e = i % 2 == 0 ? draw.between(1e-4, 1 - 1e-5) : 1 - draw.decades(1e-5, 0.999);
    const Identified first = identify_hertz_damper(
        {.mass = mass, .speed = speed, .restitution = e, .stiffness = k, .exponent = n});
    const Impact hit = impact(first.hertz_damper(), {mass, speed});
    const Identified second = identify_hertz_damper({.mass = mass,
                                                     .speed = speed,
                                                     .restitution = hit.restitution,
                                                     .contact_time = hit.contact_time,
                                                     .exponent = n});
    ASSERT_TRUE(close(hit.restitution, e, promised)) << i << " n " << n;
    ASSERT_TRUE(close(*second.stiffness, k, promised)) << i << " n " << n << " e " << e;
    ASSERT_TRUE(close(*second.damping, *first.damping, promised)) << i << " n " << n << " e " << e;
  }
}

}  // namespace
}  // namespace carom
