#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <carom/impact/any_law.hpp>

namespace carom {
namespace {

/// The whole range of `carom impact`, fixed seed.
class RandomImpacts {
 public:
  Collision collision() { return {.mass = log_uniform(-6, 4), .speed = log_uniform(-4, 3)}; }
  double stiffness() { return log_uniform(0, 13); }
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  double log_uniform(double low, double high) { return std::pow(10, uniform(low, high)); }

 private:
  std::mt19937_64 random_{20261116};
};

/// Against the closed forms, which share nothing with collocation but the law's numbers.
void expect_same(const Impact& ours, const Impact& exact, double tolerance, const char* what) {
  const auto near = [&](double a, double b, const char* name) {
    EXPECT_NEAR(a / b, 1.0, tolerance) << what << " " << name;
  };
  near(ours.rebound_speed, exact.rebound_speed, "rebound speed");
  near(ours.contact_time, exact.contact_time, "contact time");
  near(ours.max_compression, exact.max_compression, "largest compression");
  near(ours.max_force, exact.max_force, "largest force");
  EXPECT_EQ(ours.releases, exact.releases);
}

TEST(CollocatedImpact, AgreesWithClosedFormsOverTheWholeRange) {
  RandomImpacts random;
  for (int i = 0; i < 200; ++i) {
    const Collision collision = random.collision();
    const double k = random.stiffness(), n = random.uniform(1, 5);
    // 1e-12 is what the command line promises; seen: 2e-13.
    const HuntCrossley hunt{k, n, random.log_uniform(-4, 3) / collision.speed};
    expect_same(collocated_impact(hunt, collision), impact(hunt, collision), 1e-12,
                "hunt-crossley");
    const PowerLaw lossless{k, n};
    expect_same(collocated_impact(lossless, collision), impact(lossless, collision), 1e-12,
                "power-law");
  }
}

TEST(CollocatedImpact, ReleasesAtZeroForceWithCompressionLeft) {
  RandomImpacts random;
  for (int i = 0; i < 100; ++i) {
    const Collision collision = random.collision();
    const double k = random.stiffness(), n = random.uniform(1, 2);
    const double scale =
        collision.mass *
        std::pow(k * std::pow(collision.speed, n - 1) / collision.mass, 1 / (n + 1));
    const HertzDamper law{k, n, scale * random.log_uniform(-2, 1)};
    const Impact ours = collocated_impact(law, collision), exact = impact(law, collision);
    expect_same(ours, exact, 1e-11, "hertz-damper");
    EXPECT_NEAR(ours.separation_compression / exact.separation_compression, 1, 1e-9);
  }
}

TEST(CollocatedImpact, ExternalForceAsInTheExactMotion) {
  const HuntCrossley law{1e8, 1.5, 0.3};
  for (const double push : {-5.0, 0.5, 20.0}) {
    const Collision collision{0.02, 0.8, push};
    const Impact ours = collocated_impact(law, collision), exact = impact(law, collision);
    expect_same(ours, exact, 1e-12, "pushed");
    EXPECT_NEAR(ours.equilibrium_compression, exact.equilibrium_compression,
                1e-14 * ours.max_compression);
  }
}

TEST(CollocatedImpact, BodyThatIsHeldDownNeverLeaves) {
  const HertzDamper law{.stiffness = 1e5, .exponent = 1.5, .damping = 20};
  const Collision collision{0.05, 0.1, 30.0};
  const Impact ours = collocated_impact(law, collision), exact = impact(law, collision);
  EXPECT_FALSE(ours.releases);
  EXPECT_EQ(ours.releases, exact.releases);
  EXPECT_TRUE(std::isnan(ours.rebound_speed));
  EXPECT_NEAR(ours.max_compression / exact.max_compression, 1, 1e-12);
  EXPECT_NEAR(ours.equilibrium_compression / exact.equilibrium_compression, 1, 1e-12);
}

TEST(CollocatedImpact, HistoryIsTheExactMotion) {
  const HuntCrossley law{1e9, 1.5, 0.5};
  const Collision collision{0.01, 1.0};
  const ImpactHistory exact(law, collision), ours{AnyLaw(law), collision};
  const double duration = exact.summary().contact_time;
  for (int i = 0; i <= 200; ++i) {
    const double t = duration * i / 200;
    const ImpactState a = ours.at(t), b = exact.at(t);
    // Inside a step the polynomials are less accurate than at its ends.
    EXPECT_NEAR(a.compression, b.compression, 1e-10 * exact.summary().max_compression) << i;
    EXPECT_NEAR(a.rate, b.rate, 1e-9) << i;
  }
}

}  // namespace
}  // namespace carom
