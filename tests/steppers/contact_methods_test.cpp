#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <carom/steppers/discrete_gradient.hpp>
#include <carom/steppers/event_driven.hpp>
#include <carom/steppers/heun.hpp>
#include <carom/steppers/invariant.hpp>
#include <carom/steppers/one_step.hpp>
#include <carom/steppers/passive.hpp>
#include <carom/steppers/rk4.hpp>
#include <carom/steppers/symplectic.hpp>
#include <carom/steppers/trapezoid.hpp>
#include <carom/steppers/verlet.hpp>

namespace carom {
namespace {

/// The state after `duration` from first touch at speed 1, in `steps` calls of the method.
template <class Method, ContactLaw Law>
ContactPoint after(const ContactProblem<Law>& problem, double duration, int steps) {
  Method method;
  ContactPoint point{0.0, 1.0, 0.0};
  method.begin(problem, point);
  for (int i = 0; i < steps; ++i) (void)method.advance(problem, point, duration / steps);
  return point;
}

/// log2 of the error ratio at n and 2n steps, 2.4 time units into a contact that lasts about 3.3:
/// both compression and restitution are in it, the release is not.
template <class Core, ContactLaw Law>
double order(const ContactProblem<Law>& problem, int steps) {
  const ContactPoint truth = after<EventDriven<Law>>(problem, 2.4, 1);
  const auto error = [&](int n) {
    const ContactPoint s = after<OneStep<Core, Law>>(problem, 2.4, n);
    return std::hypot(s.x - truth.x, s.v - truth.v);
  };
  return std::log2(error(steps) / error(2 * steps));
}

// Exponent 3: the force is smooth from first touch on, so that nothing but the method limits the
// order. The observed order differs from the declared one by O(h); 0.1 is twice that at 400 steps.
constexpr ContactProblem<HuntCrossley> damped{{1.0, 3.0, 0.4}, 1.0, 0.1};
constexpr ContactProblem<HertzDamper> linear_damper{{1.0, 3.0, 0.3}, 1.0, 0.1};
constexpr ContactProblem<PowerLaw> lossless{{1.0, 3.0}, 1.0, 0.1};

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

/// Methods with steps of their own: an unbounded tolerance leaves them the steps they are called
/// with. log of the error ratio at n and 2n steps over the log of the ratio of steps, from the
/// middle of a contact on, where the motion is smooth at every exponent.
template <class Method, ContactLaw Law>
double order_of_own_steps(const ContactProblem<Law>& problem, ContactPoint from, double duration,
                          int steps) {
  const auto end = [&](Method method, int n) {
    ContactPoint point = from;
    method.begin(problem, point);
    for (int i = 0; i < n; ++i) (void)method.advance(problem, point, duration / n);
    return point;
  };
  ContactPoint truth = from;
  EventDriven<Law> tight;
  tight.begin(problem, truth);
  (void)tight.advance(problem, truth, duration);
  const auto error = [&](int n) {
    const ContactPoint s = end(Method(std::numeric_limits<double>::infinity()), n);
    return std::hypot(s.x - truth.x, s.v - truth.v);
  };
  return std::log2(error(steps) / error(2 * steps));
}

template <int terms>
void expect_order_of_terms(int steps) {
  const auto expect = [&](const auto& problem) {
    using Law = decltype(problem.law);
    const ContactPoint middle{1.0, 0.3, 0.0};
    // Errors from 1e-7 down to 1e-14: 0.25 covers the next term of the expansion.
    const double event_driven =
        order_of_own_steps<EventDriven<Law, terms>>(problem, middle, 0.8, steps);
    const double passive = order_of_own_steps<Passive<Law, terms>>(problem, middle, 0.8, steps);
    EXPECT_NEAR(event_driven, terms, 0.25);
    EXPECT_NEAR(passive, terms, 0.25);
  };
  expect(damped);
  expect(linear_damper);
  expect(lossless);
}

TEST(ContactMethods, EventDrivenAndPassiveHaveTheOrderOfTheirTerms) {
  expect_order_of_terms<3>(64);
  expect_order_of_terms<4>(32);
  expect_order_of_terms<6>(16);
  expect_order_of_terms<8>(8);
  expect_order_of_terms<10>(4);
}

TEST(ContactMethods, EventDrivenHasItsDeclaredOrderOnALinearContact) {
  // Sixteen terms reach rounding long before their order shows, except where the motion is an
  // entire function: a linear contact, pressed down and swinging about its equilibrium.
  const ContactPoint rest{1.0, 0.05, 0.0};
  const ContactProblem<PowerLaw> spring{{1.0, 1.0}, 1.0, 1.0};
  const ContactProblem<HertzDamper> damper{{1.0, 1.0, 0.01}, 1.0, 1.0};
  EXPECT_EQ(EventDriven<PowerLaw>::traits.order, 16);
  // Steps of 3 and of 1.5 over 480 units of time: errors 3e-6 and 4e-11.
  EXPECT_NEAR(order_of_own_steps<EventDriven<PowerLaw>>(spring, rest, 480.0, 160), 16.0, 0.1);
  EXPECT_NEAR(order_of_own_steps<EventDriven<HertzDamper>>(damper, rest, 480.0, 160), 16.0, 0.1);
}

TEST(ContactMethods, EventDrivenAndPassiveDoNotDependOnTheStep) {
  // Their own steps follow the contact: what is left is rounding, about 1e-15 a step.
  for (const int steps : {1, 7, 64, 1000}) {
    const ContactPoint one = after<EventDriven<HuntCrossley>>(damped, 2.4, 1);
    const ContactPoint other = after<EventDriven<HuntCrossley>>(damped, 2.4, steps);
    const ContactPoint closed = after<Passive<HuntCrossley>>(damped, 2.4, steps);
    EXPECT_NEAR(other.x, one.x, 1e-13) << steps;
    EXPECT_NEAR(other.v, one.v, 1e-13) << steps;
    EXPECT_NEAR(closed.x, one.x, 1e-12) << steps;
    EXPECT_NEAR(closed.v, one.v, 1e-12) << steps;
  }
}

TEST(ContactMethods, DiscreteGradientConservesTheInvariantAtAnyStep) {
  for (const double mu : {0.0, 1e-9, 0.3, 30.0}) {
    for (const double h : {1e-3, 0.1, 1.0, 10.0}) {
      const ContactProblem<HuntCrossley> problem{{2.0, 1.5, mu}, 0.7};
      ContactPoint s{0.1, 0.8, 0.0};
      for (int i = 0; i < 20 && s.x > 0 && 1 + mu * s.v > 0.01; ++i) {
        const ContactPoint to = DiscreteGradient{}.step(problem, s, h);
        const double change = 0.7 * level_change(mu, s.v, to.v) + problem.law.potential(to.x) -
                              problem.law.potential(s.x);
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
  const ContactProblem<HuntCrossley> problem{{1e9, 1.5, 2.0}, 0.01};
  ContactPoint s{1e-4, 0.0, 0.0};
  for (int i = 0; i < 50; ++i) {
    s = Symplectic{}.step(problem, s, 1e-4);
    EXPECT_GE(1 + 2.0 * s.v, 0.0);
  }
}

TEST(ContactMethods, TrapezoidSolvesItsEquation) {
  const ContactProblem<HuntCrossley> problem{{1e9, 1.5, 0.5}, 0.01};
  for (const double h : {1e-7, 1e-5, 1e-3}) {
    const ContactPoint from{2e-5, 0.6, problem.contact_force(2e-5, 0.6)};
    const ContactPoint to = Trapezoid{}.step(problem, from, h);
    // The force is a sum of steps of one unit in the last place of x: k n x^(n-1) dx ~ 1e-13 f.
    EXPECT_NEAR(to.f, problem.contact_force(to.x, to.v), 1e-11 * (1 + to.f)) << h;
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
