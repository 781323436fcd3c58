#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <carom/contacts/contact_march.hpp>
#include <carom/contacts/system_march.hpp>
#include <carom/systems/small_systems.hpp>

#include "line.hpp"

namespace carom {
namespace {

/// Bodies on a line, from left to right; q is how far each has moved.
LinearSystem line(const Eigen::VectorXd& masses, const Eigen::VectorXd& gaps) {
  const Eigen::Index n = masses.size();
  LinearSystem system;
  for (const double mass : masses) {
    system.body.modes.push_back({.frequency = 0, .damping = 0, .mass = mass});
  }
  system.body.shapes = ShapeMatrix::Zero(n - 1, n);
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    system.body.shapes(i, i) = -1;
    system.body.shapes(i, i + 1) = 1;
  }
  system.offsets = gaps;
  system.force = Eigen::VectorXd::Zero(n);
  return system;
}

/// Goes to `until`; false: not within so many calls.
bool run(ContactMarch& march, double until, int calls) {
  for (int i = 0; i < calls && march.converged(); ++i) {
    if (march.time() >= until) {
      march.finish();
      return true;
    }
    march.step();
  }
  return false;
}

class RandomLine {
 public:
  explicit RandomLine(unsigned seed) : random_(seed) {
    const int n = whole(2, 6);
    masses.resize(n);
    gaps.resize(n - 1);
    velocity.resize(n);
    for (int i = 0; i < n; ++i) {
      masses[i] = std::pow(10, uniform(-2, 0));
      velocity[i] = uniform(0, 1) < 0.4 ? 0.0 : uniform(-1, 1) - 0.5 * i;  // towards each other
      if (i == 0) continue;
      gaps[i - 1] = uniform(0, 1) < 0.5 ? 0.0 : uniform(0, 0.01);
      const bool keeps = uniform(0, 1) < 0.3;
      contacts.push_back({law(), keeps ? Surface::keeps_indentation : Surface::recovers});
    }
  }
  ContactMarch march(bool passive) const {
    return {line(masses, gaps),
            contacts,
            {Eigen::VectorXd::Zero(masses.size()), velocity},
            {.rate = 1e3, .closes_energy = passive}};
  }

  Eigen::VectorXd masses, gaps, velocity;
  std::vector<Contact> contacts;

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  AnyLaw law() {
    const double k = std::pow(10, uniform(5, 8));
    switch (whole(0, 8)) {
      case 0:
        return PowerLaw{k, uniform(1, 2.5)};
      case 1:
        return HuntCrossley{k, 1.5, uniform(0, 1)};
      case 2:
        return KelvinVoigt{k, uniform(0, 0.5) * std::sqrt(k)};
      case 3:
        return Tsuji{k, 1.5, uniform(0, 0.5) * std::sqrt(k)};
      case 4:
        return HertzDamper{k, 1.5, uniform(0, 50)};
      case 5:
        return KuwabaraKono{k, 1.5, uniform(0, 1e-3) * k};
      case 6:
        return ImpactFunction{k, 1.5, uniform(0, 50), 1e-4};
      case 7:
        return WaltonBraun{k, k * uniform(1, 4)};
      default:
        return JKR{k, 0.01, uniform(0.01, 0.5)};
    }
  }
  std::mt19937_64 random_;
};

/// Five equal Hertz balls that just touch, the first of them at 1 m/s: system_march_test.cpp.
TEST(ContactMarch, CradleOfFiveIsThatOfSciPy) {
  Eigen::VectorXd expected(5), velocity(5);
  expected << -0.071085017086, -0.030273764097, -0.014463629032, 0.127044986068, 0.988777424147;
  velocity << 1, 0, 0, 0, 0;
  for (const bool passive : {true, false}) {
    // A gap of 1e-17 m is the rounding of positions; it changes the velocities by less than it.
    for (const double gap : {0.0, 1e-17}) {
      SCOPED_TRACE(std::to_string(passive) + " " + std::to_string(gap));
      ContactMarch march(line(Eigen::VectorXd::Constant(5, 0.1), Eigen::VectorXd::Constant(4, gap)),
                         {Contact{PowerLaw{1e9, 1.5}}}, {Eigen::VectorXd::Zero(5), velocity},
                         {.rate = 1e3, .tolerance = 1e-12, .closes_energy = passive});
      ASSERT_TRUE(run(march, 0.01, 100));
      // 1e-12: half of it is the last digit above.
      EXPECT_LT((march.velocity() - expected).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT(march.steps(), 100);
    }
  }
}

TEST(ContactMarch, NeighboursThatAreDrawnApartDoNotTouch) {
  Eigen::VectorXd velocity(3);
  velocity << 0, 0, 1;  // the last leaves, nothing else happens
  ContactMarch march(line(Eigen::VectorXd::Ones(3), Eigen::VectorXd::Zero(2)),
                     {Contact{PowerLaw{1e9, 1.5}}}, {Eigen::VectorXd::Zero(3), velocity},
                     {.rate = 1e3});
  ASSERT_TRUE(run(march, 0.01, 100));
  EXPECT_EQ(march.velocity(), velocity);
  EXPECT_EQ(march.phase(0), Phase::apart);
}

TEST(ContactMarch, ABodyThatTurnsInAPlasticDentMeetsItsBottomAgain) {
  // The rebound ends in flight from the bottom of the dent at v, back there after 2 v/g at v.
  const double mass = 0.1, gravity = 9.81, weight = mass * gravity;
  const WaltonBraun law{1e3, 1e4};
  const MotionState start{Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, -0.2)};
  std::vector<ImpactRecord> hits;
  ContactMarch march(wall_system(mass, weight, weight), {Contact{law}}, start,
                     {.rate = 1e4, .tolerance = 1e-12});
  for (int i = 0; i < 10000 && hits.size() < 2; ++i) {
    march.step();
    for (const FinishedImpact& hit : march.finished()) hits.push_back(hit.impact);
  }
  ASSERT_EQ(hits.size(), 2U);
  const double out = hits[0].speed_out, left = hits[0].separation_compression;
  ASSERT_GT(out, 0.0);
  ASSERT_LT(out * out / (2 * gravity), left);
  EXPECT_NEAR(hits[1].speed_in, out, 1e-12 * out);
  EXPECT_NEAR(hits[1].time - hits[0].time - hits[0].contact_time, 2 * out / gravity, 1e-14);
  SystemMarch general(AnySystem(BouncingPoint{.mass = mass, .gravity = gravity}), {AnyLaw(law)},
                      Surface::recovers, start, {.rate = 1e4});
  std::vector<SystemImpact> others;
  for (int i = 0; i < 10000 && others.size() < 2; ++i) {
    general.step();
    others.insert(others.end(), general.finished().begin(), general.finished().end());
  }
  ASSERT_EQ(others.size(), 2U);
  EXPECT_NEAR(others[1].record.speed_in, hits[1].speed_in, 1e-10 * out);
  EXPECT_NEAR(others[1].record.time, hits[1].time, 1e-11);
}

TEST(ContactMarch, RandomLinesCloseTheirLedgerInBoundedTime) {
  long long impacts = 0, steps = 0;
  for (unsigned seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    const bool passive = seed % 2 == 1;
    const RandomLine random(seed);
    ContactMarch march = random.march(passive);
    const double energy = march.ledger().initial(), momentum = random.masses.dot(random.velocity);
    double largest = 0;
    for (int i = 0; i < 300 && march.time() < 0.1 && march.converged(); ++i) {
      march.step();
      impacts += static_cast<long long>(march.finished().size());
      largest = std::max(largest, march.ledger().stored());
    }
    march.finish();
    EXPECT_TRUE(march.converged());
    EXPECT_GE(march.time(), 0.1);
    EXPECT_LE(march.steps(), 3000);
    steps += march.steps();
    if (passive) {
      EXPECT_LE(largest, (1 + passive_tolerance) * energy);
    }
    // Event-driven: a hundred steps at 1e-10 of the velocities that are there.
    EXPECT_LE(std::abs(march.ledger().residual()), (passive ? 1e-12 : 1e-8) * energy);
    EXPECT_GE(march.ledger().dissipated(), -1e-13 * energy);
    EXPECT_NEAR(random.masses.dot(march.velocity()), momentum,
                1e-13 * std::sqrt(2 * energy * random.masses.sum()));
  }
  EXPECT_GT(impacts, 2000);
  EXPECT_LT(steps, 90000);
}

TEST(ContactMarch, RandomLinesAreThoseOfTheGeneralMarch) {
  for (unsigned seed = 1000; seed < 1030; ++seed) {
    SCOPED_TRACE(seed);
    RandomLine random(seed);
    std::mt19937_64 numbers(seed);
    std::vector<LawChoice> laws;
    for (Contact& contact : random.contacts) {
      const double k = std::uniform_real_distribution<double>(1e6, 1e8)(numbers);
      contact = {HuntCrossley{k, 1.5, 0.3}, Surface::recovers};
      laws.push_back(contact.law);
    }
    const double until = 0.02;
    ContactMarch march = random.march(false);
    ASSERT_TRUE(run(march, until, 100));
    Eigen::VectorXd place = Eigen::VectorXd::Zero(random.masses.size());
    for (Eigen::Index i = 1; i < place.size(); ++i) place[i] = place[i - 1] + random.gaps[i - 1];
    SystemMarch general(AnySystem(Line{.masses = random.masses}), laws, Surface::recovers,
                        {place, random.velocity}, {.rate = 1e3, .closes_energy = false});
    while (general.time() < until && general.status() == MarchStatus::going) general.step();
    ASSERT_EQ(general.status(), MarchStatus::going);
    // Tolerances of 1e-10 and 1e-12 a step, and impacts that follow from impacts.
    EXPECT_LT((march.velocity() - general.velocity()).cwiseAbs().maxCoeff(), 1e-9)
        << march.velocity().transpose() << " and " << general.velocity().transpose();
  }
}

}  // namespace
}  // namespace carom
