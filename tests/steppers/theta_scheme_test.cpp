#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_plain.hpp>
#include <carom/steppers/theta_scheme.hpp>

namespace carom {
namespace {

constexpr double rate = 20000, dt = 1 / rate;

/// The scheme as it is written, for one mode: solved for w+ with q* and w* put in.
struct ThetaMode {
  double omega, sigma, mass, q, w = 0;
  void step(double theta, double impulse) {
    const double rest = 1 - theta, stiff = dt * omega * omega, damp = 2 * dt * sigma;
    // q* = q + theta dt (theta w+ + rest w)
    const double left = 1 + stiff * theta * theta * dt + damp * theta;
    const double right = w - stiff * (q + theta * rest * dt * w) - damp * rest * w + impulse / mass;
    const double next = right / left;
    q += dt * (theta * next + rest * w);
    w = next;
  }
  double shown(double theta) const { return q + (1 - theta) * dt * w; }
  double energy() const { return 0.5 * mass * (w * w + omega * omega * q * q); }
};

ModalProblem problem_of(const std::vector<Mode>& modes, double height) {
  ModalProblem problem;
  problem.body.modes = modes;
  problem.body.shapes = ShapeMatrix::Ones(1, static_cast<Eigen::Index>(modes.size()));
  problem.heights = {height};
  problem.law = NewtonRestitution{.restitution = 0.5};
  problem.rate = rate;
  problem.start.position = Eigen::VectorXd::Constant(static_cast<Eigen::Index>(modes.size()), 1e-3);
  return problem;
}

/// Modes far below and above the sampling rate, damped little, much and beyond oscillation, and a
/// rigid body in a viscous medium.
const std::vector<Mode> modes{{.frequency = 100, .damping = 0, .mass = 1},
                              {.frequency = 3000, .damping = 50, .mass = 2},
                              {.frequency = 30000, .damping = 900, .mass = 0.5},
                              {.frequency = 50, .damping = 2000, .mass = 1},
                              {.frequency = 0, .damping = 30, .mass = 3}};

TEST(ThetaScheme, IsTheExactMotionOfOtherModes) {
  for (const double theta : {0.5, 0.7, 1.0}) {
    ModalProblem problem = problem_of(modes, -1);  // out of reach
    problem.body = theta_scheme(problem.body, rate, theta);
    ModalPlain plain(problem);
    std::vector<ThetaMode> written;
    for (const Mode& mode : modes) {
      written.push_back({2 * std::numbers::pi * mode.frequency, mode.damping, mode.mass, 1e-3});
    }
    for (int n = 0; n < 400; ++n) {
      plain.step();
      for (std::size_t j = 0; j < modes.size(); ++j) {
        written[j].step(theta, 0);
        // Rounding of 400 steps.
        ASSERT_NEAR(plain.position()[static_cast<Eigen::Index>(j)], written[j].shown(theta), 1e-14)
            << theta << " mode " << j << " step " << n;
      }
    }
  }
}

TEST(ThetaScheme, TakesImpulsesAsItIsWritten) {
  // Without the rigid body, which the first impact would send away.
  const std::vector<Mode> vibrating(modes.begin(), modes.begin() + 3);
  ModalProblem problem = problem_of(vibrating, 0);
  problem.body = theta_scheme(problem.body, rate, 0.5);
  ModalPlain plain(problem);
  std::vector<ThetaMode> written;
  for (const Mode& mode : vibrating) {
    written.push_back({2 * std::numbers::pi * mode.frequency, mode.damping, mode.mass, 1e-3});
  }
  int hits = 0;
  for (int n = 0; n < 2000; ++n) {
    plain.step();
    hits += plain.touched() ? 1 : 0;
    for (std::size_t j = 0; j < vibrating.size(); ++j) {
      written[j].step(0.5, plain.touched() ? plain.impulses()[0] : 0);
      ASSERT_NEAR(plain.position()[static_cast<Eigen::Index>(j)], written[j].shown(0.5), 1e-13)
          << j;
    }
  }
  EXPECT_GT(hits, 3);
}

// The ledger is that of other modes (see above), and must be that of the scheme as it is written:
// for theta = 1/2 its energy m (w^2 + omega^2 q^2)/2 changes by damping and by impulses only.
// What Newton's law with restitution < 1 gives to points that already leave (ContactSpace) is a
// real gain, kept apart, and all that the residual may show; with restitution 1 there is none.
TEST(ThetaScheme, GainsNothingButByImpulsesOnLeavingPoints) {
  for (const bool damped : {false, true}) {
    for (const double restitution : {0.0, 0.5, 1.0}) {
      std::vector<Mode> vibrating(modes.begin(), modes.begin() + 3);
      if (!damped) {
        for (Mode& mode : vibrating) mode.damping = 0;
      }
      ModalProblem problem = problem_of(vibrating, 0);
      problem.law = NewtonRestitution{.restitution = restitution};
      problem.body = theta_scheme(problem.body, rate, 0.5);
      ModalPlain plain(problem);
      std::vector<ThetaMode> written;
      double initial = 0, energy = 0;
      for (const Mode& mode : vibrating) {
        written.push_back({2 * std::numbers::pi * mode.frequency, mode.damping, mode.mass, 1e-3});
        initial += written.back().energy();
      }
      for (int n = 0; n < 4000; ++n) {
        plain.step();
        for (ThetaMode& mode : written) mode.step(0.5, plain.touched() ? plain.impulses()[0] : 0);
      }
      for (const ThetaMode& mode : written) energy += mode.energy();
      const ContactEnergy& contacts = plain.contacts().energy();
      const Ledger& ledger = plain.ledger();
      const double rounding = 1e-11 * initial;  // of 4000 steps
      EXPECT_NEAR(ledger.initial(), initial, rounding);
      EXPECT_NEAR(ledger.stored(), energy, rounding) << damped << restitution;
      EXPECT_NEAR(ledger.residual(), contacts.gained, rounding) << damped << restitution;
      if (!damped) {
        EXPECT_NEAR(energy - initial, contacts.gained - contacts.dissipated, rounding);
      }
      if (restitution == 1) {
        EXPECT_LT(contacts.gained, rounding);
      } else {
        EXPECT_GT(contacts.dissipated, 1e-3 * initial);  // it did touch
        EXPECT_GT(contacts.gained, 0) << "nothing to tell a gain from rounding by";
      }
    }
  }
}

TEST(ThetaScheme, FrequencyIsThatOfTheFormula) {
  for (const double f : {100.0, 3000.0, 9000.0}) {
    const ModalBody body{.modes = {{.frequency = f}}, .shapes = ShapeMatrix::Ones(1, 1)};
    const Mode stepped = theta_scheme(body, rate, 0.5).modes[0];
    EXPECT_NEAR(stepped.frequency / theta_frequency(f, rate, 0.5), 1, 1e-12);
    EXPECT_NEAR(stepped.damping, 0, 1e-9);  // theta = 1/2 takes no energy
    EXPECT_GT(theta_scheme(body, rate, 0.6).modes[0].damping, 1);
    EXPECT_NEAR(std::tan(std::numbers::pi * theta_frequency(f, rate, 0.5) / rate),
                std::numbers::pi * f / rate, 1e-12);
  }
}

TEST(ThetaScheme, RefusesWhatItCannotStep) {
  const ModalBody body{.modes = {{.frequency = 100}}, .shapes = ShapeMatrix::Ones(1, 1)};
  EXPECT_THROW(theta_scheme(body, rate, 0.4), InvalidInput);
  EXPECT_THROW(theta_scheme(body, rate, 1.1), InvalidInput);
  const ModalBody stiff{.modes = {{.frequency = 100, .damping = 3e4}},
                        .shapes = ShapeMatrix::Ones(1, 1)};
  EXPECT_THROW(theta_scheme(stiff, rate, 0.5), InvalidInput);
}

}  // namespace
}  // namespace carom
