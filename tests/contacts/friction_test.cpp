#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/systems/plane_assembly.hpp>

#include "run_system.hpp"

namespace carom {
namespace {

constexpr double m = 0.1, radius = 0.03;

/// A disc on the ground, I = m R^2/2: the mobility of the place of contact is 1/m along the normal
/// and 3/m along the ground.
PlaneAssembly disc_on_the_ground(double height) {
  Assembly parts;
  parts.dimension = 2;
  AssemblyBody disc;
  disc.type = BodyType::disc;
  disc.outline = Outline::disc;
  disc.mass = m;
  disc.radius = radius;
  disc.position = {0.0, radius + height};
  parts.bodies.push_back(disc);
  AssemblyContact contact;
  contact.first = 0;
  contact.second = -1;
  parts.contacts.push_back(contact);
  return PlaneAssembly(parts);
}

TEST(Friction, AnObliqueStrikeWithoutDurationSlidesOrSticks) {
  // Sliding throughout: du_t = -mu (1 + e) u_n. Sticking at the end: the tangential impulse takes
  // the whole u_t, m/3 of it.
  const PlaneAssembly plane = disc_on_the_ground(0.02);
  const double e = 0.8, down = 1.0;
  for (const auto& [along, mu] : {std::pair{5.0, 0.1}, {0.3, 0.5}}) {
    SystemMarch system(AnySystem(plane), {NewtonRestitution{e}}, Surface::recovers,
                       {plane.start().q, vector({along, -down, 0.0})},
                       {.rate = 1000, .friction = {mu}});
    run(system, 0.1);
    const double loss = std::min(mu * (1 + e) * down, along / 3);
    EXPECT_NEAR(system.velocity()[0], along - loss, 1e-12);
    EXPECT_NEAR(system.velocity()[1], e * down, 1e-12);
    EXPECT_NEAR(std::abs(system.velocity()[2]), loss * m * radius / (0.5 * m * radius * radius),
                1e-10);
    EXPECT_NEAR(system.ledger().residual(), 0, 1e-14);
  }
}

/// An oblique impact on a linear spring with a tangential one; forward speed after it.
class LinearImpact {
 public:
  static constexpr double k = 1e5, kt = 0.8e5, down = 1.0;
  const double w = std::sqrt(k / m), wt = std::sqrt(3 * kt / m);

  double forward(double along, double mu) const {
    const PlaneAssembly plane = disc_on_the_ground(0.0);
    SystemMarch system(AnySystem(plane), {AnyLaw(PowerLaw{k, 1.0})}, Surface::recovers,
                       {plane.start().q, vector({along, -down, 0.0})},
                       {.rate = 1e4, .friction = {mu}, .tangential_stiffness = {kt}});
    const auto impacts = run(system, 0.01);
    EXPECT_EQ(impacts.size(), 1U);
    EXPECT_NEAR(system.ledger().residual(), 0, 1e-15);
    EXPECT_NEAR(system.velocity()[1], down, 1e-11);
    EXPECT_NEAR(impacts.front().record.contact_time, std::numbers::pi / w, 1e-12);
    // About the place of contact nothing turns the disc.
    const double turning =
        m * radius * system.velocity()[0] - 0.5 * m * radius * radius * system.velocity()[2];
    EXPECT_NEAR(turning, m * radius * along, 1e-13);
    return system.velocity()[0];
  }
};

TEST(Friction, ACompliantContactThatSlidesThroughoutTakesTheImpulseTimesTheCoefficient) {
  const LinearImpact impact;
  for (const double mu : {0.01, 0.1, 0.3})
    EXPECT_NEAR(impact.forward(5.0, mu), 5.0 - 2 * mu * impact.down, 1e-12) << mu;
  EXPECT_NEAR(impact.forward(-5.0, 0.1), -5.0 + 2 * 0.1, 1e-12);
}

TEST(Friction, ACompliantContactThatSticksSwingsBackAndSlipsAtItsEnd) {
  // Sticking from the first touch on (u0 < mu k v/kt): x = (v/w) sin(w t), s = (u0/wt) sin(wt t),
  // until mu k x = kt |s|; from there it slips, m du/3 = -+mu k x.
  const LinearImpact impact;
  for (const double along : {0.05, 0.3}) {
    const double mu = 0.5, w = impact.w, wt = impact.wt;
    const auto held = [&](double t) {
      return mu * impact.k * impact.down / w * std::sin(w * t) -
             impact.kt * along / wt * std::abs(std::sin(wt * t));
    };
    double low = 0.7 * std::numbers::pi / w, high = std::numbers::pi / w;
    ASSERT_GT(held(low), 0);
    while (high - low > 1e-17) (held(0.5 * (low + high)) > 0 ? low : high) = 0.5 * (low + high);
    const double side = std::sin(wt * low) > 0 ? 1.0 : -1.0;
    const double impulse = mu * impact.k * impact.down / (w * w) * (1 + std::cos(w * low));
    const double slip = along * std::cos(wt * low) - 3 / m * side * impulse;
    EXPECT_NEAR(impact.forward(along, mu), along + (slip - along) / 3, 1e-10) << along;
  }
}

TEST(Friction, WithoutAStiffnessTheSpringIsThatOfMindlin) {
  // A linear contact has 2 V(L)/L^2 = k at any speed: nu = 0.3 gives kt = 14/17 k.
  const PlaneAssembly plane = disc_on_the_ground(0.001);
  const auto forward = [&](std::vector<double> stiffness) {
    SystemMarch system(AnySystem(plane), {AnyLaw(PowerLaw{1e5, 1.0})}, Surface::recovers,
                       {plane.start().q, vector({0.3, -1.0, 0.0})},
                       {.rate = 1e4, .friction = {0.4}, .tangential_stiffness = stiffness});
    run(system, 0.01);
    return system.velocity()[0];
  };
  EXPECT_NEAR(forward({}), forward({14.0 / 17 * 1e5}), 1e-12);
  EXPECT_GT(std::abs(forward({}) - forward({1e5})), 1e-3);
}

TEST(Friction, ADiscThatSlidesOnTheGroundRollsInTheEnd) {
  // Rolling begins when 3 v = 2 v0 whatever the law; the spring swings about that.
  Assembly parts = disc_on_the_ground(0.0).parts();
  parts.gravity = 9.81;
  const PlaneAssembly plane(parts);
  const double k = 1e6, c = 2 * std::sqrt(k * m), mu = 0.2, v0 = 0.5;
  MotionState start{plane.start().q, vector({v0, 0.0, 0.0})};
  start.q[1] -= m * 9.81 / k;
  SystemMarch system(AnySystem(plane), {AnyLaw(KelvinVoigt{k, c})}, Surface::recovers, start,
                     {.rate = 1000, .friction = {mu}});
  const double slides = v0 / (3 * mu * 9.81);
  run(system, 0.5 * slides);
  EXPECT_NEAR(system.velocity()[0], v0 - system.time() * mu * 9.81, 2e-6);  // the start of the slip
  run(system, 1.5 * slides);
  EXPECT_EQ(system.status(), MarchStatus::going);
  // Energy of the spring when it sticks: (mu m g)^2/(2 kt).
  const double swing = mu * m * 9.81 / std::sqrt(14.0 / 17 * k * m / 3);
  EXPECT_NEAR(system.velocity()[0], 2 * v0 / 3, swing);
  EXPECT_LT(std::abs(system.ledger().residual()), 1e-13 * system.ledger().initial());
}

TEST(Friction, GoesOnFromAnArchiveBitForBit) {
  const PlaneAssembly plane = disc_on_the_ground(0.0);
  const auto made = [&] {
    return SystemMarch(AnySystem(plane), {AnyLaw(HuntCrossley{1e7, 1.5, 0.3})}, Surface::recovers,
                       {plane.start().q, vector({0.3, -1.0, 5.0})},
                       {.rate = 2e5, .friction = {0.3}});
  };
  SystemMarch whole = made(), first = made(), second = made();
  for (int i = 0; i < 120; ++i) {
    whole.step();
    if (i < 41) first.step();
  }
  Archive written;
  first.archive(written);
  Archive read(written.bytes());
  second.archive(read);
  EXPECT_TRUE(read.exhausted());
  for (int i = 41; i < 120; ++i) second.step();
  EXPECT_EQ(second.velocity(), whole.velocity());
  EXPECT_EQ(second.stored_energy(), whole.stored_energy());
  EXPECT_EQ(second.ledger().dissipated(), whole.ledger().dissipated());
}

TEST(Friction, RefusesWhatItCannotStep) {
  const PlaneAssembly plane = disc_on_the_ground(0.0);
  const auto made = [&](const SystemMarchSettings& settings) {
    return SystemMarch(AnySystem(plane), {AnyLaw(PowerLaw{1e5})}, Surface::recovers, plane.start(),
                       settings);
  };
  EXPECT_THROW(made({.friction = {-0.1}}), InvalidInput);
  EXPECT_THROW(made({.friction = {0.1, 0.1}}), InvalidInput);
  EXPECT_THROW(made({.friction = {0.1}, .tangential_stiffness = {-1.0}}), InvalidInput);
  EXPECT_THROW(made({.scheme = SystemScheme::rk4, .friction = {0.1}}), InvalidInput);
}

/// Three boxes, leaning one over the other, that tip: their edges meet corner to corner, contacts
/// that are all but redundant, where pivots in doubles lose the solution.
TEST(Friction, AStackOfBoxesTipsOver) {
  for (const double friction : {0.3, 0.5}) {
    SCOPED_TRACE(friction);
    Assembly parts;
    parts.dimension = 2;
    parts.gravity = 9.81;
    for (int i = 0; i < 3; ++i) {
      AssemblyBody box;
      box.type = BodyType::box;
      box.outline = Outline::box;
      box.mass = 1.0 - 0.2 * i;
      box.width = box.height = 0.1;
      box.position = {0.04 * i, 0.0501 + 0.1001 * i};
      if (i == 2) box.velocity = {0.3, 0.0};
      parts.bodies.push_back(box);
    }
    for (const auto& [first, second] :
         {std::pair{0, -1}, std::pair{0, 1}, std::pair{1, 2}, std::pair{1, -1}, std::pair{2, -1}})
      parts.contacts.push_back({.first = first, .second = second});
    const PlaneAssembly plane(parts);
    const AnySystem system(plane);
    const auto contacts = static_cast<std::size_t>(plane.contacts());
    const MoreauJeanSettings settings{.common = {.step = 1e-3},
                                      .friction = std::vector<double>(contacts, friction)};
    MoreauJean<AnySystem> march(system, std::vector<NewtonRestitution>(contacts, {0.1}),
                                plane.start(), settings);
    for (int i = 0; i < 800; ++i) {
      march.step();
      ASSERT_EQ(march.report().status, StepStatus::ok) << march.time();
    }
    const Ledger& ledger = march.ledger();
    EXPECT_LE(std::abs(ledger.residual()), 1e-13 * ledger.initial());
    EXPECT_GT(ledger.dissipated(), 1.9);
    // The lowest stands, the others lie beside each other on the ground.
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(march.position()[3 * i + 1], 0.05, 1e-3);
  }
}

}  // namespace
}  // namespace carom
