#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/bar_drop.hpp>
#include <carom/systems/bar_pairs.hpp>
#include <carom/systems/bar_spiral.hpp>

#include "data.hpp"

namespace carom {
namespace {

constexpr double degree = std::numbers::pi / 180;

/// The bar of the paper, except that it starts 0.1 ms before it lands: in undisturbed fall nothing
/// happens before, and the time is better spent on impacts. Times count from the paper's start.
struct Late {
  double offset;  ///< [s]
  BarStart start;
};
Late late_start(double angle_degrees, double before = 1e-4) {
  const double speed = 1.0351874226438418, first = 0.0035868932358656246;
  const double v = speed - 9.81 * before;
  return {first - before,
          {.angle = angle_degrees * degree,
           .height = 0.00635 + v * before + 0.5 * 9.81 * before * before,
           .speed = v}};
}

BarDrop paper_drop(int model, BarMethod method, double e, double angle) {
  BarDrop drop;
  drop.model = model == 1 ? BarModel::spiral : BarModel::pairs;
  drop.method = method;
  drop.law.restitution = e;
  drop.start = late_start(angle).start;
  return drop;
}

TEST(BarDrop, FirstImpactIsWhereFreeFallEnds) {
  BarDrop drop;
  drop.duration = 3.6e-3;
  drop.start.angle = 80 * degree;
  const BarDropResult ps = drop_bar(drop);
  // A grid of 1e-7 s; the push comes in the step in which the mean of two positions is below.
  EXPECT_NEAR(ps.first_impact_time.value(), 0.0035868932358656246, 2e-7);
  drop.method = BarMethod::event_driven;
  const BarDropResult ed = drop_bar(drop);
  EXPECT_NEAR(ed.first_impact_time.value(), 0.0035868932358656246, 1e-13);
  EXPECT_NEAR(ed.impact_speed, 1.0351874226438418, 1e-15);
}

/// Times of the first impacts, from runs with the impact re-solved; tolerances as in the reference.
TEST(BarDrop, ImpactTimesEqualTheReference) {
  int compared = 0;
  const nlohmann::json reference = support::reference("impacting_bar.json");
  for (const auto& entry : reference["impact_times"]) {
    const double angle = entry["theta_deg"];
    const Late late = late_start(angle, 1e-6);
    BarDrop drop = paper_drop(entry["model"], BarMethod::event_driven, entry["e"], angle);
    drop.start = late.start;
    drop.step = 1e-8;
    drop.duration = 8e-5;
    const BarDropResult result = drop_bar(drop);
    const auto& times = entry["t_impacts"];
    ASSERT_GE(result.impact_times.size(), times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double tolerance = entry["tol"][i];
      if (tolerance > 1e-7) continue;
      EXPECT_NEAR(result.impact_times[i] + late.offset, times[i].get<double>(), tolerance)
          << entry["model"] << " e=" << entry["e"] << " " << angle << " impact " << i;
      ++compared;
    }
  }
  EXPECT_GT(compared, 60);
}

/// Largest |W - W_exp| / W_exp in all steps after the first impact.
double energy_off(const BarDrop& drop) {
  const BarDropResult result = drop_bar(drop);
  EXPECT_EQ(result.report.status, StepStatus::ok);
  EXPECT_GE(result.impacts, 10);
  const BarEnergy& energy = result.energy;
  return std::max(energy.highest - energy.expected, energy.expected - energy.lowest) /
         energy.expected;
}

BarDrop elastic_drop(int model, double angle) {
  BarDrop drop = paper_drop(model, BarMethod::event_driven, 1.0, angle);
  drop.duration = 1.5e-3;  // 5 ms from the start of the paper, as in its tables
  return drop;
}

/// With e = 1 nothing but the numerical method can change the energy. Measured: 6e-9 at most.
TEST(BarDrop, EnergyIsKeptAcrossImpactsWhenTheInstantIsResolved) {
  for (const int model : {1, 2}) {
    for (const double angle : {30.0, 45.0, 60.0, 69.0, 90.0}) {
      EXPECT_LT(energy_off(elastic_drop(model, angle)), 2e-8) << model << " " << angle;
    }
  }
}

/// What Newmark's rule adds to that, in flight: nothing where the mass matrix is constant (90
/// degrees), an error of second order elsewhere. Model 1 vibrates at 5e6 rad/s, where a step of
/// 1e-7 s is half a radian, and its impacts are too sensitive for an order to be measured.
TEST(BarDrop, NewmarksRuleKeepsEnergyAtSecondOrder) {
  for (const int model : {1, 2}) {
    for (const double angle : {30.0, 60.0, 90.0}) {
      BarDrop drop = elastic_drop(model, angle);
      drop.flight = FlightRule::newmark;
      const double off = energy_off(drop);
      EXPECT_LT(off, angle == 90 ? 1e-11 : model == 2 ? 1e-7 : 2e-6) << model << " " << angle;
      if (model == 1 || angle == 90) continue;
      drop.step /= 2;
      EXPECT_NEAR(std::log2(off / energy_off(drop)), 2.0, 0.05) << angle;
    }
  }
}

/// The impact itself: kinetic energy before, from p and (M^-1)_22, equals the one after.
template <class Bar>
void expect_impacts_keep_energy(int model) {
  const Bar bar{BarSettings{}};
  typename Bar::Dynamics dynamics(bar);
  const Eigen::VectorXd push = Eigen::VectorXd::Unit(bar.coordinates(), 1);
  Eigen::VectorXd image(bar.coordinates());
  for (const double angle : {30.0, 60.0, 90.0}) {
    double worst = 0.0;
    int impacts = 0;
    const auto look = [&](const BarSample& s) {
      if (s.impulse > 0.0) {
        dynamics.set_position(s.q);
        EXPECT_TRUE(dynamics.factor());
        dynamics.solve(push, image);
        worst = std::max(worst, std::abs(s.impulse * (s.v[1] - 0.5 * s.impulse * image[1])));
        ++impacts;
      }
      return true;
    };
    const BarDropResult result = drop_bar(elastic_drop(model, angle), {.every = 1, .sample = look});
    EXPECT_EQ(impacts, result.impacts);
    EXPECT_LT(worst, 1e-15 * result.energy.expected) << model << " " << angle;
  }
}
TEST(BarDrop, SingleImpactsKeepEnergyToRounding) {
  expect_impacts_keep_energy<BarSpiral>(1);
  expect_impacts_keep_energy<BarPairs>(2);
}

BarMethod method_of(const std::string& name) {
  return name == "ts" ? BarMethod::paoli_schatzman : BarMethod::event_driven;
}

/// Apparent restitution of the reference runs, both methods: pointwise where the motion is
/// reproducible, within the band of perturbed runs where it is not.
TEST(BarDrop, ApparentRestitutionEqualsTheReference) {
  const nlohmann::json reference = support::reference("impacting_bar.json");
  int compared = 0;
  for (const int model : {2, 1}) {
    for (const auto& entry : reference["restitution_model" + std::to_string(model)]) {
      const double angle = entry["theta_deg"], e = entry["e"];
      const double tolerance = entry["tolerance_abs"];
      for (const char* key : {"ts", "event_driven"}) {
        if (!entry.contains(key)) continue;
        const BarDropResult result = drop_bar(paper_drop(model, method_of(key), e, angle));
        ASSERT_EQ(result.report.status, StepStatus::ok);
        ASSERT_TRUE(result.apparent_restitution);
        const double ours = *result.apparent_restitution;
        const bool range = entry["use"].get<std::string>().starts_with("range");
        if (range) {
          // The reference asks for its perturbed range widened by 0.1; its event-driven runs of
          // model 1 with e = 1 lose up to 1 % of energy by eq. (17), ours none.
          double low = 1, high = 0;
          for (const char* run : {"ts", "event_driven"}) {
            if (!entry.contains(run)) continue;
            low = std::min({low, entry[run]["perturbed_range_2p5ms"][0].get<double>()});
            high = std::max({high, entry[run]["perturbed_range_2p5ms"][1].get<double>()});
          }
          EXPECT_GT(ours, low - 0.1) << model << " " << key << " e=" << e << " " << angle;
          EXPECT_LT(ours, high + 0.1) << model << " " << key << " e=" << e << " " << angle;
        } else {
          EXPECT_NEAR(ours, entry[key]["e_app_2p5ms"].get<double>(), tolerance)
              << model << " " << key << " e=" << e << " " << angle;
        }
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 100);
}

std::size_t contact_intervals(BarDrop drop) {
  drop.averaging = 8e-4;  // the second interval follows within 0.5 ms
  return drop_bar(drop).intervals.size();
}

/// One contact interval at 70 degrees and above, at least two from 50 to 68, for all five
/// restitutions, both models and both methods.
TEST(BarDrop, SecondContactIntervalAppearsBelowTheDip) {
  for (const int model : {1, 2}) {
    for (const BarMethod method : {BarMethod::paoli_schatzman, BarMethod::event_driven}) {
      for (const double e : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        for (const double angle : {50.0, 61.0, 67.0, 68.0, 70.0, 79.0, 90.0}) {
          const BarDrop drop = paper_drop(model, method, e, angle);
          if (angle >= 70) {
            EXPECT_EQ(contact_intervals(drop), 1U) << model << " e=" << e << " " << angle;
          } else if (model == 1 && e == 1.0 && angle == 68) {
            // Next to the dip, and chaotic (the reference says so): where in a step the bar lands
            // decides for time-stepping, the step for the event-driven method. Most come back.
            int back = 0;
            for (const double part : {1.0, 0.9, 0.7, 0.5, 0.3}) {
              BarDrop other = drop;
              if (method == BarMethod::event_driven) other.step *= part;
              other.start.height += (1.0 - part) * 1e-7;
              back += contact_intervals(other) >= 2 ? 1 : 0;
            }
            EXPECT_GE(back, 3) << static_cast<int>(method);
          } else {
            EXPECT_GE(contact_intervals(drop), 2U) << model << " e=" << e << " " << angle;
          }
        }
      }
    }
  }
}

/// The lowest apparent restitution lies within half a degree of 69.0.
void expect_dip_at_69(int model, BarMethod method, double e) {
  double dip = 1.0, beside = 1.0;
  for (const double angle : {68.0, 68.4, 68.9, 69.0, 69.1, 69.6}) {
    const double value = drop_bar(paper_drop(model, method, e, angle)).apparent_restitution.value();
    double& lowest = std::abs(angle - 69.0) < 0.5 ? dip : beside;
    lowest = std::min(lowest, value);
  }
  EXPECT_LT(dip, beside) << model << " e=" << e;
  EXPECT_NEAR(dip, model == 2 ? 0.1653 : 0.16, 0.03) << model << " e=" << e;  // the reference
}

TEST(BarDrop, DipIsAt69Degrees) {
  for (const int model : {1, 2}) {
    for (const double e : {0.0, 0.25, 0.5, 0.75, 1.0}) {
      expect_dip_at_69(model, BarMethod::event_driven, e);
    }
  }
}

/// Time-stepping has the same dip. With e = 1 it changes the energy by up to 2 %, and in model 2
/// its dip at dt = 1e-7 s is at 68.45 degrees; it comes in as the step goes to zero (68.8
/// at 1.25e-8 s).
TEST(BarDrop, DipOfTimeSteppingIsThereToo) {
  for (const int model : {1, 2}) {
    for (const double e : {0.0, 0.75}) {
      expect_dip_at_69(model, BarMethod::paoli_schatzman, e);
    }
  }
  BarDrop drop = paper_drop(2, BarMethod::paoli_schatzman, 1.0, 68.4);
  EXPECT_EQ(drop_bar(drop).intervals.size(), 1U);
  drop.step = 1.25e-8;
  EXPECT_EQ(drop_bar(drop).intervals.size(), 2U);
}

/// Tables 2 and 4: with e = 1 the mean energy of Paoli-Schatzman drifts by less than one percent;
/// eq. (17) loses energy as in Tables 3 and 5 (90 degrees), where motion is least chaotic.
TEST(BarDrop, EnergyTablesHaveTheOrderOfThePaper) {
  const nlohmann::json reference = support::reference("impacting_bar.json");
  const nlohmann::json& ours = reference["tables_ours_relative_to_Wexp"]["data"];
  for (const int model : {1, 2}) {
    for (const int angle : {30, 45, 60, 90}) {
      BarDrop drop = paper_drop(model, BarMethod::paoli_schatzman, 1.0, angle);
      drop.duration = 1.5e-3;  // 5 ms from the start of the paper
      const BarEnergy energy = drop_bar(drop).energy;
      const double drift = 1 - energy.mean / energy.expected;
      EXPECT_LT(std::abs(drift), model == 2 && angle == 90 ? 0.03 : 0.02) << model << " " << angle;
      // Single contact steps show -1 to -4 %: the central velocity averages across the impact.
      EXPECT_LT(energy.lowest / energy.expected - 1, -0.008) << model << " " << angle;
      EXPECT_GT(energy.lowest / energy.expected - 1, -0.05) << model << " " << angle;
      EXPECT_LT(energy.deviation / energy.expected, 0.007) << model << " " << angle;
    }
  }
  BarDrop drop = paper_drop(2, BarMethod::event_driven, 1.0, 90);
  drop.instant = ImpactInstant::interpolated;
  drop.duration = 1.5e-3;
  const BarEnergy energy = drop_bar(drop).energy;
  const nlohmann::json& entry = ours["n9_m2_ED_90"];
  // The phase of the start in the step moves the loss by a few percent.
  EXPECT_NEAR(energy.lowest / energy.expected - 1, entry["min"][1].get<double>(), 1.5e-5);
  EXPECT_NEAR(1 - energy.mean / energy.expected, entry["d"][1].get<double>(), 1.5e-5);
}

/// The vertical bar by an independent recurrence: n masses above a floor that holds the first
/// spring, all moving down at unit speed at first (leapfrog). Returns when the floor begins to
/// pull.
double held_chain_release(const BarDrop& drop) {
  const BarSettings& bar = drop.bar;
  const auto n = static_cast<std::size_t>(bar.segments);
  const double spacing = (bar.length - bar.radius) / bar.segments;
  // Young's modulus over density times spacing squared; the spring of the tip is half as stiff as
  // the others (paoli2007 eq. (4)), where a half segment would be twice as stiff.
  const double inner = bar.young / bar.density / (spacing * spacing), first = 0.5 * inner;
  const double dt = 0.02 / std::sqrt(inner);
  std::vector<double> u(n, -0.5 * dt), v(n, -1.0);
  double before = 0.0, time = 0.5 * dt;
  while (true) {
    for (std::size_t i = 0; i < n; ++i) {
      const double below = i == 0 ? first * u[0] : inner * (u[i] - u[i - 1]);
      const double above = i + 1 < n ? inner * (u[i + 1] - u[i]) : 0.0;
      v[i] += dt * (above - below);
    }
    for (std::size_t i = 0; i < n; ++i) u[i] += dt * v[i];
    if (u[0] > 0.0) return time + dt * before / (before - u[0]);
    before = u[0];
    time += dt;
  }
}

/// The vertical bar: a compression wave runs up and back at c and contact ends after 2 l/c, l the
/// elastic length (the hemisphere is rigid). The chain of n segments ends it later, by
///   3/(2n)                  the spring of the tip, k, has the compliance of 4 L instead of L;
///   0.1290 n^(-2/3)         dispersion: the front is an Airy function of width (n/4)^(1/3) 2L,
///                           and half its height, where the force vanishes, arrives 0.4096 widths
///                           late (the integral of Ai from -0.4096 on is 1/2);
/// less 0.5..0.95 n^(-4/3), from both together.
TEST(BarDrop, VerticalBarTendsToTheWaveSolution) {
  for (const int n : {8, 16, 32, 64, 128}) {
    BarDrop drop = paper_drop(2, BarMethod::paoli_schatzman, 0.0, 90);
    drop.bar.segments = n;
    drop.bar.stiffness = BarStiffness::limit;
    drop.start = late_start(90, 1e-5).start;
    drop.step = 5e-8;
    drop.averaging = 1e-4;
    const BarDropResult result = drop_bar(drop);
    const double contact = result.last_contact_time - result.first_impact_time.value();
    EXPECT_NEAR(contact, held_chain_release(drop), 3 * drop.step) << n;
    const double c = std::sqrt(drop.bar.young / drop.bar.density);
    const double wave = 2 * (drop.bar.length - drop.bar.radius) / c;
    const double late = contact / wave - 1, root = std::cbrt(n);
    const double law = 1.5 / n + 0.1290 / (root * root);
    EXPECT_LT(late, law - 0.5 * std::pow(n, -4.0 / 3)) << n;
    EXPECT_GT(late, law - 0.95 * std::pow(n, -4.0 / 3)) << n;
  }
}

/// A bar excited along its first bending mode before it lands (Sect. 5.4): above the dip the phase
/// hardly matters.
TEST(BarDrop, PhaseOfAnInitialVibrationMattersLittleAboveTheDip) {
  const double still =
      drop_bar(paper_drop(2, BarMethod::paoli_schatzman, 0.5, 80)).apparent_restitution.value();
  for (const double phase : {0.0, 40.0, 80.0, 120.0, 160.0}) {
    BarDrop drop = paper_drop(2, BarMethod::paoli_schatzman, 0.5, 80);
    drop.excitation = {.fraction = 1e-3, .phase = phase * degree};
    const BarDropResult result = drop_bar(drop);
    EXPECT_NEAR(result.apparent_restitution.value(), still, 0.08) << phase;
    EXPECT_NE(result.apparent_restitution.value(), still) << phase;
  }
}

/// All three schemes, and dense algebra in place of the chain, give one motion.
TEST(BarDrop, MoreauJeanAgreesWithTheOthersAboveTheDip) {
  BarDrop drop = paper_drop(2, BarMethod::moreau_jean, 0.0, 80);
  const BarDropResult mj = drop_bar(drop);
  EXPECT_EQ(mj.report.status, StepStatus::ok);
  drop.method = BarMethod::event_driven;
  EXPECT_NEAR(mj.apparent_restitution.value(), drop_bar(drop).apparent_restitution.value(), 1e-3);
}

/// Free flight of a vibrating, turning bar: the energy error falls with the square of the step.
TEST(BarDrop, FreeFlightKeepsEnergyAtSecondOrder) {
  for (const BarMethod method :
       {BarMethod::paoli_schatzman, BarMethod::event_driven, BarMethod::moreau_jean}) {
    const auto error = [&](double step) {
      BarDrop drop = paper_drop(2, method, 1.0, 40);
      drop.start.height = 1.0;
      drop.excitation = {.fraction = 0.05, .phase = 0.4, .mode = 1};
      drop.step = step;
      drop.flight = FlightRule::newmark;
      drop.duration = 2e-4;
      double worst = 0.0, first = -1.0;
      drop_bar(drop, {.every = 1, .sample = [&](const BarSample& sample) {
                        if (first < 0) first = sample.energy;
                        worst = std::max(worst, std::abs(sample.energy - first));
                        return true;
                      }});
      return worst;
    };
    if (method == BarMethod::moreau_jean) {
      // The implicit midpoint rule keeps quadratic energies; what is left is the bend of the bar.
      EXPECT_LT(error(4e-7), 1e-11);
    } else {
      EXPECT_NEAR(std::log2(error(4e-7) / error(2e-7)), 2.0, 0.1) << static_cast<int>(method);
    }
  }
}

TEST(BarDrop, TooLongAStepIsReportedNotHidden) {
  BarDrop drop = paper_drop(1, BarMethod::paoli_schatzman, 0.5, 80);
  const double limit = stable_step(drop);
  EXPECT_NEAR(limit, 3.6e-7, 0.1e-7);  // model 1, n = 9: errata of the paper
  drop.step = 2 * limit;
  drop.averaging = 1e-3;
  EXPECT_NE(drop_bar(drop).report.status, StepStatus::ok);
}

TEST(BarDrop, RefusesNonsense) {
  BarDrop drop;
  drop.start.height = 0.001;
  EXPECT_THROW(drop_bar(drop), InvalidInput);
  drop = {};
  drop.step = -1;
  EXPECT_THROW(drop_bar(drop), InvalidInput);
  drop = {};
  drop.excitation = {.fraction = 0.1, .mode = 50};
  EXPECT_THROW(drop_bar(drop), InvalidInput);
}

}  // namespace
}  // namespace carom
