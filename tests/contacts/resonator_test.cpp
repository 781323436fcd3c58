#include <cmath>

#include <gtest/gtest.h>

#include <carom/contacts/resonator.hpp>

namespace carom {
namespace {

/// Undamped, lightly damped, critically damped, overdamped, drifting; the last is not hit.
ModalBody every_kind_of_mode() {
  ModalBody body;
  body.modes = {{900.0, 0.0, 0.08}, {2500.0, 40.0, 0.02}, {300.0, 600 * M_PI, 0.5},
                {50.0, 3e3, 0.1},   {0.0, 2.0, 0.08},     {9000.0, 10.0, 0.3}};
  body.shapes.resize(2, 6);
  body.shapes << 1.0, 0.7, -0.5, 0.3, 0.8, 0.0, 0.8, -0.6, 0.9, 0.1, -0.4, 1.0;
  return body;
}
ModalState moving() {
  return {Eigen::VectorXd::LinSpaced(6, -1e-4, 1e-4), Eigen::VectorXd::LinSpaced(6, 2, -1)};
}
double near_one(const Mode& mode) { return 1e-13 * (1 + mode.frequency * 1e-4); }

TEST(Resonator, SamplesAndStepsAreTheExactFreeMotion) {
  const ModalBody body = every_kind_of_mode();
  const double sample = 1.0 / 8000;
  Resonator resonator(body, 0, 1, sample);
  resonator.set_state(moving());
  double time = 0;
  for (int i = 0; i < 60; ++i) {
    const double h = (0.1 + 0.013 * i) * resonator.longest_step();
    if (i % 2 == 0) {
      (void)resonator.try_sample();
    } else {
      resonator.prepare(h);
      (void)resonator.try_step({});
    }
    resonator.accept();
    time += i % 2 == 0 ? sample : h;
  }
  const ModalState expected = free_motion(body, moving(), time), got = resonator.state();
  for (int j = 0; j < 6; ++j) {
    const Mode& mode = body.modes[static_cast<std::size_t>(j)];
    // A hundred steps, and the phase omega t to a rounding error each.
    EXPECT_NEAR(got.position[j], expected.position[j], 1e-4 * near_one(mode)) << j;
    EXPECT_NEAR(got.velocity[j], expected.velocity[j], 60 * near_one(mode)) << j;
  }
}

/// Duhamel's integral of a force on a mode by Simpson's rule with 4000 intervals.
double duhamel(const Mode& mode, double t, const auto& force, bool rate) {
  const int n = 4000;
  double sum = 0;
  for (int i = 0; i <= n; ++i) {
    const double tau = t * i / n, weight = i == 0 || i == n ? 1 : i % 2 == 1 ? 4 : 2;
    const ModePropagator p = free_motion(mode, t - tau);
    sum += weight * force(tau) * (rate ? p.v_from_v : p.q_from_v);
  }
  return sum * t / n / 3 / mode.mass;
}

TEST(Resonator, ForcedStepIsDuhamelsIntegralUnderEveryClock) {
  const ModalBody body = every_kind_of_mode();
  for (const auto& [kind, power] : {std::pair{ClockKind::plain, 1},
                                    {ClockKind::onset, 2},
                                    {ClockKind::release, 2},
                                    {ClockKind::onset, 4},
                                    {ClockKind::release, 4}}) {
    const Collocation& clock = Collocation::of(kind, power);
    const ResponseTable& table = ResponseTable::of(clock);
    Resonator resonator(body, 0, 1, 1e-4);
    const double h = 0.8 * resonator.longest_step();
    // f g' is a polynomial of the clock: nothing is lost at the nodes.
    const auto force = [&](double t) { return kind == ClockKind::release ? 1 - t / h : t / h; };
    resonator.prepare(h);
    ResponseTable::Points moments{};
    for (int q = 0; q < ResponseTable::points; ++q) {
      for (int j = 0; j < Collocation::nodes; ++j) {
        moments[q] += h * table.end[q][j] * force(h * clock.time[j]);
      }
    }
    const Resonator::Sums after = resonator.try_step(moments);
    resonator.accept();
    const ModalState got = resonator.state();
    double hit = 0;
    for (int j = 0; j < 6; ++j) {
      const Mode& mode = body.modes[static_cast<std::size_t>(j)];
      const double shape = body.shapes(0, j);
      const double q = shape * duhamel(mode, h, force, false),
                   v = shape * duhamel(mode, h, force, true);
      hit += shape * q;
      // Simpson's error and the degree of the tables.
      EXPECT_NEAR(got.position[j], q, 1e-12 * h * h / mode.mass) << j;
      EXPECT_NEAR(got.velocity[j], v, 1e-11 * h / mode.mass) << j;
    }
    EXPECT_NEAR(after.hit, hit, 1e-11 * h * h * resonator.mobility());
    double through_response = 0;
    for (int q = 0; q < ResponseTable::points; ++q) {
      through_response += resonator.response()[q] * moments[q];
    }
    EXPECT_NEAR(through_response / after.hit, 1, 1e-12);
  }
}

TEST(Resonator, LossInAStepIsTheBalanceOfEnergy) {
  const ModalBody body = every_kind_of_mode();
  Resonator resonator(body, 0, 1, 1e-4);
  resonator.set_state(moving());
  const Collocation& clock = Collocation::of(ClockKind::plain, 1);
  const ResponseTable& table = ResponseTable::of(clock);
  const double h = 0.5 * resonator.longest_step(), before = resonator.sums().energy;
  resonator.prepare(h);
  Collocation::Nodes f{};
  for (int k = 0; k < Collocation::nodes; ++k) f[k] = 300 * std::sin(3 * clock.time[k]);
  ResponseTable::Points moments{}, moved, velocity;
  std::array<Collocation::Nodes, ResponseTable::points> pushes{};
  resonator.free_motion(moved, velocity);
  for (int q = 0; q < ResponseTable::points; ++q) {
    for (int j = 0; j < Collocation::nodes; ++j) {
      moments[q] += h * table.end[q][j] * f[j];
      for (int k = 0; k < Collocation::nodes; ++k) pushes[q][k] += h * table.kernel[q][j][k] * f[j];
    }
  }
  double work = 0;
  for (int k = 0; k < Collocation::nodes; ++k) {
    double rate = 0;
    for (int q = 0; q < ResponseTable::points; ++q) {
      rate += table.at_node[q][k] * velocity[q] + resonator.response_rate()[q] * pushes[q][k];
    }
    work += h * clock.weight[k] * f[k] * rate;
  }
  const double loss = resonator.step_loss(clock, pushes, h);
  const double after = resonator.try_step(moments).energy;
  EXPECT_GT(loss, 1e-3 * before);
  EXPECT_NEAR(before + work - loss, after, 1e-11 * before);
}

}  // namespace
}  // namespace carom
