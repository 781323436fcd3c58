#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/event_driven.hpp>
#include <carom/steppers/one_step.hpp>
#include <carom/steppers/passive.hpp>
#include <carom/steppers/simulated_strike.hpp>
#include <carom/steppers/trapezoid.hpp>

#include "allocations.hpp"

namespace carom {
namespace {

/// Modes between 100 Hz and 18 kHz with random signed shapes; the first one is a rigid-body mode.
ModalBody plate(int modes, double loss) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> shape(-1, 1);
  ModalBody body;
  body.shapes.resize(2, modes);
  for (int j = 0; j < modes; ++j) {
    body.modes.push_back({j == 0 ? 0.0 : 100.0 + 18000.0 * j / modes, loss * (1 + 0.2 * j), 0.08});
    body.shapes(0, j) = shape(random);
    body.shapes(1, j) = shape(random);
  }
  return body;
}

/// The three modes of a small metal plate.
ModalBody small_plate() {
  ModalBody body;
  body.modes = {{523.0, 2.0, 0.08}, {1441.0, 4.5, 0.08}, {2826.0, 9.0, 0.08}};
  body.shapes.resize(2, 3);
  body.shapes << 1.0, 0.7, -0.5, 0.8, -0.6, 0.9;
  return body;
}

TEST(Strike, EnergyOfBodyModesAndLossesClosesEveryStep) {
  for (const int modes : {3, 64, 512})
    for (const double loss : {0.0, 2.0})
      for (const double k : {1e5, 5e8, 1e11})
        for (const AnyLaw& law : {AnyLaw{HuntCrossley{k, 1.5, 0.3}},
                                  AnyLaw{HertzDamper{k, 1.5, 30.0}}, AnyLaw{PowerLaw{k, 1.5}}}) {
          const StrikeRun run =
              simulate_strike(law, {.mass = 0.02, .speed = 1.5, .gap = 1e-4, .force = 0.2},
                              plate(modes, loss), {}, modes > 100 ? 0.005 : 0.02);
          const double scale = run.ledger.initial();
          EXPECT_LE(std::abs(run.ledger.worst_residual()), 1e-12 * scale)
              << modes << " " << loss << " " << k;
          EXPECT_TRUE(run.converged && run.passive_kept) << modes << " " << loss << " " << k;
          EXPECT_GE(run.ledger.dissipated(), -1e-13 * scale);
        }
}

/// The same strike as one system of differential equations, tight: body, three modes.
struct Truth {
  HuntCrossley law;
  double mass;
  ModalBody body;
  using State = std::array<double, 8>;

  State slopes(const State& y) const {
    State dy{};
    double u = 0, du = 0;
    for (int j = 0; j < 3; ++j)
      u += body.shapes(0, j) * y[2 + 2 * j], du += body.shapes(0, j) * y[3 + 2 * j];
    const double f = law.force(y[0] - u, y[1] - du);
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
  /// Classical Runge-Kutta, 4000 steps in a contact: its error is near rounding.
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

TEST(Strike, ConvergesAtSecondOrderToTheEventDrivenSolution) {
  const HuntCrossley law{5e8, 1.5, 0.3};
  const double rate = 8000, duration = 16 / rate;  // the contact lasts 0.2 ms, and is over by then
  const Truth::State truth = Truth{law, 0.02, small_plate()}.after(duration, 40000);
  const auto error = [&](int steps) {
    StrikeMarch<HuntCrossley> march(law, {.mass = 0.02, .speed = 1.5}, small_plate(),
                                    {.rate = rate, .steps_per_contact = steps});
    for (int i = 0; i < 16; ++i) march.step();
    const ModalState modes = march.bank().state();
    double sum = std::pow(march.velocity() - truth[1], 2);
    for (int j = 0; j < 3; ++j) sum += std::pow(modes.velocity[j] - truth[3 + 2 * j], 2);
    return std::sqrt(sum);
  };
  // Levels are powers of two: 4 times the steps are two levels. The phase between onset, release
  // and grid makes the ratio waver a little.
  const double order = std::log2(error(100) / error(1600)) / 4;
  EXPECT_NEAR(order, 2.0, 0.15);
  EXPECT_LT(error(1600), 1e-6);
}

TEST(Strike, OfAHeavyResonatorIsAnImpactOnAWall) {
  ModalBody wall;
  wall.modes = {{0.0, 0.0, 1e12}};
  wall.shapes = ShapeMatrix::Ones(2, 1);
  const double mu_v = 0.5;  // the exact restitution of Hunt-Crossley at mu v = 0.5
  for (const double rate : {1000.0, 44100.0, 1e6}) {
    const StrikeRun run =
        simulate_strike(HuntCrossley{1e9, 1.5, mu_v}, {.mass = 0.01, .speed = 1.0}, wall,
                        {.rate = rate, .steps_per_contact = 1000}, 2e-3);
    ASSERT_EQ(run.impacts.size(), 1u);
    EXPECT_NEAR(run.impacts[0].restitution(), 0.7484349315974342, 1e-5);
    EXPECT_NEAR(run.impacts[0].contact_time, 1.328982359258666e-04, 1e-8);
  }
}

TEST(Strike, OfAnEverHarderContactApproachesTheNonsmoothImpact) {
  // Newton's law with e = 1 between the body and the mass 1/sum(phi^2/m) of the hit point.
  const ModalBody body = small_plate();
  double mobility = 0;
  for (int j = 0; j < 3; ++j) mobility += std::pow(body.shapes(0, j), 2) / 0.08;
  const double mass = 0.02, v = 1.5, reduced = 1 / (1 / mass + mobility);
  const double after = v - 2 * reduced * v / mass;
  double previous = 1.0;
  for (const double k : {1e8, 1e10, 1e12}) {
    StrikeMarch<PowerLaw> march({k, 1.5}, {.mass = mass, .speed = v}, body,
                                {.rate = 44100, .steps_per_contact = 400});
    while (march.finished().empty()) march.step();
    const double error = std::abs(march.velocity() - after) / v;
    EXPECT_LT(error, 0.3 * previous) << k;
    previous = error;
  }
  EXPECT_LT(previous, 1e-3);
}

TEST(Strike, DoesNotDependOnTheRateBeyondItsOrder) {
  const auto heard = [](double rate) {
    double last = 0;
    simulate_strike(HuntCrossley{5e8, 1.5, 0.3}, {.mass = 0.02, .speed = 1.5, .gap = 1.234e-4},
                    small_plate(), {.rate = rate, .steps_per_contact = 2000}, 0.01,
                    [&](const StrikeSample& s) {
                      last = s.heard;
                      return true;
                    });
    return last;
  };
  const double reference = heard(96000);
  for (const double rate : {8000.0, 16000.0, 48000.0})
    EXPECT_NEAR(heard(rate) / reference, 1.0, 1e-4) << rate;
}

TEST(ModalBank, StepsAreTheExactFreeMotion) {
  const ModalBody body = plate(13, 3.0);
  ModalBank bank(body, 0, 1, 1.0 / 44100);
  ModalState state{Eigen::VectorXd::LinSpaced(13, -1, 1),
                   Eigen::VectorXd::LinSpaced(13, 3000, -1000)};
  bank.set_state(state);
  for (int i = 0; i < 100; ++i) (void)bank.advance(i % 2 == 0 ? 0 : 3, 0.0);
  const ModalState expected = free_motion(body, state, 50.0 / 44100 + 50.0 / 44100 / 8);
  const ModalState got = bank.state();
  for (int j = 0; j < 13; ++j)
    EXPECT_NEAR(got.position[j], expected.position[j], 1e-12 * (1 + std::abs(expected.velocity[j])))
        << j;
}

#ifdef CAROM_COUNTS_ALLOCATIONS
TEST(Strike, StepDoesNotAllocate) {
  const long long start = support::allocations();
  auto* probe = new std::vector<double>(100);
  ASSERT_GT(support::allocations(), start);  // the counter counts
  delete probe;
  StrikeMarch<HuntCrossley> march({5e8, 1.5, 0.3}, {.mass = 0.02, .speed = 1.5, .force = 1.0},
                                  plate(64, 2.0), {});
  const long long before = support::allocations();
  for (int i = 0; i < 2000; ++i) march.step();
  EXPECT_EQ(support::allocations(), before);
}

TEST(WallMarch, StepDoesNotAllocate) {
  const auto expect_none = [](auto& march) {
    const long long before = support::allocations();
    for (int i = 0; i < 20000; ++i) march.step();
    EXPECT_EQ(support::allocations(), before);
  };
  const WallSystem<HuntCrossley> floor{{1e9, 1.5, 0.5}, 0.01, 0.0981, 0.0981};
  WallMarch<HuntCrossley, Passive<HuntCrossley>> passive(floor, 44100, 0.0, 0.1);
  WallMarch<HuntCrossley, EventDriven<HuntCrossley>> event_driven(floor, 44100, 0.0, 0.1);
  WallMarch<HuntCrossley, OneStep<Trapezoid, HuntCrossley>> trapezoid(floor, 44100, 0.0, 0.1);
  expect_none(passive);
  expect_none(event_driven);
  expect_none(trapezoid);
}
#endif

TEST(Strike, RefusesWhatCannotBe) {
  const HuntCrossley law{5e8, 1.5, 0.3};
  EXPECT_THROW(simulate_strike(law, {.mass = 0, .speed = 1}, small_plate(), {}, 1.0), InvalidInput);
  EXPECT_THROW(simulate_strike(law, {.mass = 1, .speed = 1}, small_plate(), {.rate = 0}, 1.0),
               InvalidInput);
  ModalBody one_point = small_plate();
  one_point.shapes.conservativeResize(1, 3);
  EXPECT_THROW(simulate_strike(law, {.mass = 1, .speed = 1}, one_point, {}, 1.0), InvalidInput);
}

}  // namespace
}  // namespace carom
