// The two independent answers to one impact, held against each other: the exact room (closed forms,
// quadrature, its own series) and the event-driven and passive steppers, with an external force
// too.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <carom/impact/any_law.hpp>
#include <carom/steppers/simulated_impact.hpp>

namespace carom {
namespace {

void expect_same(const AnyLaw& law, const Collision& hit, ContactMethod method, double rate,
                 double phase) {
  const Impact exact = impact(law, hit);
  const SimulatedImpact s = simulate_impact(
      law, hit, {.method = method, .rate = rate, .phase = phase, .keep_samples = false});
  SCOPED_TRACE(testing::Message() << law_name(law) << " " << entry(method).traits.name << " m "
                                  << hit.mass << " v " << hit.speed << " f " << hit.force);
  ASSERT_EQ(s.result.releases, exact.releases);
  EXPECT_TRUE(s.converged && s.passive_kept);
  // Both claim 1e-12; together with rates and phases they leave a little more at strong damping.
  EXPECT_NEAR(s.result.max_compression / exact.max_compression, 1.0, 1e-11);
  EXPECT_NEAR(s.result.max_force / exact.max_force, 1.0, 1e-11);
  EXPECT_NEAR(s.result.max_compression_time / exact.max_compression_time, 1.0, 1e-6);
  if (!exact.releases) return;
  EXPECT_NEAR(s.result.rebound_speed / exact.rebound_speed, 1.0, 1e-10);
  EXPECT_NEAR(s.result.contact_time / exact.contact_time, 1.0, 1e-10);
  EXPECT_NEAR(s.result.separation_compression, exact.separation_compression,
              1e-10 * exact.max_compression);
}

TEST(CrossCheck, ExactRoomAndSteppersAgreeWithAndWithoutForce) {
  std::mt19937_64 random(27);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto log_between = [&](double a, double b) { return a * std::pow(b / a, unit(random)); };
  for (int i = 0; i < 150; ++i) {
    const double m = log_between(1e-6, 1e4), k = log_between(1, 1e13), n = 1 + unit(random);
    const double v = log_between(1e-4, 1e3), u = log_between(1e-3, 30);
    const double omega = std::pow(k * std::pow(v, n - 1) / m, 1 / (n + 1));
    const double rate = log_between(0.1, 300) * omega, phase = unit(random);
    // The force against the inertial one, m v omega: from a trifle to one that holds light bodies.
    const double force = i % 3 == 0 ? 0.0 : m * v * omega * log_between(1e-4, 0.3);
    const AnyLaw laws[] = {PowerLaw{k, n}, HuntCrossley{k, n, u / v},
                           HertzDamper{k, n, log_between(1e-3, 3) * m * omega}};
    const AnyLaw& law = laws[(i / 3) % 3];
    expect_same(law, {m, v, force},
                i % 2 == 0 ? ContactMethod::passive : ContactMethod::event_driven, rate, phase);
  }
}

}  // namespace
}  // namespace carom
