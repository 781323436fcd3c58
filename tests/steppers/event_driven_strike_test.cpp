#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <carom/steppers/event_driven_strike.hpp>
#include <carom/steppers/simulated_strike.hpp>

#include "plates.hpp"
#include "steppers/adaptive_motion.hpp"

namespace carom {
namespace {

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

constexpr HuntCrossley felt{5e8, 1.5, 0.3};
constexpr Striker hammer{.mass = 0.02, .speed = 1.5};

TEST(EventDrivenStrike, IsTheSolutionOfTheEquations) {
  const double rate = 8000, duration = 16 / rate;  // the contact lasts 0.2 ms, and is over by then
  const Truth::State truth = Truth{felt, hammer.mass, small_plate()}.after(duration, 40000);
  EventDrivenStrike strike(felt, hammer, small_plate(), {.rate = rate});
  for (int i = 0; i < 16; ++i) strike.step();
  ASSERT_TRUE(strike.converged());
  // What the fixed steps of the other solution make of x^1.5 at x = 0.
  EXPECT_NEAR(strike.velocity(), truth[1], 1e-9);
  const ModalState modes = strike.modes();
  for (int j = 0; j < 3; ++j) {
    EXPECT_NEAR(modes.position[j], truth[2 + 2 * j], 1e-13);
    EXPECT_NEAR(modes.velocity[j], truth[3 + 2 * j], 1e-9);
  }
}

TEST(EventDrivenStrike, OfAHeavyResonatorIsTheExactImpactAtAnyRate) {
  ModalBody wall;
  wall.modes = {{0.0, 0.0, 1e15}};
  wall.shapes = ShapeMatrix::Ones(2, 1);
  // mpmath: papetti2011, case 2.
  for (const double rate : {1000.0, 44100.0, 1e6}) {
    const StrikeRun run = simulate_strike(HuntCrossley{1e9, 1.5, 0.5}, {.mass = 0.01, .speed = 1.0},
                                          wall, {StrikeMethod::event_driven, rate}, 2e-3);
    ASSERT_EQ(run.impacts.size(), 1u);
    EXPECT_NEAR(run.impacts[0].restitution(), 0.7484349315974342, 1e-12);
    EXPECT_NEAR(run.impacts[0].contact_time / 1.328982359258666e-04, 1.0, 1e-10);
    EXPECT_NEAR(run.impacts[0].max_compression / 3.892573778223971e-05, 1.0, 1e-11);
    EXPECT_LT(std::abs(run.ledger.worst_residual()), 1e-12 * run.ledger.initial());
  }
}

/// Velocities of body and modes after 16 samples of 1/8000 s.
template <class S>
std::array<double, 4> velocities_after(S&& strike) {
  for (int i = 0; i < 16; ++i) strike.step();
  ModalState modes;
  if constexpr (requires { strike.modes(); }) {
    modes = strike.modes();
  } else {
    modes = strike.bank().state();
  }
  return {strike.velocity(), modes.velocity[0], modes.velocity[1], modes.velocity[2]};
}
double distance(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

TEST(EventDrivenStrike, ErrsInProportionToItsTolerance) {
  const auto at = [](double tolerance) {
    return velocities_after(
        EventDrivenStrike(felt, hammer, small_plate(), {.rate = 8000, .tolerance = tolerance}));
  };
  const auto truth = at(1e-14);
  const double coarse = distance(at(1e-5), truth), fine = distance(at(1e-12), truth);
  // The result of the halves is taken: the true error is smaller than the one that is controlled,
  // and at a coarse tolerance the ends of the contact keep the steps short.
  EXPECT_LT(coarse, 1e-5);
  EXPECT_LT(fine, 1e-12);
  EXPECT_NEAR(std::log10(coarse / fine), 6.0, 1.0);
}

/// In the middle of a contact with exponent 3.
struct Pressed final : detail::AdaptiveSystem {
  void slopes(const State& y, State& dy) const noexcept override {
    dy[0] = y[1];
    dy[1] = 0.1 - y[0] * y[0] * y[0] * (1 + 0.4 * y[1]);
  }
  double step_error(const State& wrong) const noexcept override {
    return std::hypot(wrong[0], wrong[1]);
  }
};

TEST(AdaptiveMotion, HasOrderEight) {
  const auto after = [](int steps) {
    detail::AdaptiveMotion motion(1e9);
    std::vector<double> y{1.0, 0.3};
    for (int i = 0; i < steps; ++i) y = motion.tried(Pressed{}, y, 2.0 / steps).y;
    return y;
  };
  const auto truth = after(64);
  const auto error = [&](int steps) {
    const auto y = after(steps);
    return std::hypot(y[0] - truth[0], y[1] - truth[1]);
  };
  EXPECT_EQ(EventDrivenStrike::traits.order, detail::AdaptiveMotion::order);
  // Errors of 2e-11 and 8e-14; the next term of the expansion adds 0.2.
  EXPECT_NEAR(std::log2(error(12) / error(24)), detail::AdaptiveMotion::order, 0.3);
}

TEST(Strike, ConvergesAtSecondOrderToTheEventDrivenSolution) {
  const auto order = [](const auto& law, double gap) {
    Striker striker = hammer;
    striker.gap = gap;
    const auto truth =
        velocities_after(EventDrivenStrike(law, striker, small_plate(), {.rate = 8000}));
    const auto error = [&](int steps) {
      return distance(velocities_after(StrikeMarch(law, striker, small_plate(),
                                                   {.rate = 8000, .steps_per_contact = steps})),
                      truth);
    };
    EXPECT_LT(error(1600), 1e-6);
    // Levels are powers of two: 16 times the steps are four levels.
    return std::log2(error(100) / error(1600)) / 4;
  };
  for (const double gap : {0.0, 1e-4}) {
    EXPECT_NEAR(order(felt, gap), 2.0, 0.05) << gap;
    EXPECT_NEAR(order(PowerLaw{5e8, 1.5}, gap), 2.0, 0.05) << gap;
    // The damper acts at once: where in a step the contact begins and ends is seen.
    EXPECT_NEAR(order(HertzDamper{5e8, 1.5, 30.0}, gap), 2.0, 0.25) << gap;
    EXPECT_NEAR(order(HertzDamper{5e8, 1.5, 30.0, Release::zero_compression}, gap), 2.0, 0.1)
        << gap;
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
  StrikeMarch<HuntCrossley> passive(felt, hangs, once_a_sample(rate),
                                    {.rate = rate, .steps_per_contact = 2000});
  EventDrivenStrike truth(felt, hangs, once_a_sample(rate), {.rate = rate});
  passive.set_resonator(state);
  truth.set_resonator(state);
  passive.step();
  truth.step();
  ASSERT_EQ(truth.finished().size(), 1u);
  ASSERT_EQ(passive.finished().size(), 1u);
  EXPECT_LT(passive.compression(), 0.0);
  const ImpactRecord& seen = passive.finished()[0];
  const ImpactRecord& known = truth.finished()[0];
  EXPECT_NEAR(known.time, std::asin(0.9) / (2 * M_PI * rate), 1e-15);
  EXPECT_NEAR(seen.time, known.time, 1e-5 * known.time);
  EXPECT_NEAR(seen.speed_in / known.speed_in, 1.0, 1e-4);
  EXPECT_NEAR(seen.speed_out / known.speed_out, 1.0, 1e-4);
  EXPECT_NEAR(passive.velocity() / truth.velocity(), 1.0, 1e-5);

  // A hair beyond its reach nothing happens, however long.
  const Striker beyond{.mass = 1.0, .speed = 0.0, .gap = 1.000001 * amplitude};
  StrikeMarch<HuntCrossley> missed(felt, beyond, once_a_sample(rate), {.rate = rate});
  EventDrivenStrike missed_truth(felt, beyond, once_a_sample(rate), {.rate = rate});
  missed.set_resonator(state);
  missed_truth.set_resonator(state);
  for (int i = 0; i < 100; ++i) {
    missed.step();
    missed_truth.step();
    EXPECT_TRUE(missed.finished().empty() && missed_truth.finished().empty()) << i;
  }
  EXPECT_EQ(missed.velocity(), 0.0);
  EXPECT_EQ(missed_truth.velocity(), 0.0);
}

TEST(Strike, FirstTouchIsThatOfTheEventDrivenMethodAtAnyRate) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> unit(-1, 1);
  int contacts = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const double rate = 500 * std::pow(20.0, 0.5 + 0.5 * unit(random));
    ModalState state{Eigen::VectorXd(3), Eigen::VectorXd(3)};
    for (int j = 0; j < 3; ++j) {
      state.position[j] = 0.0;
      state.velocity[j] = 0.3 * unit(random);
    }
    const Striker striker{.mass = 0.02, .speed = 0.02 * unit(random), .gap = 3e-5};
    StrikeMarch<HuntCrossley> passive(felt, striker, small_plate(), {.rate = rate});
    EventDrivenStrike truth(felt, striker, small_plate(), {.rate = rate});
    passive.set_resonator(state);
    truth.set_resonator(state);
    const auto first = [&](auto& strike) {
      while (strike.time() < 0.01 && strike.finished().empty()) strike.step();
      return strike.finished().empty() ? ImpactRecord{} : strike.finished()[0];
    };
    const ImpactRecord seen = first(passive), known = first(truth);
    contacts += known.speed_in > 0;
    EXPECT_NEAR(seen.time, known.time, 1e-6) << "trial " << trial << " rate " << rate;
  }
  EXPECT_GT(contacts, 100);
}

}  // namespace
}  // namespace carom
