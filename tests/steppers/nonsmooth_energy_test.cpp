#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/newmark_impacts.hpp>
#include <carom/steppers/paoli_schatzman.hpp>
#include <carom/systems/small_systems.hpp>

namespace carom {
namespace {

/// The three methods, and the event-driven one by both rules of flight, on the same run.
template <class S, class Check>
void by_every_method(const S& system, const std::vector<NewtonRestitution>& law,
                     const MotionState& start, double step, const Check& check) {
  const NonsmoothSettings common{.step = step};
  const auto run = [&](const char* name, auto stepper) {
    SCOPED_TRACE(name);
    check(stepper);
    EXPECT_EQ(stepper.report().status, StepStatus::ok);
  };
  run("moreau-jean", MoreauJean(system, law, start, {.common = common}));
  run("paoli-schatzman", PaoliSchatzman(system, law, start, common));
  run("midpoint", NewmarkImpacts(system, law, start, {.common = common}));
  run("newmark",
      NewmarkImpacts(system, law, start, {.common = common, .flight = FlightRule::newmark}));
}

MotionState at(double q, double v) {
  return {Eigen::VectorXd::Constant(1, q), Eigen::VectorXd::Constant(1, v)};
}

/// Five masses in a row between springs and dampers; the last one can hit a wall.
struct DampedChain {
  double mass = 0.1, stiffness = 500.0, damping = 2.0, wall = 0.002;
  bool declared = true;

  int coordinates() const { return 5; }
  int contacts() const { return 1; }
  void mass_matrix(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& M) const {
    M = mass * Eigen::MatrixXd::Identity(5, 5);
  }
  void force(double /*t*/, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const {
    f.setZero();
    for (int i = 0; i < 4; ++i) {
      const double pull = stiffness * (q[i + 1] - q[i]) + damping * (v[i + 1] - v[i]);
      f[i] += pull;
      f[i + 1] -= pull;
    }
  }
  double potential_energy(const Eigen::VectorXd& q) const {
    return 0.5 * stiffness * (q.tail(4) - q.head(4)).squaredNorm();
  }
  double dissipation(double /*t*/, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& v) const {
    return declared ? damping * (v.tail(4) - v.head(4)).squaredNorm() : 0.0;
  }
  void gaps(double /*t*/, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
    g[0] = wall - q[4];
  }
  void gap_gradients(double /*t*/, const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& G) const {
    G.setZero();
    G(0, 4) = -1.0;
  }
};

/// What the dampers of a system take is not an error of the method, once the system says so.
TEST(NonsmoothEnergy, DampersOfTheSystemAreBookedAsLost) {
  const MotionState start{Eigen::VectorXd::Zero(5), Eigen::VectorXd::Constant(5, 1.5)};
  const double energy = 0.5 * 0.5 * 1.5 * 1.5;  // 0.5625 J
  by_every_method(DampedChain{}, {{0.5}}, start, 1e-5, [&](auto& stepper) {
    march(stepper, 0.5);
    const Ledger& ledger = stepper.ledger();
    EXPECT_GT(ledger.dissipated(), 0.5 * energy);
    EXPECT_NEAR(ledger.stored() + ledger.dissipated(), energy, 1e-6 * energy);
    // Measured 7e-8 at most (Newmark's rule, whose energy swings); the others 1e-10.
    EXPECT_LT(std::abs(ledger.residual()), 1e-6 * energy);
  });
  // Not declared, the same losses are what the method cannot account for.
  by_every_method(DampedChain{.declared = false}, {{0.5}}, start, 1e-5, [&](auto& stepper) {
    march(stepper, 0.5);
    EXPECT_LT(stepper.ledger().residual(), -0.05 * energy);
  });
}

/// m x'' = -k x - c x' + F cos(w t), far from its floor.
struct DrivenOscillator {
  double mass = 0.3, stiffness = 200.0, damping = 0.9, drive = 2.0, frequency = 17.0;

  int coordinates() const { return 1; }
  int contacts() const { return 1; }
  void mass_matrix(const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& M) const { M(0, 0) = mass; }
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const {
    f[0] = -stiffness * q[0] - damping * v[0] + drive * std::cos(frequency * t);
  }
  double potential_energy(const Eigen::VectorXd& q) const { return 0.5 * stiffness * q[0] * q[0]; }
  double dissipation(double /*t*/, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& v) const {
    return damping * v[0] * v[0];
  }
  double power(double t, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& v) const {
    return drive * std::cos(frequency * t) * v[0];
  }
  void gaps(double /*t*/, const Eigen::VectorXd& q, Eigen::VectorXd& g) const { g[0] = q[0] + 9.0; }
  void gap_gradients(double /*t*/, const Eigen::VectorXd& /*q*/, Eigen::MatrixXd& G) const {
    G(0, 0) = 1.0;
  }
};

/// In the steady state x = X cos(w t - phi) a period takes pi F X sin(phi) from the drive, and the
/// damper loses the same: pi c w X^2.
TEST(NonsmoothEnergy, ADriveGivesWhatTheDamperTakesInThePeriodicState) {
  const DrivenOscillator o;
  const double w = o.frequency, detuned = o.stiffness - o.mass * w * w, c = o.damping * w;
  const double amplitude = o.drive / std::hypot(detuned, c), phase = std::atan2(c, detuned);
  const MotionState start = at(amplitude * std::cos(phase), amplitude * w * std::sin(phase));
  const double period = 2 * std::numbers::pi / w;
  const double work = std::numbers::pi * o.damping * w * amplitude * amplitude;
  const double step = period / 2000;
  by_every_method(o, {{0.5}}, start, step, [&](auto& stepper) {
    march(stepper, 3 * period);
    // Second order, (w dt)^2 = 1e-5, amplified by the resonance's width.
    EXPECT_NEAR(stepper.ledger().dissipated(), 3 * work, 1e-4 * work);
    EXPECT_NEAR(stepper.ledger().injected(), 3 * work, 1e-4 * work);
    EXPECT_LT(std::abs(stepper.ledger().residual()), 1e-5 * work);
    EXPECT_NEAR(stepper.position()[0], start.q[0], 1e-4 * amplitude);
  });
}

/// A force that is zero at the start, on a body at rest: there is no scale of velocity yet.
TEST(NonsmoothEnergy, StartsFromCompleteRest) {
  struct Pushed : BouncingPoint {
    void force(double t, const Eigen::VectorXd& /*q*/, const Eigen::VectorXd& /*v*/,
               Eigen::VectorXd& f) const {
      f[0] = t;
    }
  };
  const Pushed pushed{{.mass = 1.0, .gravity = 0.0}};
  by_every_method(pushed, {{0.5}}, at(1.0, 0.0), 1e-3, [&](auto& stepper) {
    march(stepper, 0.5);
    EXPECT_NEAR(stepper.position()[0], 1 + 0.125 / 6, 1e-6);  // t^3/6, second order
  });
}

/// A floor that rises with a constant speed.
struct RisingFloor : BouncingPoint {
  double speed = 0.3;
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
    g[0] = q[0] - speed * t;
  }
  void gap_rates(double /*t*/, const Eigen::VectorXd& /*q*/, Eigen::VectorXd& r) const {
    r[0] = -speed;
  }
};

/// Seen from the floor, the motion is that over a floor at rest (Galilei), and the ledgers differ
/// by the work of the floor, speed times momentum given.
TEST(NonsmoothEnergy, AFloorAtConstantSpeedIsAFloorAtRest) {
  const RisingFloor rising{{.mass = 0.4}};
  const BouncingPoint resting{.mass = 0.4};
  const double until = 0.45, u = rising.speed;
  std::vector<double> height, speed, lost;
  by_every_method(resting, {{0.6}}, at(0.1, -0.5), 1e-3, [&](auto& stepper) {
    march(stepper, until);
    height.push_back(stepper.position()[0]);
    speed.push_back(stepper.velocity()[0]);
    lost.push_back(stepper.ledger().dissipated());
  });
  std::size_t k = 0;
  by_every_method(rising, {{0.6}}, at(0.1, u - 0.5), 1e-3, [&](auto& stepper) {
    march(stepper, until);
    EXPECT_NEAR(stepper.position()[0] - u * until, height[k], 1e-11);
    EXPECT_NEAR(stepper.velocity()[0] - u, speed[k], 1e-10);
    const Ledger& ledger = stepper.ledger();
    EXPECT_NEAR(ledger.dissipated(), lost[k], 1e-10);
    // Momentum: m (v+ - v-) + m g t is what the floor has given.
    const double given = 0.4 * (stepper.velocity()[0] - (u - 0.5)) + 0.4 * 9.81 * until;
    // Paoli-Schatzman counts an impulse in halves around t_n: one step of weight is under way.
    EXPECT_NEAR(ledger.injected(), u * given,
                k == 1 ? u * 0.4 * 9.81 * 1e-3 + 1e-3 * lost[k] : 1e-10);
    ++k;
  });
  ASSERT_EQ(k, 4U);
}

/// A table that moves as a sin(w t), gentle enough that a body stays on it.
struct ShakenTable : BouncingPoint {
  double amplitude = 0.002, frequency = 50.0;  // a w^2 = 5 m/s^2 < g
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
    g[0] = q[0] - amplitude * std::sin(frequency * t);
  }
  void gap_rates(double t, const Eigen::VectorXd& /*q*/, Eigen::VectorXd& r) const {
    r[0] = -amplitude * frequency * std::cos(frequency * t);
  }
};

TEST(NonsmoothEnergy, ABodyRidesAShakenTable) {
  const ShakenTable table;
  const double step = 1e-4, until = 0.2;
  by_every_method(table, {{0.0}}, at(0.0, table.amplitude * table.frequency), step,
                  [&](auto& stepper) {
                    double apart = 0.0;
                    Eigen::VectorXd g(1);
                    march(stepper, until, [&](const auto& s) {
                      table.gaps(s.time(), s.position(), g);
                      apart = std::max(apart, std::abs(g[0]));
                    });
                    // Of the order of the step times the change of speed in a step.
                    EXPECT_LT(apart, 10 * step * step * 5.0);
                    const Ledger& ledger = stepper.ledger();
                    const double v = table.amplitude * table.frequency;
                    const double v_end = v * std::cos(table.frequency * until);
                    const double y_end = table.amplitude * std::sin(table.frequency * until);
                    const double work = 0.5 * (v_end * v_end - v * v) + 9.81 * y_end;
                    // Paoli-Schatzman counts the weight half a step late: m g dt v = 1e-4 J.
                    EXPECT_NEAR(ledger.injected(), work, 9.81 * step * v);
                    EXPECT_LT(std::abs(ledger.residual()), 9.81 * step * v);
                  });
}

TEST(NonsmoothEnergy, MovingGapsWithoutRatesAreRefused) {
  struct Forgotten : BouncingPoint {
    void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const { g[0] = q[0] - t; }
  };
  const Forgotten forgotten;
  EXPECT_THROW(MoreauJean(forgotten, {{0.5}}, at(1.0, 0.0), {}), InvalidInput);
  EXPECT_THROW(PaoliSchatzman(forgotten, {{0.5}}, at(1.0, 0.0), {}), InvalidInput);
  EXPECT_THROW(NewmarkImpacts(forgotten, {{0.5}}, at(1.0, 0.0), {}), InvalidInput);
}

/// Every run ends at its duration, whatever the step and the impacts before; free fall, which all
/// three follow exactly, shows that the last step has the length it should.
TEST(NonsmoothEnergy, RunsEndExactlyAtTheirDuration) {
  const BouncingPoint point;
  for (const double until : {0.9, 0.30037, 4e-4, 0.01}) {
    by_every_method(point, {{0.5}}, at(0.2, 0.0), 1e-3, [&](auto& stepper) {
      march(stepper, until);
      EXPECT_EQ(stepper.time(), until);
    });
    by_every_method(point, {{0.5}}, at(99.0, 0.0), 1e-3, [&](auto& stepper) {
      march(stepper, until);
      EXPECT_EQ(stepper.time(), until);
      EXPECT_NEAR(stepper.position()[0], 99.0 - 0.5 * 9.81 * until * until, 1e-11);
      EXPECT_NEAR(stepper.velocity()[0], -9.81 * until, 1e-11);
      // A march that goes on from there is none the worse.
      march(stepper, 2 * until);
      EXPECT_EQ(stepper.time(), 2 * until);
      EXPECT_NEAR(stepper.position()[0], 99.0 - 2.0 * 9.81 * until * until, 1e-11);
    });
  }
}

}  // namespace
}  // namespace carom
