#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/identify/force_trace.hpp>
#include <carom/impact/any_law.hpp>

#include "relative.hpp"

namespace carom {
namespace {

using support::close;

struct Trace {
  std::vector<double> times, forces;
};

/// The exact force of an impact that starts at `onset`, sampled evenly, with zeros around it.
Trace sampled(const AnyLaw& law, const Collision& collision, double onset, int samples,
              int around = 12) {
  const ImpactHistory history = impact_history(law, collision);
  const double step = history.summary().contact_time / samples;
  Trace trace;
  for (int i = -around; i < samples + around; ++i) {
    const double t = (i + 0.37) * step;
    trace.times.push_back(onset + t);
    trace.forces.push_back(i < 0 || i >= samples ? 0 : history.at(t).force);
  }
  return trace;
}

FitSettings only_trace(std::string law, std::optional<double> mass = {},
                       std::optional<double> speed = {}) {
  return {.law = std::move(law), .mass = mass, .speed = speed, .rank = false};
}

double number(const FittedTrace& fit, const char* name) { return fit.laws.law().find(name)->value; }

const Collision collision{.mass = 0.2, .speed = 3};
const HuntCrossley truth{.stiffness = 4e6, .exponent = 1.5, .mu = 0.1};

TEST(ForceTrace, GivesBackTheImpactThatMadeIt) {
  for (const double n : {1.2, 1.5, 2.4}) {
    for (const double epsilon : {0.1, 0.6, 2.0}) {
      const HuntCrossley law{.stiffness = 4e6, .exponent = n, .mu = epsilon / collision.speed};
      const Trace trace = sampled(law, collision, 0.125, 80);
      const FittedTrace fit = identify_force_trace(trace.times, trace.forces,
                                                   only_trace("hunt-crossley", collision.mass));
      SCOPED_TRACE(::testing::Message() << n << " " << epsilon);
      EXPECT_LT(fit.laws.law().misfit, 1e-6);
      EXPECT_TRUE(close(number(fit, "exponent"), n, 1e-4));
      EXPECT_TRUE(close(number(fit, "mu"), law.mu, 1e-3));
      EXPECT_TRUE(close(fit.laws.reference.speed, collision.speed, 1e-4));
      EXPECT_NEAR(fit.onset, 0.125, 1e-4 * fit.contact_time);
      EXPECT_TRUE(close(fit.impulse, 0.2 * 3 * (1 + fit.restitution), 1e-4));
      EXPECT_EQ(fit.laws.law().verdict, FitVerdict::accepted);
    }
  }
}

TEST(ForceTrace, AnyLawIsFittedAndTheRightOneComesFirst) {
  for (const char* name : {"tsuji", "kuwabara-kono", "hertz-damper", "hunt-crossley"}) {
    const AnyLaw law = make_law(name, {{"stiffness", 4e6},
                                       {"exponent", 1.5},
                                       {std::string(name) == "hunt-crossley" ? "mu" : "damping",
                                        std::string(name) == "hunt-crossley"  ? 0.2
                                        : std::string(name) == "hertz-damper" ? 60.0
                                        : std::string(name) == "tsuji"        ? 600.0
                                                                              : 5000.0}});
    const Trace trace = sampled(law, collision, 0, 80);
    const FittedTrace fit = identify_force_trace(trace.times, trace.forces, {.mass = 0.2});
    EXPECT_EQ(fit.laws.best().law, name);
    EXPECT_LT(fit.laws.best().misfit, 1e-5) << name;
  }
}

TEST(ForceTrace, AloneGivesShapeWithSpeedGivesMassWithBothTheRestitution) {
  const Trace trace = sampled(truth, collision, 0, 60);
  const FittedTrace alone =
      identify_force_trace(trace.times, trace.forces, only_trace("hunt-crossley"));
  EXPECT_TRUE(close(number(alone, "exponent"), 1.5, 1e-4));
  EXPECT_EQ(alone.laws.law().find("stiffness")->status, FittedNumber::Status::out_of_reach);
  const FittedTrace with_speed =
      identify_force_trace(trace.times, trace.forces, only_trace("hunt-crossley", {}, 3.0));
  EXPECT_TRUE(close(with_speed.laws.reference.mass, 0.2, 1e-4));
  EXPECT_TRUE(close(number(with_speed, "mu"), 0.1, 1e-3));
  // Both: m v (1 + e) is the impulse, so the size says what the restitution is.
  const FittedTrace both =
      identify_force_trace(trace.times, trace.forces, only_trace("hunt-crossley", 0.2, 3.0));
  EXPECT_TRUE(close(number(both, "mu"), 0.1, 1e-4));
  EXPECT_TRUE(close(both.impulse, 0.6 * (1 + impact(truth, collision).restitution), 1e-5));
}

/// As an instrument exports it: upside down, off zero, drifting, with a smaller second pulse.
TEST(ForceTrace, SignOffsetDriftAndPulseAreFound) {
  Trace trace = sampled(truth, collision, 0, 60, 60);
  const double peak = impact(truth, collision).max_force, step = trace.times[1] - trace.times[0];
  const std::size_t first = trace.times.size();
  for (std::size_t i = 0; i < first; ++i) {
    trace.times.push_back(trace.times.back() + step);
    trace.forces.push_back(0.4 * trace.forces[i]);
  }
  for (std::size_t i = 0; i < trace.times.size(); ++i) {
    trace.forces[i] = -trace.forces[i] + 0.2 * peak +
                      0.05 * peak * trace.times[i] / (trace.times.back() - trace.times[0]);
  }
  const FittedTrace fit =
      identify_force_trace(trace.times, trace.forces, only_trace("hunt-crossley", 0.2));
  EXPECT_EQ(fit.pulse.sign, -1);
  EXPECT_EQ(fit.pulse.events.size(), 2u);
  EXPECT_NEAR(fit.pulse.offset, 0.2 * peak, 0.02 * peak);
  // A baseline wrong by up to half a per cent of the peak is what is left.
  EXPECT_NEAR(number(fit, "exponent"), 1.5, 0.05);
  EXPECT_NEAR(fit.max_force, peak, 0.02 * peak);
}

/// Three samples at twice the peak, as a pad that bottoms out makes them.
TEST(ForceTrace, OutliersDoNotDecide) {
  Trace trace = sampled(truth, collision, 0, 30);
  const auto top = std::max_element(trace.forces.begin(), trace.forces.end());
  for (int i = -1; i <= 1; ++i) *(top + i) *= i == 0 ? 2 : 1.5;
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, 0.01 * impact(truth, collision).max_force);
  for (double& f : trace.forces) f += noise(random);
  const FittedTrace fit =
      identify_force_trace(trace.times, trace.forces, only_trace("hunt-crossley", 0.2));
  EXPECT_GE(fit.outliers, 2);
  EXPECT_NEAR(number(fit, "exponent"), 1.5, 0.2);
  EXPECT_NEAR(fit.restitution, impact(truth, collision).restitution, 0.02);
}

TEST(ForceTrace, APulseThatNoLawMakesIsRejected) {
  // A step up and a step down.
  std::vector<double> t, f;
  for (int i = 0; i < 80; ++i) {
    t.push_back(1e-5 * i);
    f.push_back(i < 20 || i >= 60 ? 0 : i < 40 ? 1 : 0.4);
  }
  const FittedTrace fit = identify_force_trace(t, f, {.mass = 1});
  EXPECT_EQ(fit.laws.law().verdict, FitVerdict::rejected);
  EXPECT_NE(fit.laws.law().reasons.at(0).find("misses the trace"), std::string::npos);
}

TEST(ForceTrace, IntervalsHoldTheTruth) {
  const Trace clean = sampled(truth, collision, 0, 60);
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(0, 0.01 * impact(truth, collision).max_force);
  const char* asked = std::getenv("CAROM_COVERAGE");
  const int trials = asked != nullptr ? std::atoi(asked) : 100;
  int exponents = 0, dampings = 0;
  for (int k = 0; k < trials; ++k) {
    Trace trace = clean;
    for (double& f : trace.forces) f += noise(random);
    const FittedTrace fit =
        identify_force_trace(trace.times, trace.forces, only_trace("hunt-crossley", 0.2));
    const FittedNumber &n = *fit.laws.law().find("exponent"), &mu = *fit.laws.law().find("mu");
    EXPECT_LT(n.half_width(), 0.5);  // wide enough to hold anything would be no answer
    exponents += n.low <= 1.5 && 1.5 <= n.high ? 1 : 0;
    dampings += mu.low <= 0.1 && 0.1 <= mu.high ? 1 : 0;
  }
  // Three standard deviations of a binomial count; 2 % with CAROM_COVERAGE=2000.
  const double slack = std::max(0.02, 3 * std::sqrt(0.95 * 0.05 / trials));
  EXPECT_NEAR(double(exponents) / trials, 0.95, slack);
  EXPECT_NEAR(double(dampings) / trials, 0.95, slack);
}

TEST(ForceTrace, RefusesWhatIsNoImpact) {
  const std::vector<double> t{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<double> zeros(10, 0.0), few{0, 0, 0, 1, 2, 1, 0, 0, 0, 0};
  const auto refused = [](const std::vector<double>& times, const std::vector<double>& forces) {
    EXPECT_THROW(static_cast<void>(identify_force_trace(times, forces)), InvalidInput);
  };
  refused({}, {});
  refused(t, zeros);
  refused(t, few);
  refused(t, std::vector<double>(9, 1.0));
  std::vector<double> back = t;
  back[4] = 2.5;
  refused(back, few);
  EXPECT_THROW(static_cast<void>(identify_force_trace(t, few, {.given = {{"stiffness", 1e6}}})),
               InvalidInput);
}

}  // namespace
}  // namespace carom
