#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/impact/any_law.hpp>
#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_plain.hpp>

#include "string_cases.hpp"

namespace {

using carom::CompliantScheme;
using carom::HuntCrossley;
using carom::ModalPlain;
using carom::ModalProblem;

ModalProblem string_on_points(std::vector<double> positions, HuntCrossley law, double damping) {
  ModalProblem problem;
  for (int j = 1; j <= 40; ++j) {
    problem.body.modes.push_back({.frequency = 120.0 * j * (1 + 1e-4 * j * j),
                                  .damping = damping * (1 + 0.01 * j * j),
                                  .mass = 1e-3});
  }
  problem.body.shapes = cases::string_shapes(positions, 1.0, 40);
  problem.heights.assign(positions.size(), -1e-5);
  problem.start.position.resize(40);
  for (int j = 1; j <= 40; ++j) {
    problem.start.position[j - 1] = 1e-3 * std::sin(j * M_PI * 0.3) / (j * j);
  }
  problem.law = law;
  problem.rate = 96000;
  return problem;
}

TEST(CompliantContact, KeepsItsEnergyForASecond) {
  // Lossless body and law: what is stored stays, to the tolerance of the solves. 96 000 steps.
  for (const auto& positions : {std::vector{0.02}, std::vector{0.1, 0.37, 0.8}}) {
    ModalPlain plain(string_on_points(positions, {.stiffness = 1e9, .exponent = 1.5}, 0));
    long long touched = 0;
    while (plain.steps() < 96000) {
      plain.step();
      touched += plain.touched();
    }
    EXPECT_GT(touched, 1000);
    EXPECT_EQ(plain.contacts().unsolved(), 0);
    EXPECT_LE(std::abs(plain.ledger().residual()), 1e-11 * plain.ledger().initial());
    EXPECT_NEAR(plain.ledger().stored(), plain.ledger().initial(),
                1e-11 * plain.ledger().initial());
  }
}

TEST(CompliantContact, QuadratisedNeverGains) {
  ModalProblem problem = string_on_points({0.1, 0.37, 0.8}, {.stiffness = 1e9, .mu = 0.2}, 1);
  problem.compliant = CompliantScheme::quadratised;
  ModalPlain plain(problem);
  long long touched = 0;
  while (plain.steps() < 30000) {
    const double before = plain.ledger().stored();
    plain.step();
    touched += plain.touched();
    ASSERT_LE(plain.ledger().stored(), before + 1e-14 * plain.ledger().initial());
  }
  EXPECT_GT(touched, 500);
  EXPECT_LE(std::abs(plain.ledger().residual()), 1e-11 * plain.ledger().initial());
}

TEST(CompliantContact, HuntCrossleyLosesWhatItsDampingTakes) {
  ModalPlain plain(string_on_points({0.02, 0.5}, {.stiffness = 1e9, .mu = 0.5}, 1));
  while (plain.steps() < 30000) plain.step();
  EXPECT_GT(plain.contacts().energy().dissipated, 1e-3 * plain.ledger().initial());
  EXPECT_LE(std::abs(plain.ledger().residual()), 1e-11 * plain.ledger().initial());
}

// A stiff damper at a coarse rate: the formula of the discrete gradient alone would pull where a
// body leaves fast, by up to 8 % of its largest push. The law does not, nor does the contact.
TEST(CompliantContact, DoesNotPullUnlessItsLawDoes) {
  for (const auto scheme : {CompliantScheme::discrete_gradient, CompliantScheme::quadratised}) {
    for (const auto& positions : {std::vector{0.37}, std::vector{0.1, 0.37, 0.8}}) {
      ModalProblem problem = string_on_points(positions, {.stiffness = 1e7, .mu = 20.0}, 1);
      problem.rate = 24000;
      problem.compliant = scheme;
      ModalPlain plain(problem);
      double largest = 0, least = 0;
      while (plain.steps() < 20000) {
        const double before = plain.ledger().stored();
        plain.step();
        ASSERT_LE(plain.ledger().stored(), before + 1e-14 * plain.ledger().initial());
        if (!plain.touched()) continue;
        largest = std::max(largest, plain.impulses().maxCoeff());
        least = std::min(least, plain.impulses().minCoeff());
      }
      EXPECT_GT(largest, 0);
      EXPECT_GE(least, 0);
      EXPECT_EQ(plain.contacts().unsolved(), 0);
      // What is lost is found apart from what is stored: 20 000 steps of 1e-16.
      EXPECT_LE(std::abs(plain.ledger().residual()), 1e-11 * plain.ledger().initial());
    }
  }
}

TEST(CompliantContact, PullsIfItsLawDoes) {
  // A damper that is kept until x = 0 holds the body back at the end.
  for (const auto release : {carom::Release::zero_force, carom::Release::zero_compression}) {
    ModalProblem problem = string_on_points({0.37}, {.stiffness = 1}, 1);
    problem.law =
        carom::HertzDamper{.stiffness = 1e6, .exponent = 1.0, .damping = 0.5, .release = release};
    ModalPlain plain(problem);
    double least = 0;
    while (plain.steps() < 20000) {
      plain.step();
      if (plain.touched()) least = std::min(least, plain.impulses().minCoeff());
    }
    EXPECT_EQ(least < 0, release == carom::Release::zero_compression);
    EXPECT_LE(std::abs(plain.ledger().residual()), 1e-11 * plain.ledger().initial());
  }
}

TEST(CompliantContact, AdhesionIsSolvedAtEveryRate) {
  // The force of adhesion falls with the compression near the edge, where the equation of a step
  // has no monotone side for Newton's method to come from.
  for (const double rate : {1e5, 2e5, 4e5}) {
    for (const double adhesion : {0.1, 1.0, 10.0}) {
      ModalProblem problem = string_on_points({0.15}, {.stiffness = 1}, 1);
      problem.law = carom::JKR{.stiffness = 1e6, .radius = 0.01, .adhesion = adhesion};
      problem.rate = rate;
      ModalPlain plain(problem);
      long long touched = 0;
      while (plain.steps() < 20000) {
        plain.step();
        touched += plain.touched();
      }
      EXPECT_GT(touched, 1000);
      EXPECT_EQ(plain.contacts().unsolved(), 0) << rate << " " << adhesion;
      EXPECT_LE(std::abs(plain.ledger().residual()), 1e-11 * plain.ledger().initial());
    }
  }
}

// A free mass, which is a body with one rigid mode, against a point: the impact that is solved
// exactly.
ModalProblem free_mass(const carom::AnyLaw& law, CompliantScheme scheme, double rate) {
  ModalProblem problem;
  problem.body.modes = {{.frequency = 0, .mass = 0.01}};
  problem.body.shapes = carom::ShapeMatrix::Ones(1, 1);
  problem.heights = {0};
  problem.start.position = Eigen::VectorXd::Constant(1, 1e-4);
  problem.start.velocity = Eigen::VectorXd::Constant(1, -1.0);
  problem.law = law;
  problem.rate = rate;
  problem.compliant = scheme;
  return problem;
}

double rebound(const carom::AnyLaw& law, CompliantScheme scheme, double rate) {
  ModalPlain plain(free_mass(law, scheme, rate));
  while (plain.time() < 1e-3) plain.step();
  return plain.difference()[0] * rate;
}

TEST(CompliantContact, ReboundsAsTheExactImpact) {
  const HuntCrossley law{.stiffness = 1e9, .exponent = 1.5, .mu = 0.3};
  const double exact = carom::impact(law, {.mass = 0.01, .speed = 1.0}).rebound_speed;
  for (const auto scheme : {CompliantScheme::discrete_gradient, CompliantScheme::quadratised}) {
    const double coarse = std::abs(rebound(law, scheme, 1e6) - exact);
    const double fine = std::abs(rebound(law, scheme, 4e6) - exact);
    // A contact of 75 us: 300 samples of a method of order 2 and of order 5/4 at its edges.
    EXPECT_LT(fine, 2e-3 * exact);
    EXPECT_LT(fine, coarse);
  }
  const HuntCrossley lossless{.stiffness = 1e9, .exponent = 1.5};
  EXPECT_NEAR(rebound(lossless, CompliantScheme::discrete_gradient, 1e5), 1.0, 1e-12);
}

TEST(CompliantContact, ConvergesToTheExactImpact) {
  // ModalMarch, largest error of the rebound speed over 16 phases of the first touch, for every law
  // of the catalogue.
  struct Case {
    carom::AnyLaw law;
    double order;
  };
  const Case cases[] = {
      {HuntCrossley{.stiffness = 1e9, .exponent = 1.5, .mu = 0.5}, 2},
      {HuntCrossley{.stiffness = 1e8, .exponent = 1.0, .mu = 0.8}, 2},
      // Dampers that jump in at x = 0 and let go by force or hold on to x = 0.
      {carom::HertzDamper{.stiffness = 1e9, .exponent = 1.5, .damping = 100}, 2},
      {carom::KelvinVoigt{.stiffness = 1e7, .damping = 200}, 2},
      {carom::KelvinVoigt{
           .stiffness = 1e7, .damping = 200, .release = carom::Release::zero_compression},
       2},
      // A force x^p v is singular at first touch: the order is 1 + p, 1/2 and 1/4 here.
      {carom::PowerDamper{
           .stiffness = 1e9, .exponent = 1.5, .damping = 1e4, .damping_exponent = 0.5},
       1.5},
      {carom::KuwabaraKono{.stiffness = 1e9, .exponent = 1.5, .damping = 1e4}, 1.5},
      {carom::Tsuji{.stiffness = 1e9, .exponent = 1.5, .damping = 1000}, 1.25},
      {carom::WaltonBraun{.stiffness = 1e7, .unloading_stiffness = 3e7}, 2},
      // The force jumps where bodies snap into contact and where they let go.
      {carom::JKR{.stiffness = 1e9, .radius = 0.01, .adhesion = 500}, 1},
      {carom::ImpactFunction{.stiffness = 1e9, .exponent = 1.5, .damping = 50, .depth = 2e-5}, 2},
      {carom::make_law("formula", {{"force", std::string("k*x^1.5*(1 + 0.5*v)")},
                                   {"parameters", carom::NamedNumbers{{"k", 1e9}}}}),
       2},
  };
  for (const Case& each : cases) {
    const double exact = carom::impact(each.law, {.mass = 0.01, .speed = 1.0}).rebound_speed;
    const auto worst = [&](double rate) {
      double error = 0;
      for (int phase = 0; phase < 16; ++phase) {
        ModalProblem problem = free_mass(each.law, CompliantScheme::discrete_gradient, rate);
        problem.start.position[0] += phase / 16.0 / rate;
        carom::ModalMarch march(problem, {.audit_cost = std::numeric_limits<double>::infinity()});
        march.advance(std::llround(1e-3 * rate));
        march.close_ledger();
        EXPECT_EQ(march.statistics().unsolved, 0) << law_name(each.law);
        EXPECT_LE(std::abs(march.ledger().residual()), 1e-12 * march.ledger().initial())
            << law_name(each.law);
        error = std::max(error, std::abs(march.difference()[0] * rate - exact));
      }
      return error;
    };
    EXPECT_NEAR(std::log2(worst(1e6) / worst(8e6)) / 3, each.order, 0.06) << law_name(each.law);
  }
}

TEST(CompliantContact, AForceThatIsZeroForAWhileComesBack) {
  // f = max(0, k x^n + c step(x/d) v) with a damper that outweighs the spring in the middle of the
  // rebound, against Runge-Kutta's method on the formula itself.
  const double k = 1e9, c = 200, d = 2e-5, mass = 0.01;
  const auto acceleration = [&](double x, double v) {
    const double s = std::clamp(x / d, 0.0, 1.0);
    return -std::max(0.0, k * std::pow(std::max(x, 0.0), 1.5) + c * s * s * (3 - 2 * s) * v) / mass;
  };
  double x = 0, v = 1;
  constexpr double h = 1e-8;
  do {
    const double v1 = v, a1 = acceleration(x, v1);
    const double v2 = v + h / 2 * a1, a2 = acceleration(x + h / 2 * v1, v2);
    const double v3 = v + h / 2 * a2, a3 = acceleration(x + h / 2 * v2, v3);
    const double v4 = v + h * a3, a4 = acceleration(x + h * v3, v4);
    x += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  } while (x > 0);
  const carom::ImpactFunction law{.stiffness = k, .exponent = 1.5, .damping = c, .depth = d};
  // 600 steps of a method of order 2 within the contact: 1e-6 seen.
  EXPECT_NEAR(rebound(law, CompliantScheme::discrete_gradient, 8e6), -v, 5e-6);
}

/// A body with a rigid and a swinging mode in mid-contact, 60 us after it set out from 10 um (and a
/// bit, so that the first touch falls into any part of a step).
Eigen::Vector2d in_contact(const HuntCrossley& law, CompliantScheme scheme, double rate,
                           double further) {
  ModalProblem problem;
  problem.body.modes = {{.frequency = 0, .mass = 0.01}, {.frequency = 3000, .mass = 0.005}};
  problem.body.shapes = carom::ShapeMatrix::Ones(1, 2);
  problem.heights = {0};
  problem.start.position = Eigen::Vector2d(1e-5 + further, 0);
  problem.start.velocity = Eigen::Vector2d(-1, 0);
  problem.law = law;
  problem.rate = rate;
  problem.compliant = scheme;
  problem.first_step = carom::ModalStart::exact;
  ModalPlain plain(problem);
  const long long steps = std::llround(6e-5 * rate);
  while (plain.steps() < steps) plain.step();
  return plain.position();
}

/// The discrete gradient is of second order at any exponent. The quadratised force is the slope of
/// sqrt(2 V) ~ gap^((n+1)/2), which is not smooth at first touch: order (n+1)/2, up to two.
TEST(CompliantContact, HasTheOrderOfItsScheme) {
  constexpr int phases = 8;
  const auto further = [](int phase) { return 1.3e-7 * phase; };
  for (const double mu : {0.0, 0.3}) {
    for (const double n : {1.0, 1.5, 2.0, 3.0}) {
      const HuntCrossley law{.stiffness = 1e9 * std::pow(1e-4, 1.5 - n), .exponent = n, .mu = mu};
      // Its own error is 1/64 of the least that is measured: 0.01 of an order.
      std::vector<Eigen::Vector2d> truth;
      for (int i = 0; i < phases; ++i)
        truth.push_back(in_contact(law, CompliantScheme::discrete_gradient, 6.4e7, further(i)));
      const auto worst = [&](CompliantScheme scheme, double rate) {
        double error = 0;
        for (int i = 0; i < phases; ++i) {
          const Eigen::Vector2d off =
              in_contact(law, scheme, rate, further(i)) - truth[static_cast<std::size_t>(i)];
          error = std::max(error, off.norm());
        }
        return error;
      };
      const auto order = [&](CompliantScheme scheme) {
        return std::log2(worst(scheme, 1e6) / worst(scheme, 8e6)) / 3;
      };
      EXPECT_NEAR(order(CompliantScheme::discrete_gradient), 2.0, 0.02) << n;
      EXPECT_NEAR(order(CompliantScheme::quadratised), std::min(2.0, (n + 1) / 2), 0.07) << n;
    }
  }
}

/// A mode that swings against a stop, q = A cos(omega t) down to q = g, where its velocity is
/// reversed and multiplied by e: the closed form a quarter of a period after the impact.
TEST(NonsmoothContact, IsOfFirstOrder) {
  const double omega = 2 * M_PI * 100, e = 0.6, amplitude = 1e-3;
  const auto worst = [&](carom::Activation activation, double rate) {
    double error = 0;
    for (int phase = 0; phase < 16; ++phase) {
      const double height = -0.3e-3 - 0.137 * phase * amplitude * omega / rate;
      ModalProblem problem;
      problem.body.modes = {{.frequency = 100, .mass = 0.01}};
      problem.body.shapes = carom::ShapeMatrix::Ones(1, 1);
      problem.heights = {height};
      problem.start.position = Eigen::VectorXd::Constant(1, amplitude);
      problem.law = carom::NewtonRestitution{e};
      problem.rate = rate;
      problem.activation = activation;
      problem.first_step = carom::ModalStart::exact;
      ModalPlain plain(problem);
      const double impact = std::acos(height / amplitude) / omega;
      const double leaving = e * amplitude * std::sin(omega * impact);
      while (plain.time() < impact + 2.5e-3) plain.step();
      const double after = omega * (plain.time() - impact);
      const double truth = height * std::cos(after) + leaving * std::sin(after);
      error = std::max(error, std::abs(plain.position()[0] - truth));
    }
    return error;
  };
  for (const auto activation : {carom::Activation::extrapolated, carom::Activation::printed})
    EXPECT_NEAR(std::log10(worst(activation, 2e4) / worst(activation, 2e5)), 1.0, 0.15);
}

TEST(CompliantContact, ContactsFarApartDoNotKnowOfEachOther) {
  // Two masses in one problem must do what each does alone: the vector solve against the scalar
  // one.
  ModalProblem both;
  both.body.modes = {{.frequency = 0, .mass = 0.01}, {.frequency = 0, .mass = 0.02}};
  both.body.shapes = carom::ShapeMatrix::Identity(2, 2);
  both.heights = {0, 0};
  both.start.position = Eigen::Vector2d(1e-5, 2e-5);
  both.start.velocity = Eigen::Vector2d(-1, -0.7);
  both.law = HuntCrossley{.stiffness = 1e9, .mu = 0.2};
  both.rate = 3e5;
  ModalPlain pair(both);
  std::vector<ModalPlain> alone;
  for (int i = 0; i < 2; ++i) {
    ModalProblem one = both;
    one.body.modes = {both.body.modes[static_cast<std::size_t>(i)]};
    one.body.shapes = carom::ShapeMatrix::Ones(1, 1);
    one.heights = {0};
    one.start.position = both.start.position.segment(i, 1);
    one.start.velocity = both.start.velocity.segment(i, 1);
    alone.emplace_back(one);
  }
  for (int n = 0; n < 300; ++n) {
    pair.step();
    for (int i = 0; i < 2; ++i) {
      alone[static_cast<std::size_t>(i)].step();
      ASSERT_NEAR(pair.position()[i], alone[static_cast<std::size_t>(i)].position()[0], 1e-15);
    }
  }
  EXPECT_GT(pair.difference()[0], 0);
  EXPECT_GT(pair.difference()[1], 0);
}

TEST(NonsmoothContact, AFlatObstacleReturnsTheStringToItsShape) {
  // An ideal lossless string, L = T = mu = 1, released as the unit triangle over a flat obstacle at
  // -1/2 with perfect restitution. By d'Alembert its flat top falls at speed 2 and meets the
  // obstacle all at once at t = 3/4, while the flanks are at rest: every velocity is reversed, the
  // motion runs backwards, and at t = 3/2 the triangle is back, at rest.
  const auto run = [](int modes, double rate) {
    ModalProblem problem;
    std::vector<double> x;
    for (int j = 1; j <= modes; ++j) {
      problem.body.modes.push_back({.frequency = j / 2.0});
      x.push_back(static_cast<double>(j) / (modes + 1));
    }
    problem.body.shapes = cases::string_shapes(x, 1.0, modes);
    problem.heights.assign(x.size(), -0.5);
    problem.start.position.resize(modes);
    for (int j = 1; j <= modes; ++j) {
      problem.start.position[j - 1] =
          std::sqrt(2.0) * 4 * std::sin(j * M_PI / 2) / (M_PI * M_PI * j * j);
    }
    problem.law = carom::NewtonRestitution{.restitution = 1};
    problem.rate = rate;
    ModalPlain plain(problem);
    double deepest = 0;
    while (plain.time() < 1.5) {
      plain.step();
      deepest = std::min(deepest, (problem.body.shapes * plain.position()).minCoeff());
    }
    const Eigen::VectorXd back = problem.body.shapes * (plain.position() - problem.start.position);
    EXPECT_NEAR(plain.ledger().stored(), plain.ledger().initial(),
                1e-10 * plain.ledger().initial());
    return std::pair(-0.5 - deepest, back.norm() / std::sqrt(static_cast<double>(modes)));
  };
  const auto [coarse_depth, coarse_error] = run(39, 400);
  const auto [fine_depth, fine_error] = run(159, 6400);
  EXPECT_GT(coarse_depth, 0);
  EXPECT_LT(fine_depth, 0.5 * coarse_depth);  // penetration is a step's worth of motion
  EXPECT_LT(fine_error, 0.5 * coarse_error);
  EXPECT_LT(fine_error, 0.02);
}

#define NEED_STRING_DATA()                                                            \
  if (cases::string_data().empty() || !std::filesystem::exists(cases::string_data())) \
  GTEST_SKIP() << "the measured strings are not here (set CAROM_SHARED)"

TEST(CompliantContact, AgreesWithNonsmoothOnThePointBridge) {
  NEED_STRING_DATA();
  // issanchou2018 Fig. 2, K = 1e13, alpha = 1.5, at the output point over 10 ms and 2 MHz.
  ModalProblem problem = cases::point_bridge(0);
  problem.rate = 2e6;
  ModalProblem compliant = problem;
  compliant.law = carom::PowerLaw{.stiffness = 1e13, .exponent = 1.5};
  carom::ModalMarch hard(problem), soft(compliant);
  const Eigen::VectorXd out =
      cases::string_shapes({0.992}, 1.002, static_cast<int>(problem.body.mode_count()))
          .row(0)
          .transpose();
  double difference = 0, size = 0;
  for (int n = 0; n < 200; ++n) {
    hard.advance(100);
    soft.advance(100);
    difference += std::pow(out.dot(hard.position() - soft.position()), 2);
    size += std::pow(out.dot(hard.position()), 2);
  }
  EXPECT_EQ(soft.statistics().unsolved, 0);
  EXPECT_LT(std::sqrt(difference / size), 0.02);
  RecordProperty("relative_difference", std::to_string(std::sqrt(difference / size)));
  std::printf("compliant against nonsmooth at the output, 10 ms: %.3g %%\n",
              100 * std::sqrt(difference / size));
}

}  // namespace
