#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/impact/tabulated_impact.hpp>

#include "data.hpp"
#include "relative.hpp"

namespace carom {
namespace {

using support::close;

// What the contract promises against 25-digit references.
constexpr double promised = 1e-12;

TEST(HuntCrossleyImpact, AgreesWithReferenceImpacts) {
  int cases = 0;
  const auto reference = support::reference("hunt_crossley_impacts.json");
  for (const auto& r : reference.at("cases")) {
    if (r.at("f_e") != 0.0) continue;
    ++cases;
    SCOPED_TRACE(support::text(r).substr(0, 120));
    const HuntCrossley law{r.at("k"), r.at("n"), r.at("mu")};
    const Collision collision{r.at("m"), r.at("v_in")};
    const Impact hit = impact(law, collision);
    EXPECT_TRUE(hit.releases);
    EXPECT_TRUE(close(hit.max_compression, r.at("x_max"), promised));
    EXPECT_TRUE(close(max_compression(law, collision), r.at("x_max"), promised));
    if (r.contains("t_xmax") && !r.at("t_xmax").is_null()) {
      EXPECT_TRUE(close(hit.max_compression_time, r.at("t_xmax"), promised));
    }
    EXPECT_TRUE(close(hit.contact_time, r.at("tau"), promised));
    EXPECT_TRUE(close(contact_time(law, collision), r.at("tau"), promised));
    if (!r.contains("v_out")) continue;
    const double v_out = -r.at("v_out").get<double>();
    EXPECT_TRUE(close(hit.rebound_speed, v_out, promised));
    EXPECT_TRUE(close(hit.restitution, v_out / collision.speed, promised));
    EXPECT_TRUE(close(hit.energy_in - hit.energy_lost, r.at("H_tau"), promised));
    if (law.mu > 0) {
      EXPECT_TRUE(close(published_rebound_speed(law.mu, collision.speed),
                        -r.at("v_out_eq7").get<double>(), promised));
    }
    for (const auto& point : r.at("points")) {
      const double v = point[0];
      EXPECT_TRUE(close(compression_at_rate(law, collision, v), point[1], promised)) << "v " << v;
      EXPECT_TRUE(close(energy_at_rate(law, collision, v), point[2], promised)) << "v " << v;
    }
  }
  EXPECT_EQ(cases, 160);
}

TEST(HuntCrossleyImpact, RestitutionAndDampingAgreeWithReference) {
  const auto reference = support::reference("identification.json");
  for (const auto& r : reference.at("hc_cr_of_eps")) {
    EXPECT_TRUE(close(restitution_of_epsilon(r.at("eps")), r.at("c_r"), 1e-15)) << r.at("eps");
  }
  for (const auto& r : reference.at("hc_eps_of_cr")) {
    EXPECT_TRUE(close(epsilon_of_restitution(r.at("c_r")), r.at("eps"), 1e-14)) << r.at("c_r");
  }
}

TEST(HuntCrossleyImpact, DampingIsExactDownToNearlyElastic) {
  // eps = q (3/2 + 3/2 q + 27/20 q^2 + 6/5 q^3 + ...), q = 1 - e; the next term is 1.1 q^5.
  for (const double q : {1e-12, 1e-9, 1e-7, 1e-5, 1e-4}) {
    const double exact_q = 1 - (1 - q);  // what the double e = 1 - q really says
    const double series = exact_q * (1.5 + exact_q * (1.5 + exact_q * (1.35 + exact_q * 1.2)));
    EXPECT_TRUE(close(epsilon_of_restitution(1 - q), series, 1e-14)) << q;
  }
  EXPECT_EQ(epsilon_of_restitution(1.0), 0.0);
  EXPECT_TRUE(close(epsilon_of_restitution(1e-300), 1e300, 1e-15));
}

TEST(HuntCrossleyImpact, ReboundObeysTheImplicitEquation) {
  // papetti2011 eq. (6) in long double, where it can be evaluated without much cancellation.
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> log_eps(-1, 1.5);
  for (int i = 0; i < 2000; ++i) {
    const double eps = std::pow(10, log_eps(random));
    const long double y = static_cast<long double>(eps) * restitution_of_epsilon(eps);
    const long double left = -y - std::log1p(-y);
    const long double right = eps - std::log1p(static_cast<long double>(eps));
    // d(left)/dy = y/(1-y): what four roundings of e move.
    const long double allowed = 1.5e-15L * y * y / (1 - y) + 1e-17L * right;
    EXPECT_LE(std::abs(left - right), allowed) << eps;
  }
}

TEST(HuntCrossleyImpact, DimensionlessTimesAndPeaksAgreeWithReference) {
  const auto reference = support::reference("identification.json");
  for (const auto& r : reference.at("hc_tau")) {
    SCOPED_TRACE(support::text(r));
    const DimensionlessImpact d = dimensionless_impact(r.at("eps"), r.at("n"));
    EXPECT_TRUE(close(d.contact_time, r.at("tau"), 2e-14));
    EXPECT_TRUE(close(d.max_compression_time, r.at("tau_compression"), 2e-14));
    EXPECT_TRUE(close(d.contact_time - d.max_compression_time, r.at("tau_restitution"), 2e-14));
    EXPECT_TRUE(close(d.max_compression, r.at("x_max"), 1e-15));
  }
  for (const auto& r : reference.at("hc_peak")) {
    SCOPED_TRACE(support::text(r));
    const DimensionlessImpact d = dimensionless_impact(r.at("eps"), r.at("n"));
    EXPECT_TRUE(close(d.max_force, r.at("f_peak"), 1e-14));
    EXPECT_TRUE(close(d.max_force_time, r.at("tau_peak"), 1e-14));
  }
}

TEST(HuntCrossleyImpact, EnergyLostIsAccurateWhereItIsTiny) {
  // 1 - e^2 = 4/3 eps - 4/3 eps^2 + ... ; at eps = 1e-10 the naive difference keeps six digits.
  const Impact hit = impact(HuntCrossley{1e9, 1.5, 1e-10}, {.mass = 2.0, .speed = 1.0});
  EXPECT_TRUE(close(hit.energy_lost, 4.0 / 3 * 1e-10 * (1 - 1e-10), 1e-14));
}

TEST(HuntCrossleyImpact, PublishedApproximationMatchesItsErrorCurve) {
  // Coefficients (8), and the ranges of its error recomputed for Fig. 3.
  const double mu = 1;
  const auto b4 = [](double u) {
    return 1 - (1 + u + 2.0 / 3 * u * u + 2.0 / 9 * u * u * u + 14.0 / 135 * u * u * u * u) *
                   std::exp(-2 * u);
  };
  const auto error = [&](double u) {
    return std::abs(published_rebound_speed(mu, u) / rebound_speed(mu, u) - 1);
  };
  for (const double u : {0.01, 0.5, 2.0, 10.0}) {
    EXPECT_NEAR(published_rebound_speed(mu, u), b4(u), 1e-15);
  }
  for (const auto& [u, level] :
       {std::pair{1.65859, 0.01}, {5.00288, 0.01}, {0.798392, 0.001}, {8.05366, 0.001}}) {
    EXPECT_NEAR(error(u), level, 2e-5 * level);  // u is given to six digits
  }
  EXPECT_NEAR(error(3.02), 0.02045, 5e-6);
  // The next coefficients: -2/405, 68/2835, -748/42525, 2098/127575.
  const double u = 0.3;
  const double b8 = -2.0 / 405 * std::pow(u, 5) + 68.0 / 2835 * std::pow(u, 6) -
                    748.0 / 42525 * std::pow(u, 7) + 2098.0 / 127575 * std::pow(u, 8);
  EXPECT_NEAR(published_rebound_speed(mu, u, 8), b4(u) - b8 * std::exp(-2 * u), 1e-15);
  EXPECT_EQ(published_rebound_speed(0.0, 2.0), 2.0);
}

TEST(HuntCrossleyImpact, ScalesAsTheEquationDoes) {
  // x -> a x, t -> b t leaves the law the same with k a^(n-1) b^2 fixed: two runs, one motion.
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 300; ++i) {
    const auto between = [&](double low, double high) {
      return std::exp(std::log(low) + unit(random) * std::log(high / low));
    };
    const double m = between(1e-6, 1e4), k = between(1, 1e13), n = 1 + 4 * unit(random);
    const double v = between(1e-4, 1e3), eps = between(1e-8, 1e3);
    const Impact hit = impact(HuntCrossley{k, n, eps / v}, {m, v});
    const DimensionlessImpact d = dimensionless_impact(eps, n);
    SCOPED_TRACE(::testing::Message() << m << " " << k << " " << n << " " << v << " " << eps);
    // Identities of the motion in SI units, each with the conditioning of a few powers.
    const double level = 0.5 * m * v * v * 2 * (eps - std::log1p(eps)) / (eps * eps);
    if (eps > 1e-2) {
      EXPECT_TRUE(close(k * std::pow(hit.max_compression, n + 1) / (n + 1), level, 1e-12));
    }
    EXPECT_TRUE(close(hit.restitution, restitution_of_epsilon(eps), 1e-13));
    EXPECT_TRUE(close(hit.contact_time * v / hit.max_compression,
                      d.contact_time / d.max_compression, 1e-12));
    EXPECT_TRUE(close(hit.energy_lost, hit.energy_in * (1 - d.restitution) * (1 + d.restitution),
                      1e-12 + 1e-15 / (1 - d.restitution)));
    EXPECT_GE(hit.max_force, k * std::pow(hit.max_compression, n) * (1 - 1e-12));
    EXPECT_LE(hit.max_force_time, hit.max_compression_time);
  }
}

TEST(HuntCrossleyImpact, StronglyDampedLimitsAreExact) {
  // eps -> infinity: v_out -> -1/mu, contact time -> (n+1)^(1/(n+1)) eps^(n/(n+1)).
  for (const double eps : {1e3, 1e6, 1e12, 1e100}) {
    EXPECT_TRUE(close(rebound_speed(eps, 1.0), 1 / eps, 1e-15));
    for (const double n : {1.0, 1.5, 3.0, 5.0}) {
      const double limit = std::pow(n + 1, 1 / (n + 1)) * std::pow(eps, n / (n + 1));
      const DimensionlessImpact d = dimensionless_impact(eps, n);
      EXPECT_TRUE(close(d.contact_time, limit, 6 * std::log(eps) / eps + 1e-13)) << eps << " " << n;
    }
  }
}

TEST(HuntCrossleyImpact, RefusesBadInput) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const HuntCrossley law{1e9, 1.5, 0.5};
  for (const double bad : {0.0, -1.0, nan, inf}) {
    EXPECT_THROW(impact(law, {.mass = bad, .speed = 1}), InvalidInput);
    EXPECT_THROW(impact(law, {.mass = 1, .speed = bad}), InvalidInput);
    EXPECT_THROW(rebound_speed(0.5, bad), InvalidInput);
  }
  for (const double bad : {-1.0, nan, inf}) {
    EXPECT_THROW(impact(HuntCrossley{1e9, 1.5, bad}, {1, 1}), InvalidInput);
    EXPECT_THROW(restitution_of_epsilon(bad), InvalidInput);
    EXPECT_THROW(rebound_speed(bad, 1), InvalidInput);
  }
  for (const double bad : {0.0, -0.1, 1.0000001, nan, inf}) {
    EXPECT_THROW(epsilon_of_restitution(bad), InvalidInput);
  }
  EXPECT_THROW(impact(law, {.mass = 1, .speed = 1, .force = nan}), InvalidInput);
  EXPECT_THROW(published_rebound_speed(1, 1, 0), InvalidInput);
  EXPECT_THROW(compression_at_rate(law, {1, 1}, 1.1), InvalidInput);
  EXPECT_THROW(compression_at_rate(law, {1, 1}, -0.9), InvalidInput);
  EXPECT_THROW(contact_time(law, {.mass = 1, .speed = 1, .force = 1}), InvalidInput);
}

TEST(HuntCrossleyImpact, ExtremesGiveANumberOrAnErrorNeverRubbish) {
  // Every combination of edges of double: either InvalidInput, or all identities still hold.
  int numbers = 0, errors = 0;
  for (const double m : {1e-300, 1e-6, 1.0, 1e4, 1e300}) {
    for (const double k : {1e-300, 1.0, 1e13, 1e300}) {
      for (const double v : {1e-300, 1e-4, 1.0, 1e3, 1e150, 1e300}) {
        for (const double mu : {0.0, 1e-300, 1e-3, 1e3, 1e300}) {
          for (const double n : {1.0, 1.5, 5.0, 20.0}) {
            SCOPED_TRACE(::testing::Message()
                         << m << " " << k << " " << v << " " << mu << " " << n);
            try {
              const Impact hit = impact(HuntCrossley{k, n, mu}, {m, v});
              ++numbers;
              EXPECT_TRUE(std::isnormal(hit.rebound_speed) && std::isnormal(hit.contact_time) &&
                          std::isnormal(hit.max_compression) && std::isnormal(hit.max_force));
              EXPECT_LE(hit.rebound_speed, v * (1 + 1e-15));
              if (mu > 0) {
                EXPECT_LE(hit.rebound_speed, 1 / mu * (1 + 1e-15));
              }
              // Mean speeds: in below v, out below v_out... at least the total path is bounded.
              EXPECT_GE(hit.contact_time, 2 * hit.max_compression / v * (1 - 1e-12));
              // Momentum: the force never exceeds its peak.
              EXPECT_GE(hit.max_force * (hit.contact_time / (m * v)), 1 - 1e-12);
            } catch (const InvalidInput&) {
              ++errors;
            }
          }
        }
      }
    }
  }
  EXPECT_GT(numbers, 500);
  EXPECT_GT(errors, 500);
}

TEST(HuntCrossleyImpact, ATableGivesWhatSingleImpactsGive) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> at(0, 1);
  for (const double n : {1.0, 1.5, 2.2, 5.0, 20.0}) {
    TabulatedImpact tabulated(n);
    for (int i = 0; i < 2000; ++i) {
      // Down to nothing, and over all that a contact can have.
      const double mu = i == 0 ? 0 : std::pow(10, -6 + 10 * at(random));
      const HuntCrossley law{1e6 * (1 + at(random)), n, mu};
      const Collision collision{0.01 + at(random), 0.1 + at(random)};
      const Impact plain = impact(law, collision), fast = impact(law, collision, tabulated);
      SCOPED_TRACE(::testing::Message() << "n " << n << " mu " << mu);
      constexpr double digits = 1e-13;  // what the polynomials promise; plain impacts have 1e-14
      EXPECT_TRUE(close(fast.contact_time, plain.contact_time, digits));
      EXPECT_TRUE(close(fast.max_compression_time, plain.max_compression_time, digits));
      EXPECT_TRUE(close(fast.max_force, plain.max_force, digits));
      EXPECT_TRUE(close(fast.max_force_time, plain.max_force_time, digits));
      EXPECT_EQ(fast.rebound_speed, plain.rebound_speed);
      EXPECT_EQ(fast.max_compression, plain.max_compression);
      EXPECT_EQ(fast.energy_lost, plain.energy_lost);
    }
  }
  TabulatedImpact tabulated(1.5);
  const HuntCrossley law{1e6, 1.5, 0.1};
  EXPECT_THROW(static_cast<void>(impact(law, {0.01, 1.0, 0.5}, tabulated)), InvalidInput);
}

}  // namespace
}  // namespace carom
