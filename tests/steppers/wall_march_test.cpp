#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <carom/impact/hertz_damper.hpp>
#include <carom/steppers/wall_march.hpp>

namespace carom {
namespace {

/// mu v_out of a Hunt-Crossley impact from mu v_in, by Newton on s = -ln(1 - d) in
/// s + e^-s - 1 = u - ln(1 + u): independent of the library.
double restitution_of(double u) {
  if (u < 1e-4) return 1 - u * (2.0 / 3 - u * (4.0 / 9 - u * (44.0 / 135 - u * 104.0 / 405)));
  const long double level = static_cast<long double>(u) - std::log1p(static_cast<long double>(u));
  long double s = level > 1 ? level + 1 : std::sqrt(2 * level) + 2 * level / 3;
  for (int i = 0; i < 60; ++i) s -= (s + std::exp(-s) - 1 - level) / (1 - std::exp(-s));
  return static_cast<double>((1 - std::exp(-s)) / u);
}

struct Seen {
  ImpactRecord impact;
  bool released;
  bool converged;
  double worst_residual;  ///< of one step, over the initial energy
  double worst_gain;      ///< of stored energy from one end of a step to the next, likewise
  double worst_reading;   ///< of the energy read at samples above the initial one, likewise
};
Seen strike(const AnyLaw& law, double mass, double speed, double rate, double phase,
            ContactMethod method = ContactMethod::passive) {
  const auto march = make_wall_march({.law = law,
                                      .method = method,
                                      .mass = mass,
                                      .rate = rate,
                                      .position = -phase * speed / rate,
                                      .velocity = speed});
  const double initial = march->now().stored;
  double stored = initial, gain = 0.0, reading = 0.0;
  constexpr int max_samples = 50000;
  for (int i = 0; i < max_samples && march->finished().empty(); ++i) {
    march->step();
    gain = std::max(gain, march->ledger().stored() - stored);
    stored = march->ledger().stored();
    reading = std::max(reading, march->now().stored - initial);
  }
  const bool released = !march->finished().empty();
  return {
      released ? march->finished()[0] : ImpactRecord{},     released,       march->now().converged,
      std::abs(march->ledger().worst_residual()) / initial, gain / initial, reading / initial};
}

TEST(Passive, NeverGainsNeverSticksAndDoesNotDependOnRateOrPhase) {
  // The contract's ranges; contact from 0.01 to 10 000 samples.
  std::mt19937_64 random(2011);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto log_between = [&](double a, double b) { return a * std::pow(b / a, unit(random)); };
  for (int i = 0; i < 400; ++i) {
    const double m = log_between(1e-6, 1e4), k = log_between(1, 1e13), n = 1 + 4 * unit(random);
    const double v = log_between(1e-4, 1e3), u = unit(random) < 0.1 ? 0.0 : log_between(1e-4, 1e3);
    const double omega = std::pow(k * std::pow(v, n - 1) / m, 1 / (n + 1));
    const double contact_time = 3.2 / omega * (1 + std::pow(u, n / (n + 1)) / 3);
    const double rate = log_between(0.01, 1e4) / contact_time, phase = unit(random);
    const Seen seen = strike(HuntCrossley{k, n, u / v}, m, v, rate, phase);
    ASSERT_TRUE(seen.released && seen.converged)
        << m << " " << k << " " << n << " " << v << " " << u;
    EXPECT_NEAR(seen.impact.restitution(), restitution_of(u), 1e-9 * restitution_of(u))
        << "m " << m << " k " << k << " n " << n << " v " << v << " mu v " << u << " rate " << rate;
    EXPECT_LE(seen.worst_gain, 1e-12);
    EXPECT_LE(seen.worst_residual, 1e-12);
    // Samples are read from polynomials between the ends of steps, good to the root of the
    // tolerance there.
    EXPECT_LE(seen.worst_reading, 1e-7);
  }
}

TEST(Passive, HertzDamperDoesNotDependOnRateOrPhase) {
  std::mt19937_64 random(2020);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto log_between = [&](double a, double b) { return a * std::pow(b / a, unit(random)); };
  for (int i = 0; i < 200; ++i) {
    const double m = log_between(1e-6, 1e4), k = log_between(1, 1e13), n = 1 + unit(random);
    const double v = log_between(1e-4, 1e3), damping = log_between(1e-4, 10);
    const double omega = std::pow(k * std::pow(v, n - 1) / m, 1 / (n + 1));
    const double rate = log_between(0.01, 1e4) * omega / 3.2, phase = unit(random);
    const HertzDamper law{k, n, damping * m * omega};
    const Seen seen = strike(law, m, v, rate, phase);
    const Impact truth = impact(law, {m, v});  // Taylor series: nothing in common with the march
    ASSERT_TRUE(seen.released && seen.converged);
    EXPECT_NEAR(seen.impact.speed_out, truth.rebound_speed, 1e-9 * truth.rebound_speed);
    EXPECT_NEAR(seen.impact.contact_time, truth.contact_time, 1e-9 * truth.contact_time);
    EXPECT_LE(seen.worst_gain, 1e-12);
    EXPECT_LE(seen.worst_residual, 1e-12);
  }
}

/// papetti2011 Table II: errors of the rebound speed in percent, contact seen on samples only.
/// The published numbers of case 2 are relative to eq. (7); these are relative to the exact speed.
struct Published {
  HuntCrossley law;
  double speed, trapezoid, verlet, heun, rk4;
};
double rebound_error(const Published& p, ContactMethod method) {
  const auto march = make_wall_march({.law = p.law,
                                      .method = method,
                                      .mass = 0.01,
                                      .velocity = p.speed,
                                      .events = Events::sample});
  for (int i = 0; i < 10000 && march->finished().empty(); ++i) march->step();
  const double exact = p.speed * restitution_of(p.law.mu * p.speed);
  return 100 * (march->finished()[0].speed_out / exact - 1);
}
TEST(WallMarch, SeesSamplesOnlyAsThePaperDid) {
  const Published cases[] = {{{1e7, 1.3, 0.01}, 0.5, 0.039, 0.073, 0.067, 0.006},
                             {{1e9, 1.5, 0.5}, 1.0, 2.563, 0.852, -4.680, -0.093}};
  for (const Published& p : cases) {
    EXPECT_NEAR(rebound_error(p, ContactMethod::trapezoid), p.trapezoid,
                1e-3);  // one unit of the last digit
    EXPECT_NEAR(rebound_error(p, ContactMethod::verlet), p.verlet, 1e-3);
    EXPECT_NEAR(rebound_error(p, ContactMethod::heun), p.heun, 1e-3);
    EXPECT_NEAR(rebound_error(p, ContactMethod::rk4), p.rk4, 1e-3);
  }
}

TEST(WallMarch, ClassicalMethodsGainEnergyWhereThePassiveOneDoesNot) {
  // A contact of a seventh of a sample: what people hear as a click of random loudness.
  const HuntCrossley law{1e9, 1.5, 0.5};
  const auto restitution = [&](ContactMethod method) {
    return strike(law, 0.01, 1.0, 1000, 0.3, method).impact.restitution();
  };
  EXPECT_GT(restitution(ContactMethod::heun), 1.0);
  EXPECT_GT(restitution(ContactMethod::verlet), 1.0);
  EXPECT_LT(restitution(ContactMethod::passive), 0.75);
}

TEST(WallMarch, FlightUnderGravityReturnsWithTheSpeedItLeft) {
  const double g = 9.81, m = 0.01;
  const auto march =
      make_wall_march({.law = PowerLaw{1e9, 1.5}, .mass = m, .force_in_flight = m * g});
  int impacts = 0;
  double last = 0.0;
  while (march->time() < 2.5) {
    march->step();
    for (const ImpactRecord& impact : march->finished()) {
      ++impacts;
      EXPECT_NEAR(impact.speed_out, 1.0, 1e-12);
      if (last > 0) {
        EXPECT_NEAR(impact.time - last, 2.0 / g, 1e-11);
      }
      last = impact.time + impact.contact_time;
    }
    EXPECT_NEAR(march->ledger().stored() - march->ledger().injected(), 0.5 * m, 1e-14);
  }
  EXPECT_EQ(impacts, 13);
}

TEST(WallMarch, RecoveringSurfaceAndPermanentDentAreSeenByTheNextContact) {
  const double g = 9.81, m = 1.0, k = 1e5;
  const HertzDamper law{k, 1.0, 100.0};
  const auto two_impacts = [&](Surface surface) {
    const auto march = make_wall_march(
        {.law = law, .mass = m, .force_in_flight = m * g, .surface = surface, .rate = 48000});
    std::vector<ImpactRecord> seen;
    while (seen.size() < 2) {
      march->step();
      for (const ImpactRecord& impact : march->finished()) seen.push_back(impact);
      EXPECT_LE(std::abs(march->ledger().worst_residual()), 1e-12);
    }
    return std::pair{seen, march->dent()};
  };
  const auto [back, no_dent] = two_impacts(Surface::recovers);
  const auto [kept, dent] = two_impacts(Surface::keeps_indentation);
  const double left = back[0].separation_compression, out = back[0].speed_out;
  ASSERT_GT(left, 0.0);
  EXPECT_EQ(no_dent, 0.0);
  // Recovered: from x = left out and back to x = 0 costs the height `left`.
  EXPECT_NEAR(back[1].speed_in, std::sqrt(out * out - 2 * g * left), 1e-12);
  // Permanent: it returns to where it left, with the speed it had.
  EXPECT_NEAR(kept[1].speed_in, out, 1e-12);
  EXPECT_NEAR(dent, left + kept[1].separation_compression, 1e-15);
}

TEST(WallMarch, ABodyThatTurnsRoundInTheDentIsMetThere) {
  // Strong damping and gravity: the zero-force release leaves the body deep in the dent.
  const double g = 9.81, m = 1.0;
  const auto march = make_wall_march({.law = HertzDamper{2e3, 1.0, 150.0},
                                      .mass = m,
                                      .force_in_contact = m * g,
                                      .force_in_flight = m * g,
                                      .rate = 48000,
                                      .velocity = 0.3});
  double previous = march->now().stored - m * g * march->now().position;
  while (march->time() < 3.0) {
    march->step();
    const double total = march->now().stored - m * g * march->now().position;
    ASSERT_LE(total, previous + 1e-14);  // energy with gravity never rises
    previous = total;
  }
  // It comes to rest at the static compression m g/k.
  EXPECT_NEAR(march->now().position, m * g / 2e3, 1e-9);
  EXPECT_NEAR(march->now().velocity, 0.0, 1e-8);  // the rounding of the energy, as a speed
}

}  // namespace
}  // namespace carom
