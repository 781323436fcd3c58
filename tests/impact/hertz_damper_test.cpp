#include <cmath>
#include <limits>
#include <random>

#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/bulirsch_stoer.hpp>
#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/power_law.hpp>

#include "data.hpp"
#include "relative.hpp"

namespace carom {
namespace {

using support::close;

TEST(HertzDamperImpact, AgreesWithReference) {
  const auto reference = support::reference("identification.json");
  for (const char* table : {"hertz_linear_copt", "hertz_linear_e_of_c"}) {
    for (const auto& r : reference.at(table)) {
      SCOPED_TRACE(support::text(r));
      const HertzDamper law{1.0, r.at("n"), r.at("c")};
      const Impact hit = impact(law, {.mass = 1, .speed = 1});
      EXPECT_TRUE(close(hit.restitution, r.at("e"), 1e-13));
      EXPECT_TRUE(close(hit.contact_time, r.at("tau_sep"), 2e-13));
      EXPECT_TRUE(close(hit.separation_compression, r.at("x_sep"), 2e-14));
      EXPECT_TRUE(close(hit.max_compression, r.at("x_max"), 1e-14));
      EXPECT_TRUE(close(hit.max_compression_time, r.at("tau_max"), 1e-14));
      if (r.contains("f_peak")) {
        EXPECT_TRUE(close(hit.max_force, r.at("f_peak"), 1e-14));
      }
    }
  }
}

TEST(HertzDamperImpact, KelvinVoigtAgreesWithClosedFormAndReference) {
  const auto reference = support::reference("identification.json");
  for (const auto& r : reference.at("kelvin_voigt")) {
    SCOPED_TRACE(support::text(r));
    const double xi = r.at("xi");
    const DimensionlessRebound closed = kelvin_voigt_rebound(xi);
    EXPECT_TRUE(close(closed.restitution, r.at("e_zero_force"), 1e-14 * (1 + xi)));
    EXPECT_TRUE(close(closed.contact_time, r.at("tau_zero_force"), 1e-14));
    const DimensionlessRebound summed = hertz_damper_rebound(2 * xi, 1);
    EXPECT_TRUE(close(summed.restitution, closed.restitution, 1e-12));
    EXPECT_TRUE(close(summed.loss, closed.loss, 1e-12));
    EXPECT_TRUE(close(summed.contact_time, closed.contact_time, 1e-12));
    const DimensionlessRebound stuck = hertz_damper_rebound(2 * xi, 1, Release::zero_compression);
    const DimensionlessRebound stuck_closed = kelvin_voigt_rebound(xi, Release::zero_compression);
    EXPECT_EQ(stuck.releases, xi < 1);
    EXPECT_EQ(stuck_closed.releases, xi < 1);
    if (xi < 1) {
      EXPECT_TRUE(
          close(stuck_closed.restitution, r.at("e_zero_penetration"), 1e-14 + 1e-16 / (1 - xi)));
      EXPECT_TRUE(close(stuck.restitution, stuck_closed.restitution, 1e-12 + 1e-15 / (1 - xi)));
      EXPECT_TRUE(
          close(stuck.contact_time, r.at("tau_zero_penetration"), 1e-12 + 1e-15 / (1 - xi)));
    }
  }
}

TEST(HertzDamperImpact, LossIsAccurateWhereItIsTiny) {
  // First order in c: loss = 2 c (integral of v dx) = 4 c x_m integral of sqrt(1 - s^(n+1)) ds
  // = 4 c x_m B(1/(n+1), 3/2)/(n+1). It releases at x_s = c^(1/n): the energy left in the spring
  // counts as lost, the way from x_s to 0 is not damped.
  for (const double n : {1.0, 1.5, 2.0, 3.3, 5.0}) {
    const double c = 1e-9, a = 1 / (n + 1);
    const double x_m = std::pow((n + 1) / 2, a);
    const double beta = std::tgamma(a) * std::tgamma(1.5) / std::tgamma(a + 1.5);
    const double left = 2 * std::pow(c, (n + 1) / n) * (1 / (n + 1) - 1);
    const DimensionlessRebound r = hertz_damper_rebound(c, n);
    // The second order is c^2.
    EXPECT_TRUE(close(r.loss, 4 * c * x_m * beta * a + left, 1e-8)) << n;
    EXPECT_NEAR(r.restitution, 1 - r.loss / 2, 1e-15);
  }
}

TEST(HertzDamperImpact, WithoutDampingItIsThePowerLaw) {
  for (const double n : {1.0, 1.3, 2.0, 2.5, 4.0, 5.0}) {
    const Collision collision{.mass = 0.3, .speed = 2.5};
    const Impact damped = impact(HertzDamper{4e5, n, 0.0}, collision);
    const Impact lossless = impact(PowerLaw{4e5, n}, collision);
    EXPECT_TRUE(close(damped.contact_time, lossless.contact_time, 1e-13)) << n;
    EXPECT_TRUE(close(damped.max_compression, lossless.max_compression, 1e-14)) << n;
    EXPECT_TRUE(close(damped.max_force, lossless.max_force, 1e-14)) << n;
    EXPECT_TRUE(close(damped.restitution, 1, 1e-14)) << n;
    EXPECT_EQ(damped.energy_lost, 0);
    EXPECT_EQ(damped.separation_compression, 0);
  }
}

/// Independent: a general purpose integrator up to t, in long double, from touch.
std::array<long double, 2> integrate(const HertzDamper& law, const Collision& collision, double t) {
  using State = std::array<long double, 2>;
  namespace odeint = boost::numeric::odeint;
  State s{0, collision.speed};
  const long double m = collision.mass, k = law.stiffness, n = law.exponent, c = law.damping;
  const auto rhs = [&](const State& y, State& dy, long double) {
    const long double spring = y[0] > 0 ? k * std::pow(y[0], n) : 0;
    dy = {y[1], (collision.force - c * y[1] - spring) / m};
  };
  using Stepper = odeint::bulirsch_stoer<State, long double>;
  // Absolute tolerance in units of the state is scaled out by choosing m, k, v near one below.
  odeint::integrate_adaptive(Stepper(1e-17L, 1e-17L), rhs, s, 0.0L, static_cast<long double>(t),
                             static_cast<long double>(t) / 100);
  return s;
}

TEST(HertzDamperImpact, ReleaseStateAgreesWithAnIndependentIntegrator) {
  for (const double n : {1.5, 2.0, 3.7}) {
    for (const double c : {0.05, 0.7, 3.0}) {
      const HertzDamper law{1.3, n, c};
      const Collision collision{.mass = 0.8, .speed = 1.1};
      const Impact hit = impact(law, collision);
      SCOPED_TRACE(::testing::Message() << n << " " << c);
      // Start-up at x^n with n = 3/2 costs the integrator order: 1e-12 is what it delivers.
      const auto [x, v] = integrate(law, collision, hit.contact_time);
      EXPECT_NEAR(static_cast<double>(x), hit.separation_compression, 2e-12);
      EXPECT_NEAR(static_cast<double>(-v), hit.rebound_speed, 2e-12);
      // The paper's release rule.
      EXPECT_NEAR(1.3 * std::pow(hit.separation_compression, n), c * hit.rebound_speed, 1e-13);
      const auto [x_top, v_top] = integrate(law, collision, hit.max_compression_time);
      EXPECT_NEAR(static_cast<double>(x_top), hit.max_compression, 2e-12);
      EXPECT_NEAR(static_cast<double>(v_top), 0, 2e-12);
    }
  }
}

TEST(HertzDamperImpact, ZeroCompressionRuleCrossesZeroOrCreepsForEver) {
  const Collision collision{.mass = 1, .speed = 1};
  for (const double n : {1.2, 1.5, 2.0, 3.0}) {
    HertzDamper law{1.0, n, 0.4, Release::zero_compression};
    const Impact hit = impact(law, collision);
    ASSERT_TRUE(hit.releases) << n;
    EXPECT_EQ(hit.separation_compression, 0);
    const auto [x, v] = integrate(law, collision, hit.contact_time);
    EXPECT_NEAR(static_cast<double>(x), 0, 2e-12) << n;
    EXPECT_NEAR(static_cast<double>(-v), hit.rebound_speed, 2e-12) << n;
    EXPECT_TRUE(close(hit.energy_lost, 0.5 * (1 - hit.restitution * hit.restitution), 1e-13)) << n;
    law.damping = 20;
    const Impact creeping = impact(law, collision);
    EXPECT_FALSE(creeping.releases) << n;
    EXPECT_TRUE(std::isnan(creeping.rebound_speed));
    EXPECT_TRUE(std::isinf(creeping.contact_time));
  }
}

TEST(HertzDamperImpact, RestitutionFallsWithDampingAndFollowsItsLimit) {
  for (const double n : {1.0, 1.5, 2.0, 5.0}) {
    double last = 1;
    for (double log_c = -6; log_c <= 4; log_c += 0.125) {
      const DimensionlessRebound r = hertz_damper_rebound(std::pow(10, log_c), n);
      EXPECT_LT(r.restitution, last) << n << " " << log_c;
      last = r.restitution;
    }
    // c -> infinity: x -> 1/c, e = x^n/c -> c^-(n+1); the correction is of relative order
    // (n+1) ln(c) c^-(n+1), far below rounding at 1e4 except for n = 1.
    EXPECT_TRUE(close(last, std::pow(1e4, -(n + 1)), 1e-6)) << n;
  }
}

TEST(HertzDamperImpact, StrongDamperReleasesWhereTheForceVanishes) {
  // Behind a strong damper x -> 1/c, and the force c exp(-c t) falls until it meets the creep
  // -n x^(2n-1)/c^2: c t = ln(c^(2n+2)/n), far below what the difference c v + x^n could resolve.
  for (const double n : {1.5, 2.0, 3.3, 5.0}) {
    for (const double c : {300.0, 1e3, 1e4}) {
      const Impact hit = impact(HertzDamper{1, n, c}, {.mass = 1, .speed = 1});
      SCOPED_TRACE(::testing::Message() << n << " " << c);
      // Corrections are of relative order c^-(n+1) times logarithms.
      const double tolerance = 200 * std::pow(c, -(n + 1)) + 1e-13;
      EXPECT_TRUE(
          close(hit.contact_time, (std::log(c) * (2 * n + 2) - std::log(n)) / c, tolerance));
      EXPECT_TRUE(close(hit.separation_compression, 1 / c, tolerance));
      EXPECT_TRUE(close(hit.rebound_speed, std::pow(c, -(n + 1)), (n + 1) * tolerance));
      EXPECT_EQ(hit.max_force, c);
      EXPECT_EQ(hit.max_force_time, 0);
    }
  }
}

TEST(HertzDamperImpact, RefusesBadInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {-1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(impact(HertzDamper{1e9, 1.5, bad}, {1, 1}), InvalidInput);
    EXPECT_THROW(hertz_damper_rebound(bad, 1.5), InvalidInput);
    EXPECT_THROW(kelvin_voigt_rebound(bad), InvalidInput);
  }
  EXPECT_THROW(impact(HertzDamper{1e9, 1.5, 1.0}, {0, 1}), InvalidInput);
  EXPECT_THROW(impact(HertzDamper{1e9, 0.9, 1.0}, {1, 1}), InvalidInput);
}

}  // namespace
}  // namespace carom
