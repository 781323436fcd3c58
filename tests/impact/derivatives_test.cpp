#include <cmath>
#include <map>

#include <boost/math/special_functions/digamma.hpp>
#include <gtest/gtest.h>

#include <carom/identify/law_of_restitution.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/impact/derivatives.hpp>
#include <carom/laws/units.hpp>

namespace carom {
namespace {

std::map<std::string, ImpactDerivative> derivatives_of(const AnyLaw& law,
                                                       const Collision& collision) {
  std::map<std::string, ImpactDerivative> all;
  for (const ImpactDerivative& one : impact_derivatives(law, collision)) all[one.parameter] = one;
  return all;
}

// Everything below is relative to result over parameter, to the 1e-9 that is accuracy_promised.
constexpr double accuracy_promised = 1e-9;

/// y = eps e obeys y y' (1 + eps) = eps (1 - y), the derivative of papetti2011 eq. (6).
TEST(Derivatives, ReboundOfHuntCrossleyFollowsItsDifferentialEquation) {
  for (const double epsilon : {0.01, 0.3, 2.0, 20.0}) {
    const double speed = 2, mu = epsilon / speed;
    const auto d = derivatives_of(HuntCrossley{1e7, 1.5, mu}, {.mass = 0.3, .speed = speed});
    const double y = epsilon * restitution_of_epsilon(epsilon),
                 slope = epsilon * (1 - y) / (y * (1 + epsilon));
    // v_out = y/mu.
    EXPECT_NEAR(d.at("mu").rebound_speed, slope * speed / mu - y / (mu * mu),
                accuracy_promised * y / (mu * mu));
    EXPECT_NEAR(d.at("speed").rebound_speed, slope, accuracy_promised);
    EXPECT_NEAR(d.at("mass").rebound_speed, 0, accuracy_promised * y / mu / 0.3);
    EXPECT_NEAR(d.at("stiffness").rebound_speed, 0, accuracy_promised * y / mu / 1e7);
  }
}

/// omega t = 2 a b^a sqrt(pi) Gamma(a)/Gamma(a + 1/2) with a = 1/(n + 1), b = (n + 1)/2.
TEST(Derivatives, ContactTimeOfThePowerLawToItsExponent) {
  const double n = 1.7, k = 3e7, m = 0.2, v = 1.5, a = 1 / (n + 1);
  const auto d = derivatives_of(PowerLaw{k, n}, {.mass = m, .speed = v});
  const double time = contact_time(PowerLaw{k, n}, {.mass = m, .speed = v});
  using boost::math::digamma;
  const double log_shape =
      -a + a * a * (1 - std::log((n + 1) / 2)) - a * a * (digamma(a) - digamma(a + 0.5));
  // omega = (k v^(n-1)/m)^a
  const double log_omega = a * std::log(v) - a * a * std::log(k * std::pow(v, n - 1) / m);
  EXPECT_NEAR(d.at("exponent").contact_time, time * (log_shape - log_omega),
              accuracy_promised * time);
  EXPECT_NEAR(d.at("stiffness").contact_time, -a * time / k, accuracy_promised * time / k);
  EXPECT_NEAR(d.at("mass").contact_time, a * time / m, accuracy_promised * time / m);
  EXPECT_NEAR(d.at("speed").contact_time, a * (1 - n) * time / v, accuracy_promised * time / v);
}

/// No impact depends on the units it is measured in. With units of length, time and force changed
/// by a factor every number changes by a power of it, so that for every law
///   sum_i d_i p_i dR/dp_i = d_R R.
TEST(Derivatives, EveryLawIsTheSameInAllUnits) {
  for (const LawInfo& info : law_catalogue()) {
    if (!is_of_numbers(info)) continue;
    SCOPED_TRACE(info.text.name);
    const Collision collision{.mass = 0.2, .speed = 2};
    const AnyLaw law = *example_law(info, 0.7, collision);
    const auto d = derivatives_of(law, collision);
    const Impact hit = impact(law, collision);
    const FieldValues values = values_of(law);
    struct Units {
      UnitScale twice;
      double mass, speed, rebound, compression, force, time;
    };
    for (const Units& u :
         {Units{{2, 1, 1}, -1, 1, 1, 1, 0, 0}, Units{{1, 2, 1}, 2, -1, -1, 0, 0, 1},
          Units{{1, 1, 2}, 1, 0, 0, 0, 1, 0}}) {
      const FieldValues scaled = values_of(in_si_units(law, u.twice));
      ImpactDerivative sum{"", 0, 0, 0, 0, 0};
      const auto add = [&](const ImpactDerivative& one, double weight) {
        sum.rebound_speed += weight * one.rebound_speed;
        sum.restitution += weight * one.restitution;
        sum.max_compression += weight * one.max_compression;
        sum.max_force += weight * one.max_force;
        sum.contact_time += weight * one.contact_time;
      };
      for (const FieldInfo* field : info.fields) {
        if (field->type != FieldType::number) continue;
        const double now = std::get<double>(values.find(field->name)->second),
                     then = std::get<double>(scaled.find(field->name)->second);
        add(d.at(std::string(field->name)), std::log2(then / now) * now);
      }
      add(d.at("mass"), u.mass * collision.mass);
      add(d.at("speed"), u.speed * collision.speed);
      // Ten terms, each within what is accuracy_promised.
      EXPECT_NEAR(sum.rebound_speed, u.rebound * hit.rebound_speed,
                  10 * accuracy_promised * hit.rebound_speed);
      EXPECT_NEAR(sum.restitution, 0, 10 * accuracy_promised);
      EXPECT_NEAR(sum.max_compression, u.compression * hit.max_compression,
                  10 * accuracy_promised * hit.max_compression);
      EXPECT_NEAR(sum.max_force, u.force * hit.max_force, 10 * accuracy_promised * hit.max_force);
      EXPECT_NEAR(sum.contact_time, u.time * hit.contact_time,
                  10 * accuracy_promised * hit.contact_time);
    }
  }
}

/// e = exp(-2 xi acos(xi)/sqrt(1 - xi^2)) for Kelvin-Voigt, also at the bound where nothing is
/// lost.
TEST(Derivatives, KelvinVoigtAtTheBoundOfItsDamping) {
  const double k = 1e6, m = 0.5;
  const auto d = derivatives_of(KelvinVoigt{k, 0.0}, {.mass = m, .speed = 1});
  // de/dxi = -pi at xi = 0, xi = c/(2 sqrt(k m)).
  EXPECT_NEAR(d.at("damping").restitution * 2 * std::sqrt(k * m), -3.14159265358979, 1e-7);
}

}  // namespace
}  // namespace carom
