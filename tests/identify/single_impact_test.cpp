#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/hunt_crossley.hpp>

#include "data.hpp"
#include "relative.hpp"

namespace carom {
namespace {

using support::close;

/// The message of the InvalidInput that f throws; empty if none.
template <class Function>
std::string refusal(Function f) {
  try {
    f();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return {};
}

TEST(IdentifyHuntCrossley, RecoversTheReferenceLawsFromEveryWellPosedSet) {
  const auto reference = support::reference("identification.json");
  for (const auto& r : reference.at("hc_roundtrip")) {
    SCOPED_TRACE(support::text(r));
    const double k = r.at("K"), lambda = r.at("lambda"), n = r.at("n");
    const Measurement all{.mass = r.at("m"),
                          .speed = r.at("v0"),
                          .restitution = r.at("c_r"),
                          .contact_time = r.at("delta_t"),
                          .max_force = r.at("F_max"),
                          .max_compression = r.at("delta_max"),
                          .stiffness = k,
                          .exponent = n};
    const auto expect_law = [&](const Measurement& m, double tolerance) {
      const Identified law = identify_hunt_crossley(m);
      EXPECT_TRUE(close(*law.stiffness, k, tolerance)) << law.problem;
      EXPECT_TRUE(close(*law.lambda, lambda, tolerance)) << law.problem;
      EXPECT_TRUE(close(*law.exponent, n, tolerance)) << law.problem;
      EXPECT_TRUE(close(law.epsilon, r.at("eps"), 1e-12)) << law.problem;
      EXPECT_TRUE(close(*law.omega, r.at("omega_i"), tolerance)) << law.problem;
      EXPECT_TRUE(close(*law.check.restitution, r.at("c_r"), 1e-13)) << law.problem;
      EXPECT_TRUE(close(*law.check.contact_time, r.at("delta_t"), 1e-11)) << law.problem;
      EXPECT_TRUE(close(*law.check.max_force, r.at("F_max"), 1e-11)) << law.problem;
      EXPECT_TRUE(close(*law.check.max_compression, r.at("delta_max"), 1e-11)) << law.problem;
    };
    const auto with = [&](std::vector<std::optional<double> Measurement::*> keep) {
      Measurement m{.mass = all.mass, .speed = all.speed, .restitution = all.restitution};
      for (const auto member : keep) m.*member = all.*member;
      return m;
    };
    using M = Measurement;
    // (2) and its siblings with a known exponent: k is the (n+1)-th power of what is measured.
    expect_law(with({&M::exponent, &M::contact_time}), 1e-12);
    expect_law(with({&M::exponent, &M::max_compression}), 1e-12);
    expect_law(with({&M::exponent, &M::max_force}), 1e-12);
    expect_law(with({&M::exponent, &M::stiffness}), 1e-12);
    // (3), (4), (5): the exponent from the ratio of two. ln k moves with n by ln(omega/v), so an
    // error in n is amplified some ten times; (3) is flat in n for strong damping.
    expect_law(with({&M::contact_time, &M::max_compression}), 1e-9);
    expect_law(with({&M::max_force, &M::max_compression}), 1e-10);
    expect_law(with({&M::max_force, &M::contact_time}), 1e-10);
    // All at once agree.
    expect_law(all, 1e-12);
    // (1): lambda needs neither mass nor exponent.
    const Identified damping = identify_hunt_crossley(
        {.speed = all.speed, .restitution = all.restitution, .stiffness = all.stiffness});
    EXPECT_TRUE(close(*damping.lambda, lambda, 1e-12));
    EXPECT_FALSE(damping.exponent || damping.omega);
    EXPECT_TRUE(close(*damping.check.restitution, r.at("c_r"), 1e-13));
    // (3) without the mass: the exponent, not the stiffness.
    const Identified shape = identify_hunt_crossley({.speed = all.speed,
                                                     .restitution = all.restitution,
                                                     .contact_time = all.contact_time,
                                                     .max_compression = all.max_compression});
    EXPECT_TRUE(close(*shape.exponent, n, 1e-9));
    EXPECT_FALSE(shape.stiffness);
    EXPECT_TRUE(close(*shape.check.contact_time, r.at("delta_t"), 1e-11));
    // mu or lambda instead of the restitution.
    Measurement by_mu = with({&M::exponent, &M::contact_time});
    by_mu.restitution.reset();
    by_mu.mu = lambda / k;
    expect_law(by_mu, 1e-12);
    Measurement by_lambda = with({&M::exponent, &M::stiffness});
    by_lambda.restitution.reset();
    by_lambda.lambda = lambda;
    expect_law(by_lambda, 1e-12);
  }
}

TEST(IdentifyHuntCrossley, FindsTheExponentAlsoFromAStiffness) {
  const HuntCrossley law{.stiffness = 3e6, .exponent = 1.8, .mu = 0.2};
  const double mass = 0.05, speed = 1.5;
  const Impact hit = impact(law, {mass, speed});
  const Identified found = identify_hunt_crossley({.mass = mass,
                                                   .speed = speed,
                                                   .restitution = hit.restitution,
                                                   .contact_time = hit.contact_time,
                                                   .stiffness = law.stiffness});
  EXPECT_TRUE(close(*found.exponent, law.exponent, 1e-11));
  EXPECT_TRUE(close(*found.mu, law.mu, 1e-13));
}

TEST(IdentifyHuntCrossley, RefusesIllPosedSetsAndSaysWhatIsMissing) {
  const auto missing = [](const Measurement& m) {
    return refusal([&] { static_cast<void>(identify_hunt_crossley(m)); });
  };
  // Everything at once.
  const std::string nothing = missing({});
  for (const char* name : {"restitution", "speed", "exponent and one of"}) {
    EXPECT_NE(nothing.find(name), std::string::npos) << nothing;
  }
  EXPECT_NE(missing({.restitution = 0.5}).find("missing speed; exponent and one of"),
            std::string::npos);
  EXPECT_EQ(missing({.restitution = 0.5, .stiffness = 1}),
            "cannot identify hunt-crossley: missing speed");
  const std::string no_size = missing({.mass = 1, .speed = 1, .restitution = 0.5, .exponent = 1.5});
  for (const char* name : {"contact_time", "max_compression", "max_force", "stiffness"}) {
    EXPECT_NE(no_size.find(name), std::string::npos) << no_size;
  }
  EXPECT_NE(
      missing({.mass = 1, .speed = 1, .restitution = 0.5, .contact_time = 1e-3}).find("exponent"),
      std::string::npos);
  EXPECT_NE(missing({.speed = 1, .restitution = 0.5, .contact_time = 1e-3, .exponent = 1.5})
                .find("missing mass"),
            std::string::npos);
  EXPECT_NE(missing({.mass = 1, .speed = 1, .contact_time = 1e-3, .exponent = 1.5, .lambda = 2})
                .find("stiffness"),
            std::string::npos);
}

TEST(IdentifyHuntCrossley, RefusesContradictions) {
  const auto message = [](const Measurement& m) {
    return refusal([&] { static_cast<void>(identify_hunt_crossley(m)); });
  };
  Measurement m{.mass = 1, .speed = 1, .restitution = 0.5, .contact_time = 1e-3, .exponent = 1.5};
  EXPECT_EQ(message(m), "");
  m.mu = 0.3;
  EXPECT_NE(message(m).find("only one of restitution, mu, lambda"), std::string::npos);
  m.mu.reset();
  m.max_compression = 1e-2;
  EXPECT_NE(message(m).find("contradictory: max_compression"), std::string::npos) << message(m);
  // No exponent makes a contact last less than twice x_max/v.
  Measurement n{
      .mass = 1, .speed = 1, .restitution = 0.9, .contact_time = 1e-3, .max_compression = 1e-3};
  EXPECT_NE(message(n).find("no exponent"), std::string::npos) << message(n);
}

TEST(IdentifyHuntCrossley, RefusesBadNumbers) {
  const Measurement good{
      .mass = 1, .speed = 1, .restitution = 0.5, .contact_time = 1e-3, .exponent = 1.5};
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (const auto member : {&Measurement::mass, &Measurement::speed, &Measurement::restitution,
                              &Measurement::contact_time, &Measurement::exponent,
                              &Measurement::stiffness, &Measurement::max_force}) {
      Measurement m = good;
      m.*member = bad;
      EXPECT_THROW(static_cast<void>(identify_hunt_crossley(m)), InvalidInput);
    }
  }
  Measurement m = good;
  m.restitution = 1.2;
  EXPECT_THROW(static_cast<void>(identify_hunt_crossley(m)), InvalidInput);
  m = good;
  m.contact_time = 1e-200;  // the stiffness would overflow
  EXPECT_THROW(static_cast<void>(identify_hunt_crossley(m)), InvalidInput);
}

TEST(IdentifyHertzDamper, DampingAgreesWithReference) {
  const auto reference = support::reference("identification.json");
  for (const auto& r : reference.at("hertz_linear_copt")) {
    EXPECT_TRUE(close(damping_of_restitution(r.at("e"), r.at("n")), r.at("c"), 1e-12))
        << support::text(r);
  }
  for (const auto& r : reference.at("hertz_linear_roundtrip")) {
    SCOPED_TRACE(support::text(r));
    const double k = r.at("k"), c = r.at("c_opt");
    const Measurement by_stiffness{.mass = r.at("m"),
                                   .speed = r.at("v0"),
                                   .restitution = r.at("e"),
                                   .stiffness = k,
                                   .exponent = r.at("n")};
    const Identified a = identify_hertz_damper(by_stiffness);
    EXPECT_TRUE(close(*a.damping, c, 1e-12));
    EXPECT_TRUE(close(*a.check.restitution, r.at("e"), 1e-12));
    EXPECT_TRUE(close(*a.check.contact_time, r.at("delta_t"), 1e-12));
    EXPECT_TRUE(close(*a.check.max_compression, r.at("delta_max"), 1e-12));
    Measurement by_time = by_stiffness;
    by_time.stiffness.reset();
    by_time.contact_time = r.at("delta_t");
    const Identified b = identify_hertz_damper(by_time);
    EXPECT_TRUE(close(*b.stiffness, k, 1e-12));
    EXPECT_TRUE(close(*b.damping, c, 1e-12));
  }
}

TEST(IdentifyHertzDamper, DampingIsExactCloseToElastic) {
  // c/(1 - e) -> (n+1)/(2 x_m B(1/(n+1), 3/2)): 0.63662, 0.55934, 0.51918 for n = 1, 3/2, 2.
  for (const auto& [n, slope] : {std::pair{1.0, 0.63662}, {1.5, 0.55934}, {2.0, 0.51918}}) {
    const double e = 1 - 1e-12;
    EXPECT_TRUE(close(damping_of_restitution(e, n) / (1 - e), slope, 1e-5)) << n;
  }
  EXPECT_EQ(damping_of_restitution(1, 1.5), 0);
}

TEST(IdentifyHertzDamper, KelvinVoigtHasClosedForms) {
  const auto reference = support::reference("identification.json");
  for (const auto& r : reference.at("kelvin_voigt_inverse")) {
    const double e = r.at("e");
    EXPECT_TRUE(close(damping_ratio_of_restitution(e), r.at("xi_zero_force"), 1e-13)) << e;
    EXPECT_TRUE(close(damping_ratio_of_restitution(e, Release::zero_compression),
                      r.at("xi_zero_penetration"), 1e-14))
        << e;
    // (8): c = -2 m ln e/t and k = m (pi^2 + ln^2 e)/t^2, without a speed.
    const double m = 0.3, t = 2e-3;
    const Identified law =
        identify_hertz_damper({.mass = m, .restitution = e, .contact_time = t, .exponent = 1},
                              Formula::exact, Release::zero_compression);
    EXPECT_TRUE(close(*law.damping, -2 * m * std::log(e) / t, 1e-13)) << e;
    const double pi2 = std::numbers::pi * std::numbers::pi;
    EXPECT_TRUE(close(*law.stiffness, m * (pi2 + std::log(e) * std::log(e)) / (t * t), 1e-13)) << e;
    // The paper's release rule, back through the impact itself.
    const Identified zero_force =
        identify_hertz_damper({.mass = m, .restitution = e, .contact_time = t, .exponent = 1});
    const Impact hit = impact(zero_force.hertz_damper(), {.mass = m, .speed = 7.0});
    EXPECT_TRUE(close(hit.restitution, e, 1e-12)) << e;
    EXPECT_TRUE(close(hit.contact_time, t, 1e-12)) << e;
  }
}

TEST(IdentifyHertzDamper, FindsTheExponentFromTwoSizes) {
  const HertzDamper law{.stiffness = 2e7, .exponent = 1.7, .damping = 25};
  const Impact hit = impact(law, {.mass = 0.1, .speed = 2});
  const Identified found = identify_hertz_damper({.mass = 0.1,
                                                  .speed = 2,
                                                  .restitution = hit.restitution,
                                                  .contact_time = hit.contact_time,
                                                  .max_compression = hit.max_compression});
  EXPECT_TRUE(close(*found.exponent, 1.7, 1e-10));
  EXPECT_TRUE(close(*found.stiffness, 2e7, 1e-9));
  EXPECT_TRUE(close(*found.damping, 25, 1e-10));
}

/// The speed at which x'' = -x^n - c x' comes back to x = 0 from x' = 1, by Runge and Kutta's rule
/// of fourth order; the end by the tangent within the last step.
double speed_back_at_zero(double c, double n) {
  const double h = 1e-4;
  const auto acceleration = [&](double x, double v) {
    return -std::pow(std::max(0.0, x), n) - c * v;
  };
  double x = 0, v = 1;
  while (true) {
    const double k1 = v, l1 = acceleration(x, v);
    const double k2 = v + h / 2 * l1, l2 = acceleration(x + h / 2 * k1, k2);
    const double k3 = v + h / 2 * l2, l3 = acceleration(x + h / 2 * k2, k3);
    const double k4 = v + h * l3, l4 = acceleration(x + h * k3, k4);
    const double x_next = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    if (x_next < 0) return -(v - x / v * acceleration(x, v));
    x = x_next;
    v += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
  }
}

TEST(IdentifyHertzDamper, DampingWithTheZeroCompressionRuleGivesTheRestitution) {
  for (const double n : {1.2, 1.5, 2.0, 3.0}) {
    for (const double e : {0.02, 0.3, 0.7, 0.99}) {
      const double c = damping_of_restitution(e, n, Release::zero_compression);
      // The tangent leaves h^2 a'/2 at the end, x^n at the start h^(n+1): 1e-8 and below.
      EXPECT_NEAR(speed_back_at_zero(c, n), e, 2e-8) << n << " " << e;
    }
  }
}

TEST(IdentifyHertzDamper, RefusesWhatDoesNotBelong) {
  const Measurement m{.mass = 1, .speed = 1, .restitution = 0.5, .stiffness = 1e6, .exponent = 1.5};
  EXPECT_THROW(static_cast<void>(identify_hertz_damper(m, Formula::flores)), InvalidInput);
  EXPECT_THROW(
      static_cast<void>(identify_hertz_damper(m, Formula::poursina, Release::zero_compression)),
      InvalidInput);
  EXPECT_THROW(static_cast<void>(identify_hunt_crossley(m, Formula::poursina)), InvalidInput);
  Measurement with_mu = m;
  with_mu.mu = 0.2;
  EXPECT_THROW(static_cast<void>(identify_hertz_damper(with_mu)), InvalidInput);
  Measurement without_e = m;
  without_e.restitution.reset();
  EXPECT_NE(refusal([&] {
              static_cast<void>(identify_hertz_damper(without_e));
            }).find("missing restitution"),
            std::string::npos);
  EXPECT_EQ(refusal([&] {
              static_cast<void>(
                  identify_hertz_damper({.restitution = 0.5, .contact_time = 1e-3, .exponent = 1}));
            }),
            "cannot identify hertz-damper: missing mass");
}

}  // namespace
}  // namespace carom
