#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/systems/modal_body.hpp>

namespace {

using carom::Mode;

TEST(ModalBody, FreeMotionComposes) {
  // Two moves of t and u are one of t + u: rounding only, for every kind of damping.
  for (const Mode mode :
       {Mode{.frequency = 100, .damping = 0}, Mode{.frequency = 100, .damping = 50},
        Mode{.frequency = 100, .damping = 2 * M_PI * 100}, Mode{.frequency = 100, .damping = 1e5},
        Mode{.frequency = 0, .damping = 0}, Mode{.frequency = 0, .damping = 300}}) {
    const auto a = free_motion(mode, 1.3e-3), b = free_motion(mode, 2.1e-3);
    const auto whole = free_motion(mode, 3.4e-3);
    const double omega = std::max(1.0, 2 * M_PI * mode.frequency);
    const double rate = std::max(omega, mode.damping);
    EXPECT_NEAR(b.q_from_q * a.q_from_q + b.q_from_v * a.v_from_q, whole.q_from_q, 1e-13);
    EXPECT_NEAR(b.q_from_q * a.q_from_v + b.q_from_v * a.v_from_v, whole.q_from_v, 1e-13 / omega);
    EXPECT_NEAR(b.v_from_q * a.q_from_q + b.v_from_v * a.v_from_q, whole.v_from_q, 1e-13 * rate);
    EXPECT_NEAR(b.v_from_q * a.q_from_v + b.v_from_v * a.v_from_v, whole.v_from_v, 1e-13);
  }
}

TEST(ModalBody, FreeMotionSolvesItsEquation) {
  // Central differences of q(t) satisfy q'' + 2 sigma q' + omega^2 q = 0 to their own error, h^2.
  for (const double sigma : {0.0, 40.0, 2 * M_PI * 100, 3000.0}) {
    const Mode mode{.frequency = 100, .damping = sigma};
    const auto q = [&](double t) {
      const auto p = free_motion(mode, t);
      return p.q_from_q * 0.7 + p.q_from_v * 90.0;
    };
    const double h = 1e-6, t = 4e-4, omega = 2 * M_PI * 100;
    const double acceleration = (q(t + h) - 2 * q(t) + q(t - h)) / (h * h);
    const double velocity = (q(t + h) - q(t - h)) / (2 * h);
    EXPECT_NEAR(acceleration + 2 * sigma * velocity + omega * omega * q(t), 0,
                1e-4 * (omega * omega + sigma * sigma));
  }
}

TEST(ModalBody, AStronglyOverdampedModeKeepsItsSlowRoot) {
  // The slow root is omega^2/(2 sigma) (1 + (omega/(2 sigma))^2 + ...); sigma - sqrt(...) as
  // written would lose it.
  const Mode mode{.frequency = 1, .damping = 1e9};
  const double omega = 2 * M_PI;
  const auto p = free_motion(mode, 1e7);
  EXPECT_NEAR(p.q_from_q, std::exp(-omega * omega / 2e9 * 1e7), 1e-13);
}

TEST(ModalBody, EnergyFallsOnlyByDamping) {
  carom::ModalBody body{.modes = {{.frequency = 50, .mass = 2}, {.frequency = 333, .mass = 0.5}}};
  carom::ModalState state{.position = Eigen::Vector2d(1, -2), .velocity = Eigen::Vector2d(3, 4)};
  const double start = energy(body, state);
  EXPECT_NEAR(energy(body, free_motion(body, state, 12.345)), start, 1e-11 * start);
  body.modes[1].damping = 3;
  EXPECT_LT(energy(body, free_motion(body, state, 12.345)), start);
}

TEST(ModalBody, RefusesWhatCannotBeAStructure) {
  EXPECT_THROW(validate(carom::ModalBody{}), carom::InvalidInput);
  EXPECT_THROW(validate(carom::ModalBody{.modes = {{.frequency = -1}}}), carom::InvalidInput);
  EXPECT_THROW(validate(carom::ModalBody{.modes = {{.frequency = 1, .damping = -1}}}),
               carom::InvalidInput);
  EXPECT_THROW(validate(carom::ModalBody{.modes = {{.frequency = 1, .mass = 0}}}),
               carom::InvalidInput);
  carom::ModalBody body{.modes = {{.frequency = 1}}, .shapes = carom::ShapeMatrix::Ones(1, 2)};
  EXPECT_THROW(validate(body), carom::InvalidInput);
  body.shapes = carom::ShapeMatrix::Constant(1, 1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_THROW(validate(body), carom::InvalidInput);
}

}  // namespace
