#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/simulated_bounces.hpp>

namespace carom {
namespace {

struct Case {
  HuntCrossley law;
  double speed;
};
constexpr Case cases[] = {{{1e7, 1.3, 0.01}, 0.5}, {{1e9, 1.5, 0.5}, 1.0}, {{1e13, 1.5, 0.5}, 1.0}};

/// Energy after the last of 100 rebounds; `height` shifts the phase of the first contact.
Bounces run(const Case& c, ContactMethod method, bool gravity_in_contact, double height) {
  return simulate_bounces(c.law, {.mass = 0.01, .speed = c.speed, .height = height},
                          {.method = method, .gravity_in_contact = gravity_in_contact});
}

TEST(SimulatedBounces, HundredReboundsKeepTheEnergyToRounding) {
  for (const Case& c : cases)
    for (const bool throughout : {false, true})
      for (const double height : {0.0, 1.234e-6, 1e-3}) {
        const Bounces exact = run(c, ContactMethod::event_driven, throughout, height);
        const Bounces passive = run(c, ContactMethod::passive, throughout, height);
        ASSERT_EQ(passive.impacts.size(), 100u);
        const double ratio = passive.impacts.back().speed_out / exact.impacts.back().speed_out;
        EXPECT_NEAR(ratio * ratio, 1.0, 1e-12)
            << c.law.stiffness << " " << throughout << " " << height;
        EXPECT_NEAR(passive.impacts.back().time, exact.impacts.back().time, 1e-10);
        EXPECT_TRUE(passive.passive_kept && passive.converged);
      }
}

TEST(SimulatedBounces, WithGravitySuspendedInContactTheChainIsTheClosedForm) {
  // e depends on mu v alone: mu v' - ln(1 + mu v') repeats with v' = -v_out.
  for (const Case& c : cases) {
    const Bounces passive = run(c, ContactMethod::passive, false, 0.0);
    const double mu = c.law.mu;
    for (const ImpactRecord& hit : passive.impacts) {
      const double in = mu * hit.speed_in, out = -mu * hit.speed_out;
      const double level = in - std::log1p(in);
      EXPECT_NEAR(out - std::log1p(out), level, 1e-12 * level + 1e-18);
    }
  }
}

TEST(SimulatedBounces, CorrectedClassicalMethodsKeepTheEnergyToo) {
  for (const Case& c : {cases[0], cases[1]})
    for (const auto method : {ContactMethod::verlet, ContactMethod::rk4}) {
      const auto energy = [&](ContactMethod m, Correct correct) {
        const Bounces b = simulate_bounces(c.law, {.mass = 0.01, .speed = c.speed},
                                           {.method = m, .correct = correct});
        return std::pow(b.impacts.back().speed_out, 2);
      };
      const double exact = energy(ContactMethod::event_driven, Correct::none);
      EXPECT_NEAR(energy(method, Correct::both) / exact, 1.0, 1e-12);
      EXPECT_GT(std::abs(energy(method, Correct::none) / exact - 1), 1e-6);
    }
}

TEST(SimulatedBounces, ABodyComesToRestUnderItsWeight) {
  const Bounces b =
      simulate_bounces(HertzDamper{1e5, 1.5, 3.0}, {.mass = 0.1, .speed = 0.0, .height = 0.05},
                       {.rate = 48000, .gravity_in_contact = true, .impacts = 10000});
  EXPECT_TRUE(b.at_rest);
  EXPECT_LT(b.impacts.size(), 10000u);
  EXPECT_GT(b.impacts.size(), 3u);
  for (std::size_t i = 1; i < b.impacts.size(); ++i)
    EXPECT_LT(b.impacts[i].speed_in, b.impacts[i - 1].speed_in);
}

TEST(SimulatedBounces, RefusesWhatCannotBe) {
  EXPECT_THROW(simulate_bounces(cases[0].law, {.mass = 0.01, .speed = 0.0}, {}), InvalidInput);
  EXPECT_THROW(simulate_bounces(cases[0].law, {.mass = 0.01, .speed = 1.0, .gravity = 0}, {}),
               InvalidInput);
  EXPECT_THROW(simulate_bounces(cases[0].law, {.mass = 0.01, .speed = 1.0}, {.impacts = 0}),
               InvalidInput);
}

}  // namespace
}  // namespace carom
