#include <cmath>
#include <cstdlib>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/identify/impact_series.hpp>
#include <carom/identify/law_of_restitution.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/laws/units.hpp>

#include "relative.hpp"

namespace carom {
namespace {

using support::close;
using Status = FittedNumber::Status;

std::vector<SeriesImpact> series_of(const AnyLaw& law, double mass,
                                    std::initializer_list<double> speeds, double force = 0) {
  std::vector<SeriesImpact> impacts;
  for (const double speed : speeds) {
    const Impact hit = impact(law, {mass, speed, force});
    impacts.push_back(
        {.speed = speed, .restitution = hit.restitution, .contact_time = hit.contact_time});
  }
  return impacts;
}

FitSettings only(std::string law, std::optional<double> mass = {}) {
  return {.law = std::move(law), .mass = mass, .rank = false};
}

double value(const LawFit& fit, const char* name) { return fit.find(name)->value; }

TEST(ImpactSeries, GivesBackTheLawThatMadeIt) {
  for (const double n : {1.3, 1.5, 2.4}) {
    const HuntCrossley law{.stiffness = 3e7, .exponent = n, .mu = 0.15};
    const auto impacts = series_of(law, 0.2, {0.5, 1, 2, 4, 8});
    const Identification found = identify_series(impacts, {.mass = 0.2});
    const LawFit& fit = found.law();
    SCOPED_TRACE(n);
    EXPECT_EQ(fit.law, "hunt-crossley");
    EXPECT_EQ(fit.verdict, FitVerdict::accepted) << (fit.reasons.empty() ? "" : fit.reasons[0]);
    EXPECT_LT(fit.misfit, 1e-8);
    EXPECT_TRUE(close(value(fit, "mu"), law.mu, 1e-6));
    EXPECT_NEAR(value(fit, "exponent"), n, 1e-5);
    EXPECT_TRUE(close(value(fit, "stiffness"), law.stiffness, 1e-4));
    EXPECT_TRUE(close(value(fit, "lambda"), law.stiffness * law.mu, 1e-4));
  }
}

/// No law is known to the fit by name: each of the catalogue that is made of numbers gives itself
/// back. Sums of powers that contain each other may tie; the law itself must be among the exact.
TEST(ImpactSeries, GivesBackEveryLawOfTheCatalogue) {
  for (const LawInfo& info : law_catalogue()) {
    if (!is_of_numbers(info)) continue;
    SCOPED_TRACE(info.text.name);
    const std::optional<AnyLaw> law = example_law(info, 0.7, {.mass = 0.2, .speed = 2});
    ASSERT_TRUE(law);
    const auto impacts = series_of(*law, 0.2, {0.5, 1, 2, 4, 8});
    const Identification found = identify_series(impacts, only(std::string(info.text.name), 0.2));
    // The data are exact to 1e-12; the search ends where its own differences end.
    EXPECT_LT(found.law().misfit, 1e-5);
  }
}

/// A mass column: the same contact under several masses.
TEST(ImpactSeries, MassesOfEachImpactAreUsed) {
  const HertzDamper law{.stiffness = 2e8, .exponent = 1.5, .damping = 60};
  std::vector<SeriesImpact> impacts;
  for (const double mass : {0.1, 0.4, 1.6}) {
    for (SeriesImpact one : series_of(law, mass, {0.5, 2})) {
      one.mass = mass;
      impacts.push_back(one);
    }
  }
  const Identification found = identify_series(impacts, only("hertz-damper"));
  EXPECT_TRUE(found.mass_known);
  EXPECT_TRUE(close(value(found.law(), "damping"), 60, 1e-4));
  EXPECT_TRUE(close(value(found.law(), "stiffness"), 2e8, 1e-3));
  // With one mass for all the same numbers contradict each other.
  for (SeriesImpact& one : impacts) one.mass.reset();
  EXPECT_GT(identify_series(impacts, only("hertz-damper", 0.4)).law().misfit, 0.05);
}

TEST(ImpactSeries, WeightDuringContactIsAccountedFor) {
  const HuntCrossley law{.stiffness = 2e4, .exponent = 1.5, .mu = 0.4};
  const auto impacts = series_of(law, 0.5, {0.5, 1, 2, 4}, 0.5 * 9.81);
  FitSettings settings = only("hunt-crossley", 0.5);
  settings.gravity = 9.81;
  EXPECT_TRUE(close(value(identify_series(impacts, settings).law(), "mu"), 0.4, 1e-5));
  settings.gravity.reset();
  EXPECT_FALSE(close(value(identify_series(impacts, settings).law(), "mu"), 0.4, 1e-2));
}

TEST(ImpactSeries, TheLawThatMadeNoisyDataIsNotRejected) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const char* name : {"hunt-crossley", "tsuji", "kuwabara-kono"}) {
    const AnyLaw law = *example_law(law_info(name), 0.6, {.mass = 0.2, .speed = 2});
    auto impacts = series_of(law, 0.2, {0.3, 0.5, 0.8, 1.2, 2, 3, 5, 8});
    for (SeriesImpact& one : impacts) {
      *one.restitution += 0.01 * normal(random);
      *one.contact_time *= 1 + 0.01 * normal(random);
    }
    const Identification found = identify_series(impacts, {.law = name, .mass = 0.2});
    EXPECT_NE(found.law().verdict, FitVerdict::rejected) << name;
    EXPECT_EQ(found.candidates.size() > 3, true);
  }
}

TEST(ImpactSeries, ConstantRestitutionIsPreferredToALawThatForcesItToOne) {
  std::vector<SeriesImpact> impacts;
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 25; ++i) {
    impacts.push_back({.speed = 0.3 + 0.2 * i, .restitution = 0.85 + 0.008 * normal(random)});
  }
  const Identification found = identify_series(impacts, {});
  EXPECT_EQ(found.law().law, "constant-restitution");
  EXPECT_EQ(found.law().verdict, FitVerdict::accepted);
  EXPECT_NEAR(*found.law().restitution, 0.85, 3 * 0.008 / 5);
  for (const LawFit& one : found.candidates) {
    EXPECT_EQ(one.law == "hunt-crossley" && one.verdict != FitVerdict::rejected, false);
  }
}

/// Two to four restitutions are few for Akaike's correction; a law whose restitution is 1 whatever
/// happens does not describe them for that.
TEST(ImpactSeries, FewEqualRestitutionsAreNoLosslessContact) {
  for (const std::vector<double>& measured :
       {std::vector{0.8, 0.8, 0.8}, {0.8, 0.81, 0.79}, {0.8, 0.81}, {0.8, 0.81, 0.79, 0.805}}) {
    std::vector<SeriesImpact> impacts;
    double speed = 5;
    for (const double e : measured) {
      impacts.push_back({.speed = speed, .restitution = e});
      speed *= e;
    }
    const Identification found = identify_series(impacts, {});
    EXPECT_EQ(found.law().law, "constant-restitution") << measured.size();
    EXPECT_NEAR(*found.law().restitution, 0.8, 0.01);
    for (const LawFit& one : found.candidates) {
      if (one.law == "power-law") {
        EXPECT_GT(one.criterion, found.law().criterion + 4);
      }
    }
  }
}

TEST(ImpactSeries, SaysWhatTheDataDoNotFix) {
  const HuntCrossley law{.stiffness = 3e7, .exponent = 1.5, .mu = 0.15};
  // Three impacts at one speed: nothing tells stiffness from exponent.
  const Identification one_speed =
      identify_series(series_of(law, 0.2, {2, 2, 2}), {.law = "hunt-crossley", .mass = 0.2});
  EXPECT_EQ(one_speed.law().verdict, FitVerdict::undetermined);
  EXPECT_EQ(one_speed.law().find("exponent")->status, Status::open);
  EXPECT_EQ(one_speed.law().find("mu")->status, Status::determined);
  ASSERT_FALSE(one_speed.advice.empty());
  EXPECT_EQ(one_speed.advice[0], "impacts at other speeds");
  // With the exponent given the rest follows.
  FitSettings given = only("hunt-crossley", 0.2);
  given.given["exponent"] = 1.5;
  EXPECT_TRUE(close(value(identify_series(series_of(law, 0.2, {2}), given).law(), "stiffness"),
                    law.stiffness, 1e-6));
  // Restitutions alone say nothing about the stiffness, however many: that is no fault of theirs.
  auto untimed = series_of(law, 0.2, {1, 2, 4, 6});
  for (SeriesImpact& each : untimed) each.contact_time.reset();
  const Identification damping = identify_series(untimed, only("hunt-crossley", 0.2));
  EXPECT_TRUE(close(value(damping.law(), "mu"), law.mu, 1e-6));
  EXPECT_EQ(damping.law().find("stiffness")->status, Status::out_of_reach);
  EXPECT_EQ(damping.law().verdict, FitVerdict::accepted);
  EXPECT_FALSE(damping.law().complete());
}

/// A given exponent is kept by the laws that have one and rules out those that have another.
TEST(ImpactSeries, AGivenExponentIsKept) {
  const HuntCrossley law{.stiffness = 3e7, .exponent = 1.5, .mu = 0.15};
  const Identification found = identify_series(series_of(law, 0.2, {0.5, 1, 2, 4}),
                                               {.given = {{"exponent", 1.5}}, .mass = 0.2});
  EXPECT_EQ(found.law().law, "hunt-crossley");
  EXPECT_EQ(found.law().find("exponent")->status, Status::given);
  for (const LawFit& one : found.candidates) EXPECT_NE(one.law, "kelvin-voigt");
}

TEST(ImpactSeries, ALossThatIsNotThereIsAtItsBound) {
  const PowerLaw law{.stiffness = 3e7, .exponent = 1.5};
  const Identification found = identify_series(series_of(law, 0.2, {0.5, 1, 2, 4, 8}),
                                               {.law = "hunt-crossley", .mass = 0.2});
  EXPECT_EQ(found.law().find("mu")->status, Status::at_bound);
  EXPECT_EQ(found.law().verdict, FitVerdict::undetermined);
  EXPECT_EQ(found.best().law, "power-law");
}

/// 95 % intervals hold the truth in 93 to 97 % of cases. The whole test of 2000 sets runs by
/// CAROM_COVERAGE=2000; three standard deviations of a smaller share are allowed here.
TEST(ImpactSeries, IntervalsHoldTheTruthNineteenTimesInTwenty) {
  const HuntCrossley law{.stiffness = 3e7, .exponent = 1.5, .mu = 0.15};
  const auto exact = series_of(law, 0.2, {0.5, 1, 1.5, 2, 3, 4, 6, 8});
  const char* asked = std::getenv("CAROM_COVERAGE");
  const int trials = asked != nullptr ? std::atoi(asked) : 250;
  std::mt19937_64 random(19);
  std::normal_distribution<double> normal;
  for (const bool known : {true, false}) {
    std::map<std::string, int> inside;
    for (int trial = 0; trial < trials; ++trial) {
      std::vector<SeriesImpact> noisy = exact;
      for (SeriesImpact& one : noisy) {
        *one.restitution += 0.01 * normal(random);
        *one.contact_time *= 1 + 0.01 * normal(random);
        if (known) {
          one.restitution_sd = 0.01;
          one.contact_time_sd = 0.01 * *one.contact_time;
        }
      }
      const Identification found = identify_series(noisy, only("hunt-crossley", 0.2));
      for (const auto& [name, truth] :
           {std::pair{"mu", 0.15}, {"exponent", 1.5}, {"stiffness", 3e7}}) {
        const FittedNumber& one = *found.law().find(name);
        inside[name] += one.low <= truth && truth <= one.high ? 1 : 0;
      }
    }
    const double slack = std::max(0.02, 3 * std::sqrt(0.95 * 0.05 / trials));
    for (const auto& [name, count] : inside)
      EXPECT_NEAR(double(count) / trials, 0.95, slack) << name << " known " << known;
  }
}

TEST(ImpactSeries, AProfileRisesFromTheBestValueToOneAtTheEndsOfTheInterval) {
  const HuntCrossley law{.stiffness = 3e7, .exponent = 1.5, .mu = 0.15};
  std::vector<SeriesImpact> noisy = series_of(law, 0.2, {0.5, 1, 1.5, 2, 3, 4, 6, 8});
  std::mt19937_64 random(23);
  std::normal_distribution<double> normal;
  for (SeriesImpact& one : noisy) {
    *one.restitution += 0.01 * normal(random);
    *one.contact_time *= 1 + 0.01 * normal(random);
  }
  FitSettings settings = only("hunt-crossley", 0.2);
  EXPECT_TRUE(identify_series(noisy, settings).law().find("mu")->profile.empty());
  settings.profiles = true;
  const Identification found = identify_series(noisy, settings);
  for (const char* name : {"mu", "exponent", "stiffness", "lambda"}) {
    SCOPED_TRACE(name);
    const FittedNumber& one = *found.law().find(name);
    ASSERT_EQ(one.profile.size(), 9u);
    EXPECT_DOUBLE_EQ(one.profile[4].first, one.value);
    EXPECT_EQ(one.profile[4].second, 0);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_LT(one.profile[i].first, one.profile[i + 1].first);
      EXPECT_EQ(one.profile[i].second > one.profile[i + 1].second, i < 4);
    }
    // The search for the ends stops within one per cent.
    EXPECT_NEAR(one.profile[1].second, 1, 0.015);
    EXPECT_NEAR(one.profile[7].second, 1, 0.015);
  }
}

TEST(ImpactSeries, RefusesWhatCannotBeMeasured) {
  const SeriesImpact sound{.speed = 1, .restitution = 0.5, .contact_time = 1e-4};
  const auto refused = [&](auto spoil) {
    std::vector<SeriesImpact> impacts(3, sound);
    spoil(impacts[1]);
    EXPECT_THROW(static_cast<void>(identify_series(impacts, only("hunt-crossley"))), InvalidInput);
  };
  refused([](SeriesImpact& one) { one.speed = 0; });
  refused([](SeriesImpact& one) { one.restitution = 1.2; });
  refused([](SeriesImpact& one) { one.restitution = 0; });
  refused([](SeriesImpact& one) { one.contact_time = -1e-4; });
  refused([](SeriesImpact& one) { one.contact_time.reset(); });
  refused([](SeriesImpact& one) { one.restitution_sd = 0.1; });
  refused([](SeriesImpact& one) { one.mass = 1; });
  EXPECT_THROW(static_cast<void>(identify_series({}, {})), InvalidInput);
  // A number that the wanted law does not have is not ignored.
  FitSettings foreign = only("hunt-crossley");
  foreign.given["depth"] = 1e-5;
  EXPECT_THROW(static_cast<void>(identify_series(std::vector(3, sound), foreign)), InvalidInput);
  EXPECT_THROW(static_cast<void>(identify_series(std::vector(3, sound), only("table"))),
               InvalidInput);
}

}  // namespace
}  // namespace carom
