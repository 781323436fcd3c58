#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/identify/two_speeds.hpp>
#include <carom/impact/hertz_damper.hpp>

#include "data.hpp"
#include "relative.hpp"

namespace carom {
namespace {

using support::close;

TEST(TwoSpeedsTest, RecoverTheReferenceLaws) {
  const auto reference = support::reference("identification.json");
  for (const auto& r : reference.at("hc_two_speed")) {
    SCOPED_TRACE(support::text(r));
    const auto& shots = r.at("shots");
    const auto shot = [&](int i) {
      return TimedImpact{shots[i].at("v0"), shots[i].at("c_r"), shots[i].at("delta_t")};
    };
    const TwoSpeeds found = identify_two_speeds(shot(0), shot(1), r.at("m"));
    // n sits in (n-1)/(n+1) ln(v1/v2): its error is about that of the contact times over ln(v1/v2);
    // k moves by ln(omega/v) of it.
    EXPECT_TRUE(close(*found.law.exponent, r.at("n"), 1e-12));
    EXPECT_TRUE(close(*found.law.stiffness, r.at("K"), 1e-11));
    EXPECT_TRUE(close(*found.law.lambda, r.at("lambda"), 1e-11));
    EXPECT_NEAR(found.mismatch, 0, 1e-12);
    EXPECT_TRUE(close(found.first_check, shot(0).restitution, 1e-13));
    EXPECT_TRUE(close(found.second_check, shot(1).restitution, 1e-13));
    const TwoSpeeds without_mass = identify_two_speeds(shot(0), shot(1));
    EXPECT_FALSE(without_mass.law.stiffness);
    EXPECT_TRUE(close(*without_mass.law.exponent, r.at("n"), 1e-12));
  }
}

TEST(TwoSpeedsTest, TellWhenTheModelDoesNotHold) {
  // A linear damper at n = 3/2 loses relatively less at higher speed, Hunt-Crossley more.
  const HertzDamper law{.stiffness = 1e7, .exponent = 1.5, .damping = 20};
  const auto measured = [&](double speed) {
    const Impact hit = impact(law, {.mass = 0.1, .speed = speed});
    return TimedImpact{speed, hit.restitution, hit.contact_time};
  };
  const TwoSpeeds found = identify_two_speeds(measured(1), measured(3), 0.1);
  EXPECT_LT(found.mismatch, -0.5);
}

TEST(TwoSpeedsTest, RefuseWhatCannotBe) {
  const TimedImpact a{1, 0.8, 1e-3};
  EXPECT_THROW(identify_two_speeds(a, a), InvalidInput);
  // A contact that lasts longer at a higher speed needs n < 1.
  EXPECT_THROW(identify_two_speeds(a, {4, 0.8, 2e-3}), InvalidInput);
  EXPECT_THROW(identify_two_speeds(a, {2, 1.1, 1e-3}), InvalidInput);
  EXPECT_THROW(identify_two_speeds(a, {2, 0.8, std::nan("")}), InvalidInput);
}

}  // namespace
}  // namespace carom
