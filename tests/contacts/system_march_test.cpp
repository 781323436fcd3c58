#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <carom/contacts/system_march.hpp>
#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/steppers/march.hpp>
#include <carom/systems/line_assembly.hpp>
#include <carom/systems/small_systems.hpp>

#include "line.hpp"
#include "run_system.hpp"

namespace carom {
namespace {

double square(double x) { return x * x; }

TEST(SystemMarch, OneImpactOfEveryLawIsTheExactOne) {
  const double mass = 0.02, speed = 0.5;
  const Columns loop{{"compression", {0, 1e-4, 2e-4, 4e-4}}, {"loading", {0, 10, 30, 90}}};
  const std::vector<AnyLaw> laws{PowerLaw{1e9, 1.7},
                                 HuntCrossley{1e9, 1.5, 0.5},
                                 HertzDamper{1e6, 1.1, 3},
                                 KelvinVoigt{1e6, 20},
                                 PowerDamper{1e8, 1.5, 2000, 0.7},
                                 Tsuji{1e8, 1.5, 200},
                                 KuwabaraKono{1e8, 1.5, 1e3},
                                 WaltonBraun{1e6, 3e6},
                                 JKR{1e8, 0.1, 0.3},
                                 ImpactFunction{1e6, 1.5, 1, 1e-4},
                                 ForceTable{ForceLoop(loop)},
                                 ForceFormula("k*x^1.3*(1+mu*v)", {{"k", 1e6}, {"mu", 0.3}})};
  ASSERT_EQ(laws.size(), std::variant_size_v<AnyLaw>);
  const BouncingPoint body{.mass = mass, .gravity = 0.0};
  for (const AnyLaw& law : laws) {
    const Impact exact = impact(law, {mass, speed});
    for (const bool passive : {true, false}) {
      SCOPED_TRACE(std::string(law_name(law)) + (passive ? " passive" : " event-driven"));
      SystemMarch system(AnySystem(body), {law}, Surface::recovers,
                         {vector({0.01}), vector({-speed})},
                         {.rate = 1e3, .closes_energy = passive});
      const auto hits = run(system, 0.03);
      ASSERT_EQ(hits.size(), 1U);
      const ImpactRecord& hit = hits.front().record;
      // 1e-12 a step, and rounding of positions of 0.01 m beside compressions of 1e-5 m.
      const double tolerance = 1e-10;
      EXPECT_NEAR(hit.time, 0.02, 1e-14);
      EXPECT_NEAR(hit.speed_out / exact.rebound_speed, 1, tolerance);
      EXPECT_NEAR(hit.contact_time / exact.contact_time, 1, tolerance);
      EXPECT_NEAR(hit.max_compression / exact.max_compression, 1, 10 * tolerance);
      EXPECT_NEAR(hit.max_force / exact.max_force, 1, 10 * tolerance);
      EXPECT_NEAR(hits.front().impulse / (mass * (speed + exact.rebound_speed)), 1, tolerance);
      EXPECT_NEAR(system.impulse(0), hits.front().impulse, 1e-12 * mass * speed);
      EXPECT_NEAR(system.ledger().dissipated(), exact.energy_lost, tolerance * exact.energy_in);
    }
  }
}

TEST(SystemMarch, AnImpactFunctionThatWouldPullIsThatOfSciPy) {
  // m v' = -max(0, k x^1.5 + c s^2 (3 - 2 s) v), s = min(1, x/d), by SciPy's DOP853 with rtol 1e-13
  // and steps of at most 1e-7 s.
  SystemMarch system(AnySystem(BouncingPoint{.mass = 0.02, .gravity = 0.0}),
                     {AnyLaw(ImpactFunction{1e6, 1.5, 10, 1e-4})}, Surface::recovers,
                     {vector({0.01}), vector({-0.5})}, {.rate = 1e3});
  const auto hits = run(system, 0.03);
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_NEAR(hits.front().record.speed_out, 0.2547344209859, 1e-11);
}

/// Five equal touching balls with Hertz contacts, the first of them at 1 m/s. The velocities at the
/// end depend on neither mass nor stiffness. By SciPy's DOP853 at rtol = 1e-13 on
///   m q_i'' = k (q_(i-1) - q_i)_+^1.5 - k (q_i - q_(i+1))_+^1.5.
const Eigen::VectorXd cradle =
    vector({-0.071085017086, -0.030273764097, -0.014463629032, 0.127044986068, 0.988777424147});

TEST(SystemMarch, CradleOfFiveHertzBalls) {
  for (const bool passive : {true, false}) {
    SystemMarch system(AnySystem(Line{.masses = Eigen::VectorXd::Constant(5, 0.1)}),
                       {AnyLaw(PowerLaw{1e9, 1.5})}, Surface::recovers,
                       {Eigen::VectorXd::Zero(5), vector({1, 0, 0, 0, 0})},
                       {.rate = 1e3, .closes_energy = passive});
    run(system, 0.01);
    ASSERT_EQ(system.status(), MarchStatus::going);
    EXPECT_LT((system.velocity() - cradle).cwiseAbs().maxCoeff(), 1e-9)
        << system.velocity().transpose();
  }
}

TEST(SystemMarch, AChainOfTouchingBallsTakesStepsOfItsWaveOnly) {
  // Positions i d whose differences are d but for rounding: contacts that just touch, at no speed.
  const auto chain = [](int count) {
    Assembly parts;
    for (int i = 0; i < count; ++i) {
      AssemblyBody ball;
      ball.mass = 0.00411;
      ball.position = {i * 0.01, 0.0};
      ball.velocity = {i == 0 ? 0.5 : 0.0, 0.0};
      parts.bodies.push_back(ball);
      if (i == 0) continue;
      AssemblyContact contact;
      contact.first = i - 1;
      contact.second = i;
      contact.distance = 0.01;
      parts.contacts.push_back(contact);
    }
    return LineAssembly(parts);
  };
  const double mass = 0.00411, stiffness = 7.6e9;
  std::vector<long long> steps;
  for (const int count : {30, 120}) {
    const LineAssembly line = chain(count);
    SystemMarch system(AnySystem(line), {AnyLaw(PowerLaw{stiffness, 1.5})}, Surface::recovers,
                       line.start(), {.rate = 1e5, .end = 4e-4});
    const auto hits = run(system, 4e-4);
    ASSERT_EQ(system.status(), MarchStatus::going);
    steps.push_back(system.steps());
    // 1e-12 of the velocities a step, which closing the energy scales.
    const double error = 0.5e-12 * static_cast<double>(system.steps());
    EXPECT_NEAR(system.velocity().sum(), 0.5, error);
    EXPECT_LE(std::abs(system.ledger().residual()), 1e-12 * system.ledger().initial());
    // Beyond the first balls the wave is solitary (Nesterenko 2001 Sect. 1.4): its peak force is
    // the same from ball to ball. What still differs is the recoil that is left
    // behind: 1e-4 of 0.5 m/s at contact 15.
    std::vector<double> peaks;
    for (const SystemImpact& hit : hits) {
      EXPECT_GT(hit.record.max_force, 1.0);
      if (hit.contact >= 15) peaks.push_back(hit.record.max_force);
    }
    ASSERT_GE(peaks.size(), 3U);
    for (const double peak : peaks) EXPECT_NEAR(peak / peaks.front(), 1, 2e-4);
    EXPECT_NEAR(hits.front().impulse, mass * (0.5 - system.velocity()[0]), mass * error);
  }
  // The far end has not been reached and takes no part.
  EXPECT_LE(steps[0], 130);
  EXPECT_EQ(steps[1], steps[0]);
}

TEST(SystemMarch, DeclaredDampersAreBookedAsLosses) {
  // Free: v = v0 exp(-c t/m), and the damper takes m v0^2/2 (1 - exp(-2 c t/m)).
  SystemMarch free(AnySystem(Line{.masses = vector({0.5, 0.5}), .drag = 0.2}),
                   {AnyLaw(PowerLaw{1e6, 1.5})}, Surface::recovers,
                   {vector({0, 10}), vector({3, 0})}, {.rate = 10});
  run(free, 2.0);
  const double energy = 0.25 * 9;
  EXPECT_NEAR(free.ledger().dissipated() / energy, 1 - std::exp(-2 * 0.2 * 2 / 0.5), 1e-11);
  EXPECT_NEAR(free.ledger().residual(), 0, 1e-12 * energy);
  // With an impact on the way: the same for both schemes, to their error.
  for (const bool passive : {true, false}) {
    SystemMarch hit(AnySystem(Line{.masses = vector({0.5, 0.2}), .drag = 0.2}),
                    {AnyLaw(HuntCrossley{1e6, 1.5, 0.1})}, Surface::recovers,
                    {vector({0, 1}), vector({3, 0})}, {.rate = 10, .closes_energy = passive});
    EXPECT_EQ(run(hit, 2.0).size(), 1U);
    const Ledger& ledger = hit.ledger();
    EXPECT_NEAR(ledger.residual(), 0, 1e-12 * energy) << passive;
    EXPECT_NEAR(ledger.initial() - ledger.stored(), ledger.dissipated(), 1e-12 * energy);
  }
}

TEST(SystemMarch, PassiveClosesTheEnergyOfRandomChains) {
  std::mt19937_64 random(71);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto law = [&]() -> LawChoice {
    const double k = std::pow(10, uniform(5, 8));
    switch (std::uniform_int_distribution<int>(0, 9)(random)) {
      case 0:
        return AnyLaw(PowerLaw{k, uniform(1, 2.5)});
      case 1:
        return AnyLaw(HuntCrossley{k, 1.5, uniform(0, 1)});
      case 2:
        return AnyLaw(KelvinVoigt{k, uniform(0, 0.5) * std::sqrt(k)});
      case 3:
        return AnyLaw(Tsuji{k, 1.5, uniform(0, 0.5) * std::sqrt(k)});
      case 4:
        return AnyLaw(HertzDamper{k, 1.5, uniform(0, 50)});
      case 5:
        return AnyLaw(KuwabaraKono{k, 1.5, uniform(0, 1e-3) * k});
      case 6:
        return AnyLaw(ImpactFunction{k, 1.5, uniform(0, 50), 1e-4});
      case 7:
        return AnyLaw(WaltonBraun{k, uniform(1, 4) * k});
      case 8:
        return AnyLaw(JKR{k, 0.01, uniform(0.01, 0.5)});
      default:
        return NewtonRestitution{uniform(0.2, 1)};
    }
  };
  long long contacts = 0;
  for (int run_number = 0; run_number < 200; ++run_number) {
    SCOPED_TRACE(run_number);
    const int n = std::uniform_int_distribution<int>(2, 5)(random);
    Line line{.masses = Eigen::VectorXd(n)};
    MotionState start{Eigen::VectorXd(n), Eigen::VectorXd(n)};
    std::vector<LawChoice> laws;
    double place = 0;
    for (int i = 0; i < n; ++i) {
      line.masses[i] = std::pow(10, uniform(-2, 0));
      start.q[i] = place += uniform(0, 0.01);
      start.v[i] = uniform(-1, 1) - 0.5 * i;  // towards each other
      if (i > 0) laws.push_back(law());
    }
    const Surface surface = run_number % 3 == 0 ? Surface::keeps_indentation : Surface::recovers;
    SystemMarch system(AnySystem(line), laws, surface, start, {.rate = 1e3});
    const double momentum = line.masses.dot(start.v), energy = system.ledger().initial();
    contacts += static_cast<long long>(run(system, 0.1).size());
    const bool ended =
        system.status() == MarchStatus::going || system.status() == MarchStatus::at_rest;
    EXPECT_TRUE(ended) << static_cast<int>(system.status()) << " at " << system.time();
    EXPECT_LT(system.steps(), 5000);
    EXPECT_LE(std::abs(system.ledger().residual()), 1e-12 * energy);
    EXPECT_LE(std::abs(system.ledger().worst_residual()), 1e-13 * energy);
    // Closing a lossless step scales the velocities by what its energy was off.
    EXPECT_NEAR(line.masses.dot(system.velocity()), momentum,
                1e-9 * std::sqrt(2 * energy * line.masses.sum()));
  }
  EXPECT_GT(contacts, 100);
}

TEST(SystemMarch, ClassicalSchemesHaveTheirOrder) {
  const double mass = 0.01, stiffness = 1e4, exact = M_PI * std::sqrt(mass / stiffness);
  for (const auto& [scheme, order] : {std::pair{SystemScheme::rk4, 4},
                                      {SystemScheme::heun, 2},
                                      {SystemScheme::verlet, 2},
                                      {SystemScheme::trapezoid, 2}}) {
    SCOPED_TRACE(static_cast<int>(scheme));
    const auto error = [&, scheme = scheme](double rate) {
      SystemMarch system(AnySystem(BouncingPoint{.mass = mass, .gravity = 0.0}),
                         {AnyLaw(PowerLaw{stiffness, 1.0})}, Surface::recovers,
                         {vector({0.0}), vector({-1.0})}, {.scheme = scheme, .rate = rate});
      const auto hits = run(system, 2 * exact);
      return hits.size() == 1 ? std::abs(hits.front().record.contact_time - exact) / exact
                              : std::nan("");
    };
    const double coarse = error(40 / exact), fine = error(80 / exact);
    // The last, shortened step makes the error a little uneven.
    EXPECT_NEAR(std::log2(coarse / fine), order, 0.2) << coarse << " " << fine;
  }
}

TEST(SystemMarch, NewtonsLawBesideACompliantOne) {
  // Equal masses: an elastic contact exchanges velocities whatever its force, Newton's with e gives
  // (1 + e)/2 and (1 - e)/2.
  const double e = 0.5, forward = (1 + e) / 2, left = (1 - e) / 2;
  SystemMarch system(AnySystem(Line{.masses = vector({0.1, 0.1, 0.1})}),
                     {NewtonRestitution{e}, AnyLaw(PowerLaw{1e7, 1.5})}, Surface::recovers,
                     {vector({0, 0.1, 0.2}), vector({1, 0, 0})}, {.rate = 1e3});
  const auto hits = run(system, 1.0);
  ASSERT_EQ(hits.size(), 3U);
  EXPECT_EQ(hits[0].contact, 0);
  EXPECT_EQ(hits[0].record.contact_time, 0.0);
  EXPECT_EQ(hits[1].contact, 1);
  EXPECT_GT(hits[1].record.contact_time, 0.0);
  EXPECT_NEAR(system.velocity()[0], left * left, 1e-11);
  EXPECT_NEAR(system.velocity()[1], left * forward, 1e-11);
  EXPECT_NEAR(system.velocity()[2], forward, 1e-11);
  EXPECT_NEAR(system.ledger().dissipated(), 0.25 * 0.1 * (1 - e * e) * (1 + left * left), 1e-13);
}

TEST(SystemMarch, ABallComesToRest) {
  const BouncingPoint ball{.mass = 0.1};
  const double stiffness = 1e7;
  SystemMarch system(AnySystem(ball), {AnyLaw(KelvinVoigt{stiffness, 300})}, Surface::recovers,
                     {vector({0.2}), vector({0.0})}, {.rate = 100});
  const auto hits = run(system, 10.0);
  EXPECT_EQ(system.status(), MarchStatus::at_rest);
  EXPECT_EQ(system.time(), 10.0);
  EXPECT_LT(system.steps(), 5000);
  EXPECT_GT(hits.size(), 3U);
  const double energy = 0.1 * 9.81 * 0.2, sag = 0.1 * 9.81 / stiffness;
  // At rest the energy of motion is below 1e-20 of the largest, that is 1e-10 of v and x.
  EXPECT_NEAR(system.position()[0], -sag, 1e-10 * std::sqrt(2 * energy / stiffness));
  EXPECT_NEAR(system.ledger().dissipated(), energy + 0.5 * 0.1 * 9.81 * sag, 1e-12 * energy);
  EXPECT_NEAR(system.force(0), 0.1 * 9.81, 1e-6);
}

TEST(SystemMarch, AColumnComesToRest) {
  const BallColumn column{.masses = vector({0.3, 0.2, 0.1})};
  SystemMarch system(AnySystem(column), {AnyLaw(KelvinVoigt{1e6, 100})}, Surface::recovers,
                     {vector({0.02, 0.05, 0.08}), Eigen::VectorXd::Zero(3)}, {.rate = 100});
  run(system, 10.0);
  EXPECT_EQ(system.status(), MarchStatus::at_rest);
  EXPECT_LT(system.steps(), 20000);
  const double energy = system.ledger().initial();
  EXPECT_LE(std::abs(system.ledger().residual()), 1e-12 * energy);
  for (int i = 0; i < 3; ++i) {  // each contact carries what stands on it
    EXPECT_NEAR(system.force(i), 9.81 * column.masses.tail(3 - i).sum(), 1e-5) << i;
  }
}

/// Balls of distance 0 in a column over a table that moves by A sin(w t); q are heights over where
/// they began.
LineAssembly column(int balls, double mass, double amplitude, double frequency, double spacing) {
  Assembly parts;
  parts.gravity = 9.81;
  AssemblyBody table;
  table.type = BodyType::driven;
  table.motion = {.amplitude = amplitude, .frequency = frequency};
  if (amplitude == 0) table.type = BodyType::fixed;
  parts.bodies.push_back(table);
  for (int i = 0; i < balls; ++i) {
    AssemblyBody ball;
    ball.mass = mass;
    ball.position = {spacing * (i + 1), 0.0};
    parts.bodies.push_back(ball);
    AssemblyContact contact;
    contact.first = i;
    contact.second = i + 1;
    parts.contacts.push_back(contact);
  }
  return LineAssembly(parts);
}

TEST(SystemMarch, ABallIsHeldByATableAndThrownOffWhereItFallsFaster) {
  const double mass = 0.02, amplitude = 0.001, w = 2 * M_PI * 25, g = 9.81;
  const double leaves = std::asin(g / (amplitude * w * w)) / w;  // where A w^2 sin(w t) = g
  for (const bool passive : {true, false}) {
    const LineAssembly line = column(1, mass, amplitude, 25, 0.0);
    SystemMarch system(AnySystem(line), {NewtonRestitution{0.5}}, Surface::recovers,
                       {vector({0.0}), vector({amplitude * w})},
                       {.rate = 2e4, .closes_energy = passive});
    // Numerical differences of the table's speed: 1e-12 of its acceleration.
    const double force_error = 1e-10 * mass * g, end = leaves + 0.005;
    run(system, 0.9 * leaves);
    EXPECT_EQ(system.phase(0), Phase::resting);
    EXPECT_NEAR(system.force(0), mass * (g - amplitude * w * w * std::sin(w * system.time())),
                force_error);
    EXPECT_NEAR(system.position()[0], amplitude * std::sin(w * system.time()), 1e-15);
    run(system, end);
    EXPECT_EQ(system.phase(0), Phase::apart);
    const double flight = system.time() - leaves, speed = amplitude * w * std::cos(w * leaves);
    const double place =
        amplitude * std::sin(w * leaves) + flight * speed - g * flight * flight / 2;
    // The force leaves zero linearly: an error of the instant enters squared.
    EXPECT_NEAR(system.position()[0], place, 1e-12 * amplitude);
    EXPECT_NEAR(system.velocity()[0], speed - g * flight, 1e-12);
    EXPECT_NEAR(system.ledger().residual(), 0, 1e-12 * mass * square(amplitude * w));
    EXPECT_EQ(system.ledger().dissipated(), 0);
  }
  // A table that never falls faster than the ball keeps it.
  const LineAssembly gentle = column(1, mass, 0.9 * g / (w * w), 25, 0.0);
  SystemMarch kept(AnySystem(gentle), {NewtonRestitution{0.5}}, Surface::recovers,
                   {vector({0.0}), vector({0.9 * g / w})}, {.rate = 2e4});
  run(kept, 1.0);
  EXPECT_EQ(kept.phase(0), Phase::resting);
  EXPECT_EQ(kept.impulse(0) > 0, true);
}

TEST(SystemMarch, AStackOfNewtonContactsComesToRest) {
  const double mass = 0.02;
  for (const double restitution : {0.0, 0.5, 0.8}) {
    SCOPED_TRACE(restitution);
    const LineAssembly line = column(3, mass, 0.0, 0.0, 0.02);
    SystemMarch system(AnySystem(line), {NewtonRestitution{restitution}}, Surface::recovers,
                       line.start(), {.rate = 1000});
    run(system, 3.0);
    EXPECT_EQ(system.status(), MarchStatus::at_rest);
    EXPECT_LT(system.steps(), 5000);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(system.phase(i), Phase::resting);
      EXPECT_NEAR(system.force(i), mass * 9.81 * (3 - i), 1e-12);
      EXPECT_NEAR(line.place(i + 1, 0, system.time(), system.position(), system.velocity()).value,
                  0.0, 1e-12);
    }
    const double energy = mass * 9.81 * 0.12;
    EXPECT_NEAR(system.ledger().dissipated(), energy, 1e-12 * energy);
    EXPECT_NEAR(system.ledger().residual(), 0, 1e-12 * energy);
  }
}

TEST(SystemMarch, TheImpactLawDecidesWhereContactsMeet) {
  // One ball against four that touch. Newton, and Poisson who agrees here: the four stay together,
  // v0 = (1 - 4 e)/5, v = (1 + e)/5. One after the other with e = 1: the last takes it all.
  const auto after = [](ImpactLaw law, double e) -> Eigen::VectorXd {
    SystemMarch system(AnySystem(Line{.masses = Eigen::VectorXd::Constant(5, 0.1)}),
                       {NewtonRestitution{e}}, Surface::recovers,
                       {vector({-0.1, 0, 0, 0, 0}), vector({1, 0, 0, 0, 0})},
                       {.rate = 100, .impact_law = law});
    run(system, 0.15);
    EXPECT_NEAR(system.ledger().residual(), 0, 1e-15);
    return system.velocity();
  };
  for (const double e : {0.5, 1.0}) {
    const double v0 = (1 - 4 * e) / 5, v = (1 + e) / 5;
    for (const ImpactLaw law : {ImpactLaw::newton, ImpactLaw::poisson})
      EXPECT_LT((after(law, e) - vector({v0, v, v, v, v})).cwiseAbs().maxCoeff(), 1e-13) << e;
  }
  EXPECT_LT((after(ImpactLaw::sequential, 1.0) - vector({0, 0, 0, 0, 1})).cwiseAbs().maxCoeff(),
            1e-13);
}

TEST(SystemMarch, GoesOnFromAnArchiveBitForBit) {
  for (const SystemScheme scheme : {SystemScheme::collocation, SystemScheme::rk4}) {
    const auto made = [&] {
      return SystemMarch(AnySystem(Line{.masses = vector({0.1, 0.2, 0.3, 0.1}), .drag = 0.1}),
                         {AnyLaw(WaltonBraun{1e6, 2e6}), NewtonRestitution{0.6},
                          AnyLaw(HuntCrossley{1e7, 1.5, 0.3})},
                         Surface::recovers,
                         {vector({0, 0.001, 0.002, 0.003}), vector({1, 0, 0, -1})},
                         {.scheme = scheme, .rate = 5e4});
    };
    SystemMarch whole = made(), first = made(), second = made();
    for (int i = 0; i < 500; ++i) {
      whole.step();
      if (i < 230) first.step();
    }
    Archive written;
    first.archive(written);
    Archive read(written.bytes());
    second.archive(read);
    EXPECT_TRUE(read.exhausted());
    for (int i = 230; i < 500; ++i) second.step();
    EXPECT_EQ(second.time(), whole.time());
    EXPECT_EQ(second.position(), whole.position());
    EXPECT_EQ(second.velocity(), whole.velocity());
    EXPECT_EQ(second.ledger().dissipated(), whole.ledger().dissipated());
    EXPECT_EQ(second.impulse(), whole.impulse());
  }
}

TEST(SystemMarch, RefusesWhatItCannotStep) {
  const MotionState start{vector({0.1}), vector({0.0})};
  const AnySystem ball{BouncingPoint{}};
  EXPECT_THROW(SystemMarch(ball, {}, Surface::recovers, start, {}), InvalidInput);
  EXPECT_THROW(
      SystemMarch(ball, {NewtonRestitution{}, NewtonRestitution{}}, Surface::recovers, start, {}),
      InvalidInput);
  struct Shaken : BouncingPoint {
    void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
      g[0] = q[0] - 0.01 * std::sin(t);
    }
  };
  EXPECT_THROW(
      SystemMarch(AnySystem(Shaken{}), {NewtonRestitution{}}, Surface::recovers, start, {}),
      InvalidInput);
}

}  // namespace
}  // namespace carom
