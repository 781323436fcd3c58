#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include <carom/contacts/system_march.hpp>
#include <carom/core/error.hpp>
#include <carom/steppers/march.hpp>
#include <carom/systems/line_assembly.hpp>
#include <carom/systems/plane_assembly.hpp>

namespace carom {
namespace {

AssemblyBody body(const char* name, BodyType type, Vector2 position) {
  AssemblyBody part;
  part.name = name;
  part.type = type;
  part.position = position;
  part.mass = 1.3;
  part.radius = 0.1;
  part.width = 0.3;
  part.height = 0.2;
  part.length = 0.4;
  part.outline = type == BodyType::box    ? Outline::box
                 : type == BodyType::rod  ? Outline::rod
                 : type == BodyType::disc ? Outline::disc
                                          : Outline::wall;
  return part;
}

/// -dV/dq by central differences, which have an error of h^2.
Eigen::VectorXd force_of_potential(const auto& system, const Eigen::VectorXd& q) {
  Eigen::VectorXd f(q.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    Eigen::VectorXd a = q, b = q;
    a[i] -= 1e-5;
    b[i] += 1e-5;
    f[i] = (system.potential_energy(a) - system.potential_energy(b)) / 2e-5;
  }
  return f;
}

/// dg/dq against differences of the gaps.
template <class S>
void expect_gradients(const S& system, const Eigen::VectorXd& q) {
  Eigen::MatrixXd G = Eigen::MatrixXd::Zero(system.contacts(), system.coordinates());
  system.gap_gradients(0.0, q, G);
  Eigen::VectorXd before(system.contacts()), after(system.contacts());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    Eigen::VectorXd a = q, b = q;
    a[i] -= 1e-6;
    b[i] += 1e-6;
    system.gaps(0.0, a, before);
    system.gaps(0.0, b, after);
    EXPECT_LT(((after - before) / 2e-6 - G.col(i)).cwiseAbs().maxCoeff(), 1e-7)
        << "coordinate " << i;
  }
}

TEST(LineAssembly, ForcesFollowFromTheEnergy) {
  Assembly parts{.gravity = 9.81};
  for (int i = 0; i < 3; ++i) parts.bodies.push_back(body("m", BodyType::mass, {0.5 * i, 0}));
  parts.bodies[1].force = {2.5, 0};
  parts.links = {{.first = 0, .second = 1, .stiffness = 30, .cubic = 400, .length = 0.4},
                 {.first = -1, .second = 2, .stiffness = 10, .length = 0.2}};
  const LineAssembly system(parts);
  const Eigen::VectorXd q = Eigen::Vector3d(0.1, 0.7, 0.9), still = Eigen::Vector3d::Zero();
  Eigen::VectorXd f(3);
  system.force(0.0, q, still, f);
  EXPECT_LT((f - force_of_potential(system, q)).norm(), 1e-7);
}

/// A mass on a spring and a damper whose other end is shaken: the response of steady state is
/// known, and the ledger must close although the drive does work through the spring.
TEST(LineAssembly, AShakenOscillatorHasTheKnownResponse) {
  Assembly parts;
  parts.bodies = {body("base", BodyType::driven, {0, 0}), body("mass", BodyType::mass, {0, 0})};
  const double m = 1.3, k = 200, c = 4, w = 2 * std::numbers::pi * 2.5, amplitude = 0.01;
  parts.bodies[0].motion = {.amplitude = amplitude, .frequency = 2.5};
  parts.links = {{.first = 0, .second = 1, .stiffness = k, .damping = c}};
  const LineAssembly system(parts);
  SystemMarch march_(AnySystem(system), {}, Surface::recovers, system.start(),
                     {.rate = 1000.0, .end = 20.0});
  double largest = 0;
  march(march_, 20.0, [&](const SystemMarch& now) {
    if (now.time() > 15) largest = std::max(largest, std::abs(now.position()[0]));
  });
  march_.finish();
  const double ratio =
      std::sqrt((k * k + c * c * w * w) / (std::pow(k - m * w * w, 2) + c * c * w * w));
  EXPECT_NEAR(largest, amplitude * ratio, 1e-4 * amplitude * ratio);  // sampled, not a maximum
  const Ledger& ledger = march_.ledger();
  EXPECT_GT(ledger.injected(), 0);
  EXPECT_LT(std::abs(ledger.residual()), 1e-12 * ledger.injected());
}

TEST(PlaneAssembly, GapsOfEveryPairOfOutlinesHaveTheirGradients) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  const std::array types{BodyType::disc, BodyType::box, BodyType::rod, BodyType::fixed};
  for (const BodyType a : types) {
    for (const BodyType b : types) {
      if (a == BodyType::fixed && b == BodyType::fixed) continue;
      for (int n = 0; n < 20; ++n) {
        Assembly parts{.dimension = 2};
        parts.bodies = {body("a", a, {unit(random), unit(random)}),
                        body("b", b, {unit(random), unit(random)})};
        for (AssemblyBody& part : parts.bodies) part.angle = 3 * unit(random);
        parts.contacts = {{.first = 0, .second = 1}};
        const PlaneAssembly system(parts);
        expect_gradients(system, system.start().q);
      }
    }
  }
}

TEST(PlaneAssembly, KnowsTheDistanceOfSimpleOutlines) {
  Assembly parts{.dimension = 2};
  parts.bodies = {body("disc", BodyType::disc, {0.4, 0.25}), body("box", BodyType::box, {0, 0})};
  parts.contacts = {{.first = 0, .second = 1}, {.first = 0, .second = -1}};
  const PlaneAssembly system(parts);
  Eigen::VectorXd gaps(system.contacts());
  system.gaps(0.0, system.start().q, gaps);
  EXPECT_NEAR(gaps[0], std::hypot(0.4 - 0.15, 0.25 - 0.1) - 0.1, 1e-15);  // to the corner
  EXPECT_NEAR(gaps[1], 0.15, 1e-15);
}

/// Two hinged rods against Lagrange's equations of the double pendulum.
TEST(PlaneAssembly, HingedRodsAreADoublePendulum) {
  Assembly parts{.dimension = 2, .gravity = 9.81};
  const double m = 1.3, l = 0.4, a1 = 0.7, a2 = -0.4, w1 = 1.1, w2 = -2.3;
  // Rods lie along x at angle 0; the pendulum's angles count from the downward vertical.
  const auto at = [](double angle) { return Vector2{std::sin(angle), -std::cos(angle)}; };
  const Vector2 u1 = at(a1), u2 = at(a2);
  parts.bodies = {
      body("upper", BodyType::rod, {0.5 * l * u1[0], 0.5 * l * u1[1]}),
      body("lower", BodyType::rod, {l * u1[0] + 0.5 * l * u2[0], l * u1[1] + 0.5 * l * u2[1]})};
  const double turn = -0.5 * std::numbers::pi;
  parts.bodies[0].angle = a1 + turn;
  parts.bodies[1].angle = a2 + turn;
  parts.bodies[0].spin = w1;
  parts.bodies[1].spin = w2;
  parts.hinges = {{.first = -1, .second = 0, .at = {0, 0}},
                  {.first = 0, .second = 1, .at = {l * u1[0], l * u1[1]}}};
  const PlaneAssembly system(parts);
  ASSERT_EQ(system.coordinates(), 2);
  Eigen::MatrixXd M = Eigen::MatrixXd::Zero(2, 2);
  Eigen::VectorXd f(2);
  const MotionState start = system.start();
  system.mass_matrix(start.q, M);
  system.force(0.0, start.q, start.v, f);
  const double c = std::cos(a1 - a2), s = std::sin(a1 - a2), g = 9.81;
  Eigen::Matrix2d mass;
  mass << m * l * l * (1.0 / 3 + 1), 0.5 * m * l * l * c, 0.5 * m * l * l * c, m * l * l / 3;
  const Eigen::Vector2d force(-0.5 * m * l * l * s * w2 * w2 - 1.5 * m * g * l * std::sin(a1),
                              0.5 * m * l * l * s * w1 * w1 - 0.5 * m * g * l * std::sin(a2));
  EXPECT_LT((M - mass).norm(), 1e-14);
  EXPECT_LT((f - force).norm(), 1e-13);
}

TEST(PlaneAssembly, AHangingChainKeepsItsEnergy) {
  Assembly parts{.dimension = 2, .gravity = 9.81};
  for (int i = 0; i < 3; ++i) {
    parts.bodies.push_back(body("link", BodyType::rod, {0.2 + 0.4 * i, 0}));
    parts.hinges.push_back({.first = i - 1, .second = i, .at = {0.4 * i, 0}, .stiffness = 0.5});
  }
  const PlaneAssembly system(parts);
  SystemMarch march_(AnySystem(system), {}, Surface::recovers, system.start(),
                     {.rate = 100.0, .closes_energy = false, .end = 2.0});
  const double before = march_.stored_energy();
  march(march_, 2.0);
  // The energy that goes back and forth is m g l of three rods, 15 J.
  EXPECT_NEAR(march_.stored_energy(), before, 1e-10);
}

TEST(PlaneAssembly, ARollingDiscDoesNotSlip) {
  Assembly parts{.dimension = 2};
  parts.bodies = {body("disc", BodyType::disc, {0, 0.1})};
  parts.contacts = {{.first = 0, .second = -1}};
  const PlaneAssembly system(parts);
  SparseRows T(1, 3);
  system.tangents(0.0, system.start().q, T);
  // v = (v_x, v_y, spin): rolling to the right turns clockwise.
  const double slip = (T * Eigen::Vector3d(2.0, 0.0, -20.0))[0];
  EXPECT_NEAR(slip, 0.0, 1e-15);
  EXPECT_NEAR(std::abs((T * Eigen::Vector3d(2.0, 0.0, 0.0))[0]), 2.0, 1e-15);
}

TEST(PlaneAssembly, RefusesLoopsOfHinges) {
  Assembly parts{.dimension = 2};
  parts.bodies = {body("a", BodyType::rod, {0, 0}), body("b", BodyType::rod, {0.4, 0})};
  parts.hinges = {{.first = -1, .second = 0, .at = {-0.2, 0}},
                  {.first = 0, .second = 1, .at = {0.2, 0}},
                  {.first = 1, .second = -1, .at = {0.6, 0}}};
  EXPECT_THROW(PlaneAssembly{parts}, InvalidInput);
}

}  // namespace
}  // namespace carom
