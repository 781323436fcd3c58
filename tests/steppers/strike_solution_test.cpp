// Strikes against independent solutions: Runge-Kutta steps of the whole system, closed forms, and
// themselves at other rates.

#include <array>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <carom/steppers/simulated_strike.hpp>

#include "plates.hpp"

namespace carom {
namespace {

constexpr HuntCrossley felt{5e8, 1.5, 0.3};
constexpr Striker hammer{.mass = 0.02, .speed = 1.5};

/// Body and three modes as one system of differential equations, by the classical Runge-Kutta
/// method; in contact from the start and for as long as x > 0.
struct Truth {
  AnyLaw law;
  double mass;
  ModalBody body;
  using State = std::array<double, 8>;

  State slopes(const State& y) const {
    State dy{};
    double x = y[0], v = y[1];
    for (int j = 0; j < 3; ++j) {
      x -= body.shapes(0, j) * y[2 + 2 * j];
      v -= body.shapes(0, j) * y[3 + 2 * j];
    }
    const double f =
        x > 0 ? std::visit([&](const auto& l) { return l.force(x, v, {}).total(); }, law) : 0.0;
    dy[0] = y[1];
    dy[1] = -f / mass;
    for (int j = 0; j < 3; ++j) {
      const Mode& m = body.modes[static_cast<std::size_t>(j)];
      const double omega = 2 * M_PI * m.frequency;
      dy[2 + 2 * j] = y[3 + 2 * j];
      dy[3 + 2 * j] = body.shapes(0, j) * f / m.mass - 2 * m.damping * y[3 + 2 * j] -
                      omega * omega * y[2 + 2 * j];
    }
    return dy;
  }
  State after(double duration, int steps) const {
    State y{0.0, 1.5};
    const double h = duration / steps;
    const auto moved = [](const State& from, const State& slope, double t) {
      State to = from;
      for (std::size_t i = 0; i < to.size(); ++i) to[i] += t * slope[i];
      return to;
    };
    for (int n = 0; n < steps; ++n) {
      const State a = slopes(y), b = slopes(moved(y, a, h / 2)), c = slopes(moved(y, b, h / 2));
      const State d = slopes(moved(y, c, h));
      for (std::size_t i = 0; i < y.size(); ++i)
        y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    }
    return y;
  }
};

TEST(Strike, IsTheSolutionOfTheEquationsDuringAndAfterTheContact) {
  const double rate = 20000;  // the contact lasts four samples
  for (const AnyLaw& law : {AnyLaw{felt}, AnyLaw{PowerLaw{5e8, 1.5}}, AnyLaw{PowerLaw{2e7, 1.27}}})
    for (const bool closes : {true, false})
      for (const int samples : {1, 2, 3, 20}) {
        const Truth::State truth =
            Truth{law, hammer.mass, small_plate()}.after(samples / rate, 2000 * samples);
        Strike strike(law, hammer, small_plate(), {.rate = rate, .closes_energy = closes});
        for (int i = 0; i < samples; ++i) strike.step();
        ASSERT_TRUE(strike.converged());
        // What the fixed steps of the other solution make of x^1.5 at x = 0.
        EXPECT_NEAR(strike.velocity(), truth[1], 2e-9) << samples;
        EXPECT_NEAR(strike.position(), truth[0], 1e-13) << samples;
        const ModalState modes = strike.modes();
        for (int j = 0; j < 3; ++j) {
          EXPECT_NEAR(modes.position[j], truth[2 + 2 * j], 1e-13) << samples;
          EXPECT_NEAR(modes.velocity[j], truth[3 + 2 * j], 2e-9) << samples;
        }
      }
}

TEST(Strike, OfAHeavyResonatorIsTheExactImpactAtAnyRate) {
  // mpmath: papetti2011, case 2. One resonator without spring, one of a mode that hardly moves.
  ModalBody wall;
  wall.shapes = ShapeMatrix::Ones(2, 1);
  for (const Mode mode : {Mode{0.0, 0.0, 1e15}, Mode{100.0, 1.0, 1e15}})
    for (const double rate : {1000.0, 44100.0, 1e6})
      for (const bool closes : {true, false}) {
        wall.modes = {mode};
        const StrikeRun run =
            simulate_strike(HuntCrossley{1e9, 1.5, 0.5}, {.mass = 0.01, .speed = 1.0}, wall,
                            {.rate = rate, .tolerance = 1e-12, .closes_energy = closes}, 2e-3);
        ASSERT_EQ(run.impacts.size(), 1u);
        EXPECT_NEAR(run.impacts[0].restitution(), 0.7484349315974342, 1e-12);
        EXPECT_NEAR(run.impacts[0].contact_time / 1.328982359258666e-04, 1.0, 1e-11);
        // Read from polynomials inside a step.
        EXPECT_NEAR(run.impacts[0].max_compression / 3.892573778223971e-05, 1.0, 1e-9);
        EXPECT_LT(std::abs(run.ledger.worst_residual()), 1e-12 * run.ledger.initial());
      }
}

TEST(Strike, ErrsByLessThanItsTolerance) {
  const auto at = [](double tolerance, bool closes) {
    Strike strike(felt, hammer, plate(16, 2.0),
                  {.rate = 8000, .tolerance = tolerance, .closes_energy = closes});
    for (int i = 0; i < 16; ++i) strike.step();
    return strike.velocity();
  };
  const double truth = at(1e-14, false);
  for (const bool closes : {true, false})
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12})
      EXPECT_NEAR(at(tolerance, closes), truth, 1.5 * tolerance) << closes;
}

TEST(Strike, DoesNotDependOnRateOrPhase) {
  const auto heard = [](double rate) {
    Strike strike(felt, hammer, plate(16, 2.0), {.rate = rate});
    while (strike.time() < 0.004 * (1 - 1e-12)) strike.step();
    return strike.heard();
  };
  const double reference = heard(8000);
  ASSERT_GT(std::abs(reference), 1e-7);
  for (const double rate : {16000.0, 48000.0, 96000.0, 1e6})
    EXPECT_NEAR(heard(rate) / reference, 1.0, 1e-9) << rate;  // ten times the tolerance
  // The touch at 50 phases of a sample; afterwards nothing acts on the body.
  const auto rebound = [](double gap) {
    Strike strike(felt, {.mass = 0.02, .speed = 1.5, .gap = gap}, plate(16, 2.0), {});
    while (strike.finished().empty()) strike.step();
    return strike.velocity();
  };
  for (int i = 1; i < 50; ++i) {
    EXPECT_NEAR(rebound(1.5 / 44100 * (3 + i / 50.0)), rebound(0.0), 1e-9) << i;
  }
}

TEST(Strike, TouchesAgainWhereTheBodyTurnsRoundOnARecoveringSurface) {
  // A strong damper lets go at zero force with compression left; the force brings the body back.
  const HertzDamper law{1e7, 1.5, 100.0};
  for (const bool closes : {true, false}) {
    Strike strike(law, {.mass = 0.02, .speed = 1.0, .force = 2.0}, small_plate(),
                  {.rate = 44100, .closes_energy = closes});
    int contacts = 0;
    double left = 0;
    for (int i = 0; i < 4000; ++i) {
      strike.step();
      for (const FinishedImpact& finished : strike.finished()) {
        ++contacts;
        left = std::max(left, finished.impact.separation_compression);
      }
    }
    EXPECT_TRUE(strike.converged());
    EXPECT_GT(contacts, 1);
    EXPECT_GT(left, 0.0);
    EXPECT_LT(std::abs(strike.ledger().worst_residual()),
              1e-10 * (strike.ledger().initial() + strike.ledger().injected()));
  }
}

TEST(Strike, RunsWithEveryLawAndNeitherMethodKnowsBetter) {
  for (const AnyLaw& law :
       {AnyLaw{KelvinVoigt{.stiffness = 1e6, .damping = 5.0}}, AnyLaw{HertzDamper{5e8, 1.5, 30.0}},
        AnyLaw{HertzDamper{5e8, 1.5, 30.0, Release::zero_compression}},
        AnyLaw{Tsuji{.stiffness = 5e8, .damping = 20.0}},
        AnyLaw{KuwabaraKono{.stiffness = 5e8, .damping = 1e4}}, AnyLaw{WaltonBraun{1e6, 2e6}},
        AnyLaw{JKR{5e8, 0.01, 0.5}},
        AnyLaw{ForceFormula("k*x^1.5*(1 + mu*v)", {{"k", 5e8}, {"mu", 0.3}})}}) {
    const auto run = [&](bool closes) {
      return simulate_strike(law, {.mass = 0.02, .speed = 1.5, .force = 3.0}, small_plate(),
                             {.closes_energy = closes}, 0.02);
    };
    const StrikeRun passive = run(true), open = run(false);
    EXPECT_TRUE(passive.converged && open.converged) << law_name(law);
    EXPECT_LT(std::abs(passive.ledger.worst_residual()), 1e-13 * passive.ledger.initial());
    EXPECT_LT(std::abs(open.ledger.worst_residual()), 1e-9 * open.ledger.initial());
    ASSERT_EQ(passive.impacts.size(), open.impacts.size()) << law_name(law);
    EXPECT_NEAR(passive.impacts[0].restitution(), open.impacts[0].restitution(), 1e-9);
  }
}

/// Laws with and without memory, adhesion and release by force; 1 to 40 modes, rates from 300 Hz
/// to 100 kHz, contacts from soft to hard, with and without a force that brings the body back.
TEST(Strike, NoneOfManyRandomOnesGainsEnergyOrStops) {
  std::mt19937_64 random(20261116);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto power = [&](double low, double high) { return std::pow(10, uniform(low, high)); };
  const auto chance = [&](int one_in) { return uniform(0, one_in) < 1; };
  for (int trial = 0; trial < 200; ++trial) {
    const double k = power(3, 10), n = uniform(1, 3), m = power(-4, 0), v = power(-3, 1);
    const double c = m * std::pow(k * std::pow(v, n - 1) / m, 1 / (n + 1)) * power(-2, 0.5);
    const std::array laws{AnyLaw{KelvinVoigt{.stiffness = k, .damping = c}},
                          AnyLaw{HertzDamper{k, n, c}},
                          AnyLaw{HertzDamper{k, n, c, Release::zero_compression}},
                          AnyLaw{WaltonBraun{k, k * uniform(1, 4)}},
                          AnyLaw{JKR{k, 0.01, power(-3, 0)}},
                          AnyLaw{HuntCrossley{k, n, power(-2, 1) / v}},
                          AnyLaw{PowerLaw{k, n}}};
    ModalBody body;
    const int modes = static_cast<int>(uniform(1, 41));
    body.shapes = ShapeMatrix::NullaryExpr(2, modes, [&] { return uniform(-1, 1); });
    const double mass = power(-3, 1);
    for (int j = 0; j < modes; ++j) {
      body.modes.push_back({chance(20) ? 0.0 : power(1, 4.3), chance(3) ? 0.0 : power(-1, 3),
                            mass * power(-0.5, 0.5)});
    }
    const AnyLaw& law = laws[static_cast<std::size_t>(trial) % laws.size()];
    const double rate = power(2.5, 5);
    const StrikeRun run = simulate_strike(
        law, {m, v, chance(2) ? 0.0 : v * uniform(0, 0.01), chance(2) ? 0.0 : m * power(-1, 2)},
        body, {.rate = rate}, std::max(0.01, 5 / rate));
    EXPECT_TRUE(run.converged && run.passive_kept) << trial << " " << law_name(law);
    EXPECT_GE(run.end_time, 0.01 * (1 - 1e-12));
  }
}

/// A mode that swings once a sample: on samples it is always where it is at rest.
ModalBody once_a_sample(double rate) {
  ModalBody body;
  body.modes = {{rate, 0.0, 0.05}};
  body.shapes = ShapeMatrix::Ones(2, 1);
  return body;
}
ModalState swinging(double frequency, double amplitude) {
  return {Eigen::VectorXd::Zero(1),
          Eigen::VectorXd::Constant(1, -2 * M_PI * frequency * amplitude)};
}

TEST(Strike, SeesAContactThatBeginsAndEndsWithinASample) {
  const double rate = 1000, amplitude = 1e-4;
  const ModalState state = swinging(rate, amplitude);
  // The surface comes up to the body once between two samples, first after a quarter.
  const Striker hangs{.mass = 1.0, .speed = 0.0, .gap = 0.9 * amplitude};
  Strike strike(felt, hangs, once_a_sample(rate), {.rate = rate}, state);
  Strike finer(felt, hangs, once_a_sample(rate), {.rate = 64 * rate}, state);
  strike.step();
  for (int i = 0; i < 64; ++i) finer.step();
  ASSERT_EQ(strike.finished().size(), 1u);
  EXPECT_LT(strike.compression(), 0.0);
  const ImpactRecord& seen = strike.finished()[0].impact;
  EXPECT_NEAR(seen.time, std::asin(0.9) / (2 * M_PI * rate), 1e-15);
  EXPECT_NEAR(seen.speed_in, 2 * M_PI * rate * amplitude * std::sqrt(1 - 0.81), 1e-13);
  EXPECT_NEAR(strike.velocity() / finer.velocity(), 1.0, 1e-9);

  // A hair beyond its reach nothing happens, however long.
  const Striker beyond{.mass = 1.0, .speed = 0.0, .gap = 1.000001 * amplitude};
  Strike missed(felt, beyond, once_a_sample(rate), {.rate = rate}, state);
  for (int i = 0; i < 100; ++i) {
    missed.step();
    EXPECT_TRUE(missed.finished().empty()) << i;
  }
  EXPECT_EQ(missed.velocity(), 0.0);
}

TEST(Strike, FirstTouchIsThatOfTheFreeMotionAtAnyRate) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  int contacts = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const double rate = 500 * std::pow(20.0, 0.5 + 0.5 * unit(random));
    ModalState state{Eigen::VectorXd::Zero(3), Eigen::VectorXd(3)};
    for (int j = 0; j < 3; ++j) state.velocity[j] = 0.3 * unit(random);
    const Striker striker{.mass = 0.02, .speed = 0.02 * unit(random), .gap = 3e-5};
    Strike strike(felt, striker, small_plate(), {.rate = rate}, state);
    while (strike.time() < 0.01 && strike.finished().empty()) strike.step();
    const double touch = strike.finished().empty() ? 0.01 : strike.finished()[0].impact.time;
    contacts += !strike.finished().empty();
    // The closed form, every quarter of a microsecond: apart before, together at the touch.
    const auto compression = [&](double t) {
      const ModalState now = free_motion(small_plate(), state, t);
      return -striker.gap + t * striker.speed - small_plate().shapes.row(0).dot(now.position);
    };
    for (double t = 0; t < touch - 1e-6; t += 1e-6)
      ASSERT_LT(compression(t), 1e-15) << "trial " << trial << " rate " << rate << " t " << t;
    if (!strike.finished().empty()) {
      EXPECT_NEAR(compression(touch), 0.0, 1e-17) << trial;
    }
  }
  EXPECT_GT(contacts, 100);
}

}  // namespace
}  // namespace carom
