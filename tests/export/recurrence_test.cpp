#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/export/engine_export.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/output/json.hpp>

#include "../../src/export/spring_match.hpp"

using namespace carom;

namespace {

ExportRequest request(double e, double timestep) {
  const UnitSpring spring = continuous_spring(e, 5e-3);
  return {.law = AnyLaw(KelvinVoigt{.stiffness = 0.01 * spring.K, .damping = 0.01 * spring.B}),
          .collision = {0.01, 1.0},
          .timestep = timestep};
}

// The closed form y = 2 atan(y/L) of a Kelvin-Voigt contact that lets go at zero force.
TEST(ContinuousSpring, HasTheRootOfItsTranscendentalEquation) {
  for (const double e : {0.2, 0.5, 0.8, 0.95}) {
    const double L = -std::log(e), T = 5e-3;
    double y = 2;
    for (int i = 0; i < 400; ++i) y = 2 * std::atan(y / L);
    const UnitSpring spring = continuous_spring(e, T);
    EXPECT_NEAR(spring.K / ((y * y + L * L) / (T * T)), 1, 1e-9) << e;
    EXPECT_NEAR(spring.B / (2 * L / T), 1, 1e-9) << e;
  }
}

// K* = (1 - 2 rho cos theta + rho^2)/h^2, B* = (1 - rho^2)/h at begin, and the implicit ones: the
// matched steps follow the continuous motion on the grid exactly while they touch.
TEST(DiscreteSpring, FollowsTheContinuousMotionOnTheGrid) {
  const double T = 1.0, h = 0.1;  // without loss: no search, the poles themselves
  for (const Scheme scheme : {Scheme::at_begin, Scheme::at_end}) {
    const UnitSpring exact = continuous_spring(1, T);
    const EngineStep step = spring_step(scheme, discrete_spring(scheme, 1, T, h), h);
    const double omega = std::sqrt(exact.K);
    double x = std::sin(omega * h) / omega, v = x / h;  // the velocity of a scheme is a difference
    for (int n = 2; n < 10; ++n) {
      step(x, v);
      EXPECT_NEAR(x, std::sin(omega * n * h) / omega, 1e-12) << n;
    }
  }
}

TEST(DiscreteSpring, MeansTheWantedRestitutionOverPhases) {
  for (const Scheme scheme : {Scheme::at_begin, Scheme::at_end}) {
    for (const double e : {0.2, 0.5, 0.8, 0.95}) {
      for (const double steps : {5.0, 10.0, 50.0}) {
        const double h = 5e-3 / steps;
        const UnitSpring spring = discrete_spring(scheme, e, 5e-3, h);
        const Outcome out = over_phases(spring_step(scheme, spring, h), h, 1, 5e-3);
        EXPECT_NEAR(out.restitution, e, 1e-4) << e << " " << steps;
        EXPECT_NEAR(out.contact_time / 5e-3, 1, steps < 10 ? 0.08 : 0.03) << e << " " << steps;
      }
    }
  }
}

// Figures of Drake's discrete scheme, reproduced independently: 0.419, 0.545, 0.734 for 0.8 at 5,
// 10 and 50 steps with the continuous law's parameters.
TEST(Drake, UntunedStepsLoseWhatIsKnown) {
  for (const auto& [steps, known] : {std::pair{5.0, 0.419}, {10.0, 0.545}, {50.0, 0.734}}) {
    const Json found = export_law("drake", request(0.8, 5e-3 / steps));
    EXPECT_NEAR(found["naive"]["restitution"].get<double>(), known, 0.01) << steps;
  }
}

TEST(Export, EveryEngineAnswersOrSaysWhyNot) {
  for (const EngineInfo& info : engine_catalogue()) {
    for (const double e : {0.3, 0.6, 0.95}) {
      for (const double h : {5e-3, 2e-3, 1e-3, 1e-4}) {
        try {
          const Json found = export_law(info.name, request(e, h));
          EXPECT_FALSE(found["snippet"].get<std::string>().empty());
          EXPECT_FALSE(found["parameters"].empty());
          EXPECT_TRUE(std::isfinite(found["expected"]["restitution"].get<double>()));
          EXPECT_EQ(found["expected"]["wanted_restitution"].get<double>(),
                    impact(std::get<AnyLaw>(request(e, h).law), {0.01, 1}).restitution);
          // Off by more than 2 % only with a warning that says so.
          if (std::abs(found["expected"]["restitution"].get<double>() - e) > 0.02) {
            EXPECT_NE(found["warnings"].dump().find("will give"), std::string::npos) << info.name;
          }
        } catch (const InvalidInput& error) {
          EXPECT_EQ(info.name, "exudyn") << error.what();
        }
      }
    }
  }
}

TEST(Export, MissingStepsContactTimesAndNamesAreRefused) {
  ExportRequest none = request(0.5, 1e-3);
  none.timestep.reset();
  EXPECT_THROW(export_law("mujoco", none), InvalidInput);
  EXPECT_NO_THROW(export_law("jolt", none));
  EXPECT_NO_THROW(export_law("drake", none));
  ExportRequest newton = request(0.5, 1e-3);
  newton.law = NewtonRestitution{0.5};
  EXPECT_THROW(export_law("drake", newton), InvalidInput);
  EXPECT_NO_THROW(export_law("mujoco", newton));
  EXPECT_THROW(export_law("mujocoo", request(0.5, 1e-3)), InvalidInput);
  EXPECT_THROW(export_law("mujoco", request(0.5, -1)), InvalidInput);
  EXPECT_THROW(export_law("mujoco", request(0.5, 1e-12)), InvalidInput);
}

TEST(Export, SpeedDependenceIsKeptBySimbodyAndLostElsewhere) {
  // e = 0.50 at 1 m/s, 0.81 at 0.25 and 0.17 at 4 m/s.
  ExportRequest asked = request(0.5, 1e-3);
  asked.law = AnyLaw(HuntCrossley{.stiffness = 1e5, .exponent = 1.5, .mu = 1.44});
  const Json simbody = export_law("simbody", asked);
  EXPECT_EQ(simbody["lost"], "nothing that an impact shows");
  const Json jolt = export_law("jolt", asked);
  EXPECT_NE(jolt["lost"].get<std::string>().find("restitution at other speeds"), std::string::npos);
}

}  // namespace
