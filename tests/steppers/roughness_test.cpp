#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/roughness.hpp>
#include <carom/steppers/strike.hpp>

namespace carom {
namespace {

constexpr double rate = 44100;

TEST(Roughness, HasTheHeightItIsGiven) {
  const Roughness rough{.speed = 0.5, .height = 2e-6, .longest = 0.02, .shortest = 1e-3};
  RoughSurface surface(rough, rate);
  double sum = 0, square = 0;
  const int count = 2000000;  // 45 s at 25 waves a second: about 7000 independent values
  for (int n = 0; n < count; ++n) {
    surface.step();
    sum += surface.height();
    square += surface.height() * surface.height();
  }
  EXPECT_NEAR(sum / count, 0, 4 * 2e-6 / std::sqrt(3500.0));
  // Three standard errors of a variance, 3 sqrt(2/3500), and the poles' discretisation.
  EXPECT_NEAR(square / count / 4e-12, 1, 0.09);
}

TEST(Roughness, AccelerationIsThatOfTheProfile) {
  RoughSurface surface({}, rate);
  double before = 0, last = 0;
  for (int n = 0; n < 1000; ++n) {
    surface.step();
    const double second = (surface.height() - 2 * last + before) * rate * rate;
    if (n > 1) {
      EXPECT_NEAR(surface.acceleration(), second, 1e-9 * std::abs(second) + 1e-7);
    }
    before = last;
    last = surface.height();
  }
}

TEST(Roughness, FollowsItsSeedAlone) {
  RoughSurface a({.seed = 7}, rate), b({.seed = 7}, rate), c({.seed = 8}, rate);
  double apart = 0;
  for (int n = 0; n < 500; ++n) {
    for (RoughSurface* one : {&a, &b, &c}) one->step();
    ASSERT_EQ(a.acceleration(), b.acceleration());
    apart = std::max(apart, std::abs(a.height() - c.height()));
  }
  EXPECT_GT(apart, 1e-7);
}

TEST(Roughness, ABallBridgesWhatIsNarrowerThanItself) {
  const Roughness ball{
      .motion = RoughMotion::roll, .height = 1e-6, .shortest = 1e-4, .radius = 0.01};
  EXPECT_NEAR(shortest_felt(ball), 2 * M_PI * 1e-4, 1e-12);
}

TEST(Roughness, RefusesWhatTheRateCannotFollow) {
  EXPECT_THROW(RoughSurface({.speed = 10}, rate), InvalidInput);
  EXPECT_THROW(RoughSurface({.longest = 1e-3}, rate), InvalidInput);
  EXPECT_THROW(RoughSurface({.wobble = 2}, rate), InvalidInput);
}

Strike pressed(double force) {
  ModalBody body;
  body.modes = {{.frequency = 300, .damping = 5, .mass = 0.2},
                {.frequency = 1730, .damping = 9, .mass = 0.2},
                {.frequency = 0, .damping = 0, .mass = 3}};
  body.shapes.resize(2, 3);
  body.shapes << 1, 0.7, 0.1, 0.6, -0.8, 0;
  return Strike(HuntCrossley{.stiffness = 1e8, .exponent = 1.5, .mu = 0.5},
                {.mass = 0.01, .speed = 0.02, .force = force}, body, {.rate = rate});
}

// A varying force that happens not to vary gives the motion of the constant one.
TEST(Roughness, PushingWithTheConstantForceChangesNothing) {
  Strike constant = pressed(0.3), pushed = pressed(0.0);
  for (int n = 0; n < 4000; ++n) {
    pushed.push(0.3);
    constant.step();
    pushed.step();
    ASSERT_TRUE(pushed.converged());
    // Other steps, each to 1e-10 of the contact's speed.
    ASSERT_NEAR(pushed.heard_velocity(), constant.heard_velocity(), 3e-8) << n;
  }
  EXPECT_NEAR(pushed.injected(), constant.injected(), 1e-9);
}

// What the drive puts in is booked; the contact itself gains nothing.
TEST(Roughness, EnergyIsAccountedForWhileItRolls) {
  Strike stepper = pressed(0.1);
  RoughSurface surface({.speed = 0.4, .height = 3e-6}, rate);
  for (int n = 0; n < 20000; ++n) {
    surface.step();
    stepper.push(0.1 + 0.01 * surface.acceleration());
    stepper.step();
    ASSERT_TRUE(stepper.converged());
  }
  stepper.finish();
  const Ledger& ledger = stepper.ledger();
  EXPECT_GT(ledger.injected(), 1e-7);
  EXPECT_LT(std::abs(ledger.residual()), 1e-12 * (ledger.initial() + ledger.dissipated()));
}

}  // namespace
}  // namespace carom
