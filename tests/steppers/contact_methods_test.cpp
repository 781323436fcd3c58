#include <cmath>

#include <gtest/gtest.h>

#include <carom/steppers/discrete_gradient.hpp>
#include <carom/steppers/heun.hpp>
#include <carom/steppers/invariant.hpp>
#include <carom/steppers/reference_impact.hpp>
#include <carom/steppers/rk4.hpp>
#include <carom/steppers/symplectic.hpp>
#include <carom/steppers/trapezoid.hpp>
#include <carom/steppers/verlet.hpp>

namespace carom {
namespace {

WallProblem touching(const AnyLaw& law, double mass = 1.0, double force = 0.0) {
  WallProblem problem{.contact = {law}, .mass = mass, .force = force};
  problem.state.touch();
  return problem;
}

/// The state 2.4 time units after first touch at speed 1, in `steps` steps of the method.
template <class Core>
ContactPoint after(const WallProblem& problem, int steps) {
  ContactPoint point{0.0, 1.0, problem.contact_force(0.0, 1.0).total()};
  for (int i = 0; i < steps; ++i) point = Core{}.step(problem, point, 2.4 / steps);
  return point;
}

/// log2 of the error ratio at n and 2n steps, 2.4 time units into a contact that lasts about 3.3:
/// both compression and restitution are in it, the release is not.
template <class Core>
double order(const WallProblem& problem, int steps) {
  const ContactPoint truth =
      ReferenceImpact(problem.contact.law, {problem.mass, 1.0, problem.force}).at(2.4);
  const auto error = [&](int n) {
    const ContactPoint s = after<Core>(problem, n);
    return std::hypot(s.x - truth.x, s.v - truth.v);
  };
  return std::log2(error(steps) / error(2 * steps));
}

// Exponent 3: the force is smooth from first touch on, so that nothing but the method limits the
// order. The observed order differs from the declared one by O(h); 0.1 is twice that at 400 steps.
const WallProblem damped = touching(HuntCrossley{1.0, 3.0, 0.4}, 1.0, 0.1);
const WallProblem linear_damper = touching(HertzDamper{1.0, 3.0, 0.3}, 1.0, 0.1);
const WallProblem lossless = touching(PowerLaw{1.0, 3.0}, 1.0, 0.1);

template <class Core>
void expect_order(double declared, int steps = 400) {
  EXPECT_NEAR(order<Core>(damped, steps), declared, 0.1) << Core::traits.name;
  EXPECT_NEAR(order<Core>(linear_damper, steps), declared, 0.1) << Core::traits.name;
}

TEST(ContactMethods, HaveTheOrderTheyDeclare) {
  expect_order<Rk4>(Rk4::traits.order, 100);
  expect_order<Heun>(Heun::traits.order);
  expect_order<HeunTextbook>(HeunTextbook::traits.order);
  expect_order<Verlet>(Verlet::traits.order);
  expect_order<VerletTextbook>(VerletTextbook::traits.order);
  expect_order<Trapezoid>(Trapezoid::traits.order);
  expect_order<DiscreteGradient>(DiscreteGradient::traits.order);
  EXPECT_NEAR(order<Symplectic>(damped, 400), Symplectic::traits.order, 0.1);
}

TEST(ContactMethods, CarriedForceVerletIsSecondOrderWithoutDamping) {
  EXPECT_NEAR(order<Verlet>(lossless, 400), 2.0, 0.05);
}

TEST(ContactMethods, DiscreteGradientConservesTheInvariantAtAnyStep) {
  for (const double mu : {0.0, 1e-9, 0.3, 30.0}) {
    for (const double h : {1e-3, 0.1, 1.0, 10.0}) {
      const WallProblem problem = touching(HuntCrossley{2.0, 1.5, mu}, 0.7);
      ContactPoint s{0.1, 0.8, 0.0};
      for (int i = 0; i < 20 && s.x > 0 && 1 + mu * s.v > 0.01; ++i) {
        const ContactPoint to = DiscreteGradient{}.step(problem, s, h);
        const double change =
            0.7 * level_change(mu, s.v, to.v) + problem.potential(to.x) - problem.potential(s.x);
        // Rounding of energies of about 0.3, and of 1 + mu v where it is small.
        EXPECT_NEAR(change, 0.0, 2e-15 + 1e-16 / (1 + mu * to.v))
            << "mu " << mu << " h " << h << " step " << i;
        EXPECT_LE(to.v, s.v);
        EXPECT_GT(1 + mu * to.v, 0.0);
        s = to;
      }
    }
  }
}

TEST(ContactMethods, SymplecticNeverCrossesTheLimitSpeed) {
  const WallProblem problem = touching(HuntCrossley{1e9, 1.5, 2.0}, 0.01);
  ContactPoint s{1e-4, 0.0, 0.0};
  for (int i = 0; i < 50; ++i) {
    s = Symplectic{}.step(problem, s, 1e-4);
    EXPECT_GE(1 + 2.0 * s.v, 0.0);
  }
}

TEST(ContactMethods, TrapezoidSolvesItsEquation) {
  const WallProblem problem = touching(HuntCrossley{1e9, 1.5, 0.5}, 0.01);
  for (const double h : {1e-7, 1e-5, 1e-3}) {
    const ContactPoint from{2e-5, 0.6, problem.contact_force(2e-5, 0.6).total()};
    const ContactPoint to = Trapezoid{}.step(problem, from, h);
    // The force is a sum of steps of one unit in the last place of x: k n x^(n-1) dx ~ 1e-13 f.
    EXPECT_NEAR(to.f, problem.contact_force(to.x, to.v).total(), 1e-11 * (1 + to.f)) << h;
    EXPECT_NEAR(to.x, from.x + h / 2 * (from.v + to.v), 1e-14 * (from.x + h)) << h;
  }
}

TEST(Invariant, LevelChangeMatchesItsDefinition) {
  for (const double mu : {1e-3, 0.5, 20.0})
    for (const double v1 : {-0.02, 0.3, 0.999, 1.0}) {
      const auto level = [&](long double v) { return (v - std::log1p(mu * v) / mu) / mu; };
      const double expected = static_cast<double>(level(v1) - level(1.0L));
      // The definition in long double cancels: eps_L/(mu v)^2 relative.
      EXPECT_NEAR(level_change(mu, 1.0, v1), expected, 1e-15 + 2e-19 / (mu * mu))
          << mu << " " << v1;
    }
}

}  // namespace
}  // namespace carom
