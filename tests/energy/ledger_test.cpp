#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <carom/energy/ledger.hpp>

namespace carom {
namespace {

TEST(Ledger, AMassOnADamperUnderAPushBalances) {
  // m v' = f - c v from rest: v = (f/c)(1 - exp(-c t/m)), whose work and loss are closed forms.
  const double m = 2, c = 0.5, f = 3, dt = 0.01;
  const auto at = [&](double t) {
    struct Energies {
      double kinetic, lost, work;
    };
    const double decay = std::exp(-c * t / m), v = f / c * (1 - decay);
    const double x = f / c * (t - m / c * (1 - decay));
    const double work = f * x, kinetic = 0.5 * m * v * v;
    // int c v^2 dt
    const double lost =
        f * f / c * (t - 2 * m / c * (1 - decay) + 0.5 * m / c * (1 - decay * decay));
    return Energies{kinetic, lost, work};
  };
  Ledger ledger;
  auto before = at(0);
  for (int n = 1; n <= 1000; ++n) {
    const auto now = at(n * dt);
    EXPECT_NEAR(ledger.close_step(now.kinetic, now.lost - before.lost, now.work - before.work), 0,
                1e-12);
    before = now;
  }
  EXPECT_NEAR(ledger.injected(), before.work, 1e-13 * before.work);
  EXPECT_NEAR(ledger.dissipated(), before.lost, 1e-13 * before.lost);
  EXPECT_DOUBLE_EQ(ledger.stored(), before.kinetic);
  EXPECT_NEAR(ledger.residual(), 0, 1e-12 * before.work);
}

TEST(Ledger, WhatAMethodInventsIsPositiveAndWhatItLosesNegative) {
  Ledger ledger(1.0);
  EXPECT_DOUBLE_EQ(ledger.close_step(1.25, 0.0), 0.25);
  EXPECT_DOUBLE_EQ(ledger.worst_residual(), 0.25);
  EXPECT_DOUBLE_EQ(ledger.close_step(0.75, 0.0), -0.5);
  EXPECT_DOUBLE_EQ(ledger.worst_residual(), -0.5);
  EXPECT_DOUBLE_EQ(ledger.close_step(0.5, 0.25), 0.0);
  EXPECT_DOUBLE_EQ(ledger.close_step(1.5, 0.0, 1.0), 0.0);
  EXPECT_DOUBLE_EQ(ledger.residual(), -0.25);
  EXPECT_DOUBLE_EQ(ledger.initial() + ledger.injected() + ledger.residual(),
                   ledger.stored() + ledger.dissipated());
}

/// 0.1 is no binary fraction: a plain sum of ten million of them is off by 2e-10 of itself, and
/// behind a joule that a start or a drive brought by more.
TEST(Ledger, TenMillionSmallStepsLoseNothingBesideALargeOne) {
  Ledger ledger(1e6);
  ledger.close_step(1e6, 1e6, 1e6);
  double plain = 1e6;
  const int steps = 10000000;
  for (int n = 0; n < steps; ++n) {
    ledger.close_step(1e6, 1e-7, 1e-7);
    plain += 1e-7;
  }
  const double exact = 1e6 + 1e-7 * steps;
  EXPECT_GT(std::abs(plain - exact), 1e-6);
  EXPECT_NEAR(ledger.dissipated(), exact, 4e-16 * exact);
  EXPECT_NEAR(ledger.injected(), exact, 4e-16 * exact);
  EXPECT_EQ(ledger.residual(), 0.0);
}

TEST(Ledger, AddsUpOverRandomStepsOfAnySize) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> exponent(-12, 3), sign(-1, 1);
  Ledger ledger(1.0);
  double largest = 0;
  for (int n = 0; n < 100000; ++n) {
    const double stored = std::pow(10, exponent(random));
    ledger.close_step(stored, std::pow(10, exponent(random)), sign(random));
    largest = std::max(largest, ledger.dissipated());
    EXPECT_NEAR(ledger.initial() + ledger.injected() + ledger.residual(),
                ledger.stored() + ledger.dissipated(), 4e-16 * (largest + 1000));
  }
  EXPECT_GE(std::abs(ledger.worst_residual()), 900);
}

}  // namespace
}  // namespace carom
