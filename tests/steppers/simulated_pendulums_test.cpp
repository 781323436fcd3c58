#include <cmath>
#include <numbers>
#include <string>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/steppers/simulated_pendulums.hpp>

#include "data.hpp"

namespace carom {
namespace {

constexpr double pi = std::numbers::pi;
constexpr PendulumRods rods{{1.0, 0.2}, {6.0, 4.0}, -2.0};
constexpr double wanted = 0.3, stiffness = 1e8, exponent = 1.5;

PendulumState start(const std::string& reading) {
  return reading == "A" ? PendulumState{{pi / 12, -pi / 2}}
                        : PendulumState{{pi / 12 + pi / 2, 0.0}};
}

/// The argument between low and high where a falling function is `value`.
template <class F>
double where_falling(double value, double low, double high, F f) {
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (f(middle) > value ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

/// The contact models of the reference, by its names.
PendulumContact model(const std::string& name, double alpha, double beta) {
  const double n = exponent;
  const auto damper = [n](double c_bar) {
    return LawOfImpact([=](const Collision& hit) -> AnyLaw {
      const double unit =
          std::pow(stiffness * std::pow(hit.speed, n - 1) * std::pow(hit.mass, n), 1 / (n + 1));
      return HertzDamper{stiffness, n, c_bar * unit};
    });
  };
  const auto hunt_crossley = [n](double u) {
    return LawOfImpact([=](const Collision& hit) -> AnyLaw {
      return HuntCrossley{stiffness, n, u / hit.speed};
    });
  };
  if (name == "piecewise") return NewtonRestitution{wanted};
  if (name == "eq50") return damper(alpha * (std::pow(wanted, beta) - 1));
  if (name == "hc_flores") return hunt_crossley(1.6 * (1 - wanted) / wanted);
  if (name == "copt")
    return damper(where_falling(wanted, 0, 10,
                                [n](double c) { return hertz_damper_rebound(c, n).restitution; }));
  return hunt_crossley(where_falling(wanted, 0, 100, [n](double u) {
    return impact(HuntCrossley{1.0, n, u}, {1.0, 1.0}).restitution;
  }));
}

TEST(Pendulums, MeetTheReferenceInBothReadings) {
  const auto reference = support::reference("pendulums.json");
  const double alpha = reference["eq46_47"][0]["alpha"], beta = reference["eq46_47"][0]["beta"];
  for (const std::string reading : {"A", "B"})
    for (const auto& [name, expected] : reference["runs"][reading].items()) {
      const PendulumRun run =
          simulate_pendulums(rods, start(reading), model(name, alpha, beta), {.duration = 8.0});
      EXPECT_EQ(run.status, MarchStatus::going);
      ASSERT_EQ(run.impacts.size(), expected.size()) << reading << " " << name;
      // The issue asks for 1e-8 (piecewise) and 1e-6; what is measured is 1e-11 and 3e-9.
      const double tolerance = name == "piecewise" ? 1e-10 : 1e-7;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto& want = expected[i];
        const PendulumImpact& got = run.impacts[i];
        const std::string where = reading + " " + name + " " + std::to_string(i);
        EXPECT_NEAR(got.record.time, want["t"], tolerance) << where;
        EXPECT_NEAR(got.after.rates[0], want["w1_plus"], tolerance) << where;
        EXPECT_NEAR(got.after.rates[1], want["w2_plus"], tolerance) << where;
        EXPECT_NEAR(got.record.speed_in, want["closing_speed"], 10 * tolerance) << where;
        EXPECT_NEAR(got.effective_mass, want["m_eff"], tolerance) << where;
        if (name == "piecewise") {
          EXPECT_NEAR(got.along, want["s_on_rod1"], tolerance) << where;
          EXPECT_NEAR(got.impulse, want["impulse"], tolerance) << where;
        } else {
          EXPECT_NEAR(got.record.restitution(), want["e_out"], tolerance) << where;
          EXPECT_NEAR(got.record.contact_time, want["duration"], tolerance) << where;
          // The reference took its extremes from the steps it made: ours, located between steps,
          // are a little larger.
          const double peak = got.record.max_compression / want["delta_max"].get<double>();
          const double force = got.record.max_force / want["F_max"].get<double>();
          EXPECT_TRUE(peak > 1 - 1e-9 && peak < 1 + 1e-3) << where << " " << peak;
          EXPECT_TRUE(force > 1 - 1e-6 && force < 1 + 1e-3) << where << " " << force;
          EXPECT_NEAR(got.record.separation_compression, want["delta_sep"], 1e-9) << where;
        }
      }
    }
}

TEST(Pendulums, EnergyClosesWithinTheTolerance) {
  for (const double tolerance : {1e-8, 1e-12}) {
    const PendulumRun run =
        simulate_pendulums(rods, start("B"), model("copt", 0, 0), {.tolerance = tolerance});
    // A few hundred steps of an error of the tolerance each.
    EXPECT_LT(std::abs(run.ledger.residual()), 1e3 * tolerance * run.ledger.initial());
    EXPECT_GT(run.ledger.dissipated(), 0.1);
  }
}

TEST(Pendulums, GradientIsTheSlopeOfTheDistance) {
  for (const int tip : {0, 1})
    for (const double a : {-0.7, 0.2, 1.3})
      for (const double b : {-1.0, 0.1}) {
        const double h = 1e-6;
        const TipContact c = tip_contact(rods, {a, b}, tip);
        const auto distance = [&](double da, double db) {
          return tip_contact(rods, {a + da, b + db}, tip).distance;
        };
        EXPECT_NEAR(c.gradient[0], (distance(h, 0) - distance(-h, 0)) / (2 * h), 1e-8);
        EXPECT_NEAR(c.gradient[1], (distance(0, h) - distance(0, -h)) / (2 * h), 1e-8);
      }
}

TEST(Pendulums, EitherTipTouchesAndTheMirrorImageIsTheSameMotion) {
  // The rods exchanged and mirrored: the same impacts with the other tip.
  const PendulumRods other{{0.2, 1.0}, {4.0, 6.0}, -2.0};
  const PendulumState mirrored{{pi / 2, -pi / 12}};
  const PendulumRun a = simulate_pendulums(rods, start("A"), NewtonRestitution{wanted}, {});
  const PendulumRun b = simulate_pendulums(other, mirrored, NewtonRestitution{wanted}, {});
  ASSERT_EQ(a.impacts.size(), b.impacts.size());
  for (std::size_t i = 0; i < a.impacts.size(); ++i) {
    EXPECT_EQ(a.impacts[i].tip, 1);
    EXPECT_EQ(b.impacts[i].tip, 0);
    EXPECT_NEAR(a.impacts[i].record.time, b.impacts[i].record.time, 1e-11);
    EXPECT_NEAR(a.impacts[i].after.rates[0], -b.impacts[i].after.rates[1], 1e-11);
  }
}

TEST(Pendulums, APermanentDentShiftsTheNextImpact) {
  const auto run = [](Surface surface) {
    return simulate_pendulums(rods, start("A"), HertzDamper{1e6, 1.5, 100.0}, {.surface = surface});
  };
  const PendulumRun back = run(Surface::recovers), kept = run(Surface::keeps_indentation);
  ASSERT_GE(back.impacts.size(), 2u);
  ASSERT_GE(kept.impacts.size(), 2u);
  EXPECT_GT(back.impacts[0].record.separation_compression, 1e-3);
  EXPECT_EQ(back.impacts[0].record.time, kept.impacts[0].record.time);
  // With a dent the rods swing closer before they meet again.
  EXPECT_GT(kept.impacts[1].record.time, back.impacts[1].record.time);
  EXPECT_LT(std::abs(back.ledger.worst_residual()), 1e-9);
  EXPECT_LT(std::abs(kept.ledger.worst_residual()), 1e-9);
}

TEST(Pendulums, SamplesAreKeptAtTheAskedInterval) {
  const PendulumRun run = simulate_pendulums(rods, start("A"), NewtonRestitution{wanted},
                                             {.duration = 1.0, .interval = 1e-3});
  ASSERT_EQ(run.samples.size(), 1001u);
  for (std::size_t i = 0; i < run.samples.size(); ++i)
    EXPECT_NEAR(run.samples[i].time, 1e-3 * static_cast<double>(i), 1e-12);
}

TEST(Pendulums, RefuseWhatCannotBe) {
  PendulumRods bad = rods;
  bad.offset = 0;
  EXPECT_THROW(simulate_pendulums(bad, start("A"), NewtonRestitution{}, {}), InvalidInput);
  bad = rods;
  bad.masses[1] = -1;
  EXPECT_THROW(simulate_pendulums(bad, start("A"), NewtonRestitution{}, {}), InvalidInput);
  EXPECT_THROW(simulate_pendulums(rods, start("A"), NewtonRestitution{2.0}, {}), InvalidInput);
}

}  // namespace
}  // namespace carom
