#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include <carom/steppers/bar_drop.hpp>

#include "bar_cases.hpp"
#include "data.hpp"

namespace carom {
namespace {

using namespace cases;

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
  double dip = 1.0, elsewhere = 1.0;
  for (const double angle : {68.0, 68.4, 68.9, 69.0, 69.1, 69.6}) {
    const double value = drop_bar(paper_drop(model, method, e, angle)).apparent_restitution.value();
    double& lowest = std::abs(angle - 69.0) < 0.5 ? dip : elsewhere;
    lowest = std::min(lowest, value);
  }
  EXPECT_LT(dip, elsewhere) << model << " e=" << e;
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

}  // namespace
}  // namespace carom
