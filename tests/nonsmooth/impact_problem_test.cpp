#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <carom/nonsmooth/impact_problem.hpp>

namespace carom {
namespace {

/// Balls of equal mass in a row, the first comes in with 1 m/s: velocities after the impact.
Eigen::VectorXd cradle(int balls, double restitution, ImpactLaw law) {
  const int contacts = balls - 1;
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(contacts, balls);
  for (int i = 0; i < contacts; ++i) {
    G(i, i) = -1;
    G(i, i + 1) = 1;
  }
  Eigen::VectorXd v = Eigen::VectorXd::Zero(balls), p = Eigen::VectorXd::Zero(contacts);
  v[0] = 1;
  const Eigen::MatrixXd W = G * G.transpose();
  const Eigen::VectorXd u = G * v;
  const std::vector<double> e(static_cast<std::size_t>(contacts), restitution);
  ImpactProblem problem(contacts, false, {});
  const std::vector<char> all(e.size(), 1);
  EXPECT_EQ(problem.solve({W, u, u, e, {}, law}, all, p).status, LcpStatus::solved);
  return v + G.transpose() * p;
}

TEST(ImpactLaw, TheCradleTellsThemApart) {
  // Newton: all gaps that were closed stay so, the struck one opens at 1 m/s; with the momentum
  // kept that is v = (-0.6, 0.4, 0.4, 0.4, 0.4), which is also all the energy allows with e = 1.
  const Eigen::VectorXd newton = cradle(5, 1.0, ImpactLaw::newton);
  EXPECT_NEAR(newton[0], -0.6, 1e-12);
  for (int i = 1; i < 5; ++i) EXPECT_NEAR(newton[i], 0.4, 1e-12);
  // One after the other: the last ball leaves with all of it.
  const Eigen::VectorXd sequential = cradle(5, 1.0, ImpactLaw::sequential);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(sequential[i], i == 4 ? 1.0 : 0.0, 1e-12);
  // Poisson: compression ends with all at 0.2 m/s, by impulses 0.8, 0.6, 0.4, 0.2; the same again.
  const Eigen::VectorXd poisson = cradle(5, 1.0, ImpactLaw::poisson);
  const double expected[] = {-0.6, 0.4, 0.4, 0.4, 0.4};
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(poisson[i], expected[i], 1e-12);
  // They part where the restitutions of the contacts differ, or a loss comes in.
  const Eigen::VectorXd half = cradle(3, 0.5, ImpactLaw::sequential);
  EXPECT_NEAR(half.sum(), 1.0, 1e-12);
  EXPECT_NEAR(half[2], 0.75 * 0.75, 1e-12);
}

/// A disc (c = 1/2) or sphere (c = 2/5) that hits a wall obliquely, with constant e and mu: for
/// |u_t| > mu (1 + e) (1 + 1/c) u_n it slides throughout and loses mu (1 + e) u_n of its tangential
/// speed, else it ends rolling; by all three laws, which are one where a single contact is hit.
void follow_the_closed_forms(ImpactLaw law) {
  for (const double c : {0.5, 0.4}) {
    const double m = 0.3, radius = 0.02, e = 0.7, mu = 0.2;
    const double inertia = c * m * radius * radius;
    for (double angle = 0.05; angle < 1.5; angle += 0.05) {
      for (const double spin : {0.0, 80.0, -150.0}) {
        const double un = -std::cos(angle), ut = std::sin(angle) + radius * spin;
        // Rows: normal (0, 1, 0), tangent at the touching point (1, 0, radius).
        Eigen::Matrix2d W;
        W << 1 / m, 0, 0, 1 / m + radius * radius / inertia;
        Eigen::VectorXd u(2), p = Eigen::VectorXd::Zero(2);
        u << un, ut;
        ImpactProblem problem(1, true, {});
        const std::vector<double> restitution{e}, friction{mu};
        const Eigen::MatrixXd delassus = W;
        ASSERT_EQ(problem.solve({delassus, u, u, restitution, friction, law}, {1}, p).status,
                  LcpStatus::solved);
        const double normal = -(1 + e) * un * m;
        EXPECT_NEAR(p[0], normal, 1e-12);
        const double limit = mu * (1 + e) * (1 + 1 / c) * -un;
        const double tangential =
            std::abs(ut) > limit ? -mu * normal * (ut > 0 ? 1 : -1) : -ut * m / (1 + 1 / c);
        EXPECT_NEAR(p[1], tangential, 1e-12) << "angle " << angle << " spin " << spin;
        EXPECT_EQ(problem.reduced(), 0);
      }
    }
  }
}

TEST(Friction, ObliqueImpactsFollowTheClosedForms) {
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::sequential})
    follow_the_closed_forms(law);
}

/// A lever about a fixed point that comes down on a surface at arms a, b along normal and tangent,
/// whichever side it is on: with mu |b| > a friction outweighs any rebound, and it stops.
TEST(Friction, AGuidedBodyThatJamsStops) {
  const double a = 0.3, inertia = 0.05, before = -2.0, e = 0.9;
  for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson, ImpactLaw::sequential}) {
    for (const double b : {0.7, -0.7}) {
      for (const double mu : {0.2, 0.6}) {
        const Eigen::Vector2d arms(a, b);
        const Eigen::MatrixXd W = arms * arms.transpose() / inertia;
        const Eigen::VectorXd u = before * arms;
        const std::vector<double> restitution{e}, friction{mu};
        ImpactProblem problem(1, true, {});
        Eigen::VectorXd p = Eigen::VectorXd::Zero(2);
        ASSERT_EQ(problem.solve({W, u, u, restitution, friction, law}, {1}, p).status,
                  LcpStatus::solved);
        // It slides one way in compression and the other in expansion.
        const double returned = (a - mu * std::abs(b)) / (a + mu * std::abs(b));
        const double rebound = returned < 0 ? 0.0 : law == ImpactLaw::poisson ? e * returned : e;
        EXPECT_NEAR(before + arms.dot(p) / inertia, -rebound * before, 1e-12) << b << " " << mu;
        EXPECT_LE(std::abs(p[1]), mu * p[0] * (1 + 1e-12));
      }
    }
  }
}

/// Several contacts of random bodies: whatever the law, nothing is gained and Coulomb's cone holds.
TEST(Friction, NeverAddsEnergy) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> unit(0, 1);
  long long reduced = 0, unsolved = 0;
  for (int n = 0; n < 3000; ++n) {
    const int contacts = 1 + n % 3, coordinates = 3 + n % 4;
    Eigen::MatrixXd J(2 * contacts, coordinates);
    for (double& entry : J.reshaped()) entry = normal(random);
    Eigen::VectorXd v(coordinates), p = Eigen::VectorXd::Zero(2 * contacts);
    for (double& entry : v) entry = normal(random);
    const Eigen::MatrixXd W = J * J.transpose();
    const Eigen::VectorXd u = J * v;
    std::vector<double> e, mu;
    for (int i = 0; i < contacts; ++i) {
      e.push_back(unit(random));
      mu.push_back(1.5 * unit(random));
    }
    const auto law = static_cast<ImpactLaw>(n % 3);
    ImpactProblem problem(contacts, true, {});
    const std::vector<char> all(e.size(), 1);
    const LcpResult result = problem.solve({W, u, u, e, mu, law}, all, p);
    if (result.status != LcpStatus::solved) {
      ++unsolved;
      continue;
    }
    reduced += problem.reduced();
    const Eigen::VectorXd after = v + J.transpose() * p;
    EXPECT_LE(after.squaredNorm(), v.squaredNorm() * (1 + 1e-12)) << "case " << n;
    for (int i = 0; i < contacts; ++i) {
      EXPECT_GE(p[i], -1e-12);
      EXPECT_LE(std::abs(p[contacts + i]), mu[static_cast<std::size_t>(i)] * p[i] + 1e-10);
      EXPECT_GE((J * after)[i], -1e-9) << "case " << n;
    }
  }
  EXPECT_EQ(unsolved, 0);
  EXPECT_GT(reduced, 0);  // or the cases do not test it
}

}  // namespace
}  // namespace carom
