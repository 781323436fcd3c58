#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include <carom/steppers/modal_plain.hpp>

#include "string_cases.hpp"

namespace {

using carom::ModalPlain;
using carom::ModalProblem;

struct Comparison {
  double output = 0, contacts = 0;  // largest deviations [m]
  double impulse = 0, largest = 0;  // largest deviation, largest value [N s]
  std::set<std::pair<long long, int>> ours, theirs;
};

// Runs 20 ms and compares every sample of the output point and of all contacts.
Comparison compare(const ModalProblem& problem, const std::string& name, double output,
                   double length) {
  const auto folder = support::shared_folder() / "reference" / "strings";
  const auto displacement = cases::read_table(folder / (name + "_displacement.csv.gz"));
  const auto impulses = cases::read_table(folder / (name + "_impulses.csv.gz"));
  const auto count = static_cast<int>(problem.heights.size());
  const carom::ShapeMatrix out =
      cases::string_shapes({output}, length, static_cast<int>(problem.body.mode_count()));
  Comparison result;
  const long long last = 20000;
  std::map<std::pair<long long, int>, double> theirs;
  for (std::size_t i = 0; i < impulses.at("step").size(); ++i) {
    const auto step = static_cast<long long>(impulses.at("step")[i]);
    if (step > last) continue;
    const auto contact = static_cast<int>(impulses.at("contact")[i]);
    result.theirs.insert({step, contact});
    theirs[{step, contact}] = impulses.at("impulse_N_s")[i];
  }
  ModalPlain plain(problem);
  for (std::size_t n = 1; n <= static_cast<std::size_t>(last); ++n) {
    plain.step();
    result.output = std::max(
        result.output, std::abs(out.row(0).dot(plain.position()) - displacement.at("u_out_m")[n]));
    for (int c = 0; c < count; ++c) {
      const std::string column =
          count == 1 ? "u_contact_m" : "u_fret" + std::to_string(c + 1) + "_m";
      result.contacts = std::max(
          result.contacts,
          std::abs(problem.body.shapes.row(c).dot(plain.position()) - displacement.at(column)[n]));
      if (!plain.touched() || !(plain.impulses()[c] > 0)) continue;
      result.ours.insert({plain.steps(), c + 1});
      const double reference = theirs[{plain.steps(), c + 1}];
      result.impulse = std::max(result.impulse, std::abs(plain.impulses()[c] - reference));
      result.largest = std::max(result.largest, reference);
    }
  }
  return result;
}

// 1e-10 m: the printed digits of the reference hold 1e-17 m; two programs that sum 1000 modes in
// different orders part by 1e-12 m in 20 ms, impacts included.
void expect_same(const Comparison& result) {
  EXPECT_LE(result.output, 1e-10);
  EXPECT_LE(result.contacts, 1e-10);
  EXPECT_FALSE(result.theirs.empty());
  EXPECT_EQ(result.ours, result.theirs);
  // Not ours: the same steps in 80-bit arithmetic give our impulses to 2e-13 of the largest one
  // over these 20 ms. The reference forms 1 + e - A, which cancels at low frequencies; a program
  // that does the same parts from ours by the same 3.4e-9 and follows the reference to 2e-12.
  EXPECT_LE(result.impulse, 1e-8 * result.largest);
}

#define NEED_STRING_DATA()                                                            \
  if (cases::string_data().empty() || !std::filesystem::exists(cases::string_data())) \
  GTEST_SKIP() << "the measured strings are not here (set CAROM_SHARED)"

TEST(ModalPlain, PointBridgeInelasticFollowsSiconos) {
  NEED_STRING_DATA();
  expect_same(compare(cases::point_bridge(0), "one_contact_1MHz_rho0", 0.992, 1.002));
}

TEST(ModalPlain, PointBridgeElasticFollowsSiconos) {
  NEED_STRING_DATA();
  expect_same(compare(cases::point_bridge(1), "one_contact_1MHz_rho1", 0.992, 1.002));
}

TEST(ModalPlain, BassFollowsSiconos) {
  NEED_STRING_DATA();
  expect_same(compare(cases::bass(1), "bass_1MHz_rho1", 0.854, 0.863));
}

// An ideal string of 60 modes over three points, one of them above it.
ModalProblem small_string(double restitution, double damping) {
  ModalProblem problem;
  for (int j = 1; j <= 60; ++j) {
    problem.body.modes.push_back({.frequency = 100.0 * j * (1 + 1e-4 * j * j),
                                  .damping = damping * (1 + 0.01 * j * j),
                                  .mass = 1e-3});
  }
  problem.body.shapes = cases::string_shapes({0.1, 0.37, 0.8}, 1.0, 60);
  problem.heights = {-1e-4, -3e-4, 6e-4};
  problem.sides = {carom::Side::above, carom::Side::above, carom::Side::below};
  problem.start.position.resize(60);
  for (int j = 1; j <= 60; ++j) {
    problem.start.position[j - 1] = 1e-3 * std::sin(j * M_PI * 0.3) / (j * j);
  }
  problem.law = carom::NewtonRestitution{.restitution = restitution};
  problem.rate = 192000;
  return problem;
}

TEST(ModalPlain, ElasticImpactsConserveTheSchemesEnergy) {
  // The identity in the header is exact for rho = 1, so only rounding is left: 40 000 steps of
  // 1e-16.
  const ModalProblem problem = small_string(1, 0);
  ModalPlain plain(problem);
  long long touched = 0;
  while (plain.steps() < 40000) {
    plain.step();
    touched += plain.touched();
  }
  EXPECT_GT(touched, 100);
  EXPECT_NEAR(plain.ledger().stored(), plain.ledger().initial(), 1e-11 * plain.ledger().initial());
}

TEST(ModalPlain, LosesOnlyWhatTheLedgerSays) {
  for (const double restitution : {0.0, 0.4, 0.9}) {
    ModalPlain plain(small_string(restitution, 2));
    long long touched = 0;
    while (plain.steps() < 40000) {
      plain.step();
      touched += plain.touched();
    }
    const carom::Ledger& ledger = plain.ledger();
    EXPECT_GT(touched, 100);
    EXPECT_GT(plain.contacts().energy().dissipated, 0);
    // The bound of the scheme: no more than sum p (1 - rho) v/2 over impulses on leaving points.
    EXPECT_NEAR(ledger.residual(), plain.contacts().energy().gained, 1e-11 * ledger.initial());
    EXPECT_LT(plain.contacts().energy().gained, 1e-3 * ledger.initial());
  }
}

TEST(ModalPlain, ContactsAddNoMoreThanTheSchemesBound) {
  // contact_space.hpp: in a step with pushed points A the contacts change the energy by
  // kappa/2 p^T (delta - D p) <= kappa/8 delta^T D_AA^-1 delta, kappa = (1 - rho)/(1 + rho). Random
  // strings, points, rates and restitutions, the bound from the state before each step.
  std::mt19937_64 random(21);
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(random);
  };
  long long pushed_steps = 0, gaining = 0;
  double tightest = 0;
  for (int n = 0; n < 60; ++n) {
    SCOPED_TRACE("case " + std::to_string(n));
    const double rho = n % 6 == 0 ? 0.0 : n % 6 == 1 ? 1.0 : uniform(0, 1);
    ModalProblem problem = small_string(rho, uniform(0, 20));
    std::vector<double> x;
    for (int i = 0; i < 3; ++i) x.push_back(uniform(0.02, 0.98));
    problem.body.shapes = cases::string_shapes(x, 1.0, 60);
    problem.rate = std::exp(uniform(std::log(2e4), std::log(4e5)));
    for (double& height : problem.heights) height += uniform(-1e-4, 1e-4);
    const Eigen::MatrixXd compliance = contact_compliance(problem);
    const carom::ShapeMatrix shapes = signed_shapes(problem);
    const double kappa = (1 - rho) / (1 + rho);
    ModalPlain plain(problem);
    const double initial = plain.ledger().initial(), rounding = 1e-14 * initial;
    double allowed = 0;
    while (plain.steps() < 3000) {
      const Eigen::VectorXd q = plain.position(), dq = plain.difference();
      const carom::ContactEnergy energy = plain.contacts().energy();
      const double stored = plain.ledger().stored(), residual = plain.ledger().residual();
      plain.step();
      if (!plain.touched()) continue;
      Eigen::VectorXd taken(60);  // dq - dq_free of each mode
      for (int j = 0; j < 60; ++j) {
        const carom::ModeStep mode = mode_step(problem.body.modes[static_cast<std::size_t>(j)],
                                               1 / problem.rate, problem.scaling);
        taken[j] = (1 - mode.decay) * dq[j] + mode.stiffness * q[j];
      }
      std::vector<Eigen::Index> at;
      for (Eigen::Index i = 0; i < 3; ++i) {
        if (plain.impulses()[i] > 0) at.push_back(i);
      }
      const Eigen::VectorXd delta = (shapes * taken)(at), p = plain.impulses()(at);
      const Eigen::MatrixXd d = compliance(at, at);
      // In displacements per step: divided by dt for energies.
      const double change = kappa / 2 * p.dot(delta - d * p) * problem.rate;
      const double bound = kappa / 8 * delta.dot(d.fullPivLu().solve(delta)) * problem.rate;
      const double accounted = plain.contacts().energy().gained - energy.gained -
                               (plain.contacts().energy().dissipated - energy.dissipated);
      ASSERT_NEAR(accounted, change, rounding + 1e-9 * std::abs(change));
      ASSERT_LE(change, bound + rounding);
      ASSERT_LE(plain.ledger().stored(), stored + bound + rounding);
      ASSERT_NEAR(plain.ledger().residual() - residual,
                  plain.contacts().energy().gained - energy.gained, rounding);
      allowed += bound;
      ++pushed_steps;
      gaining += change > rounding;
      if (bound > rounding) tightest = std::max(tightest, change / bound);
    }
    EXPECT_LE(plain.ledger().stored(), initial + allowed + 1e-11 * initial);
  }
  EXPECT_GT(pushed_steps, 10000);
  EXPECT_GT(gaining, 10);    // it does happen
  EXPECT_GT(tightest, 0.5);  // and the bound is not idle
}

TEST(ModalPlain, FreeFlightIsExact) {
  // 10^6 steps of the recursion against the closed form: phase errors grow with the number of
  // steps, 1e-16 each, and stay below 1e-9 of the amplitude because q and its difference are kept
  // apart.
  ModalProblem problem;
  problem.body.modes = {{.frequency = 98, .damping = 0.2},
                        {.frequency = 5432, .damping = 3},
                        {.frequency = 3e5, .damping = 0},
                        {.frequency = 0, .damping = 0},
                        {.frequency = 10, .damping = 200}};
  problem.body.shapes.resize(0, 5);
  problem.start.position = Eigen::VectorXd::Ones(5);
  problem.start.velocity = Eigen::VectorXd::Constant(5, 2.0);
  problem.first_step = carom::ModalStart::exact;
  ModalPlain plain(problem);
  while (plain.steps() < 1000000) plain.step();
  const carom::ModalState exact = free_motion(problem.body, problem.start, plain.time());
  for (int j = 0; j < 5; ++j) EXPECT_NEAR(plain.position()[j], exact.position[j], 1e-9) << j;
}

TEST(ModalPlain, PublishedStartIsHalfAStepLate) {
  // issanchou2018 errata 3: w^0 = 0 as a backward difference puts the release dt/2 before t = 0.
  ModalProblem problem;
  problem.body.modes = {{.frequency = 1000}};
  problem.body.shapes.resize(0, 1);
  problem.start.position = Eigen::VectorXd::Ones(1);
  ModalPlain plain(problem);
  while (plain.steps() < 300) plain.step();
  const double omega = 2 * M_PI * 1000, t = plain.time() + 0.5e-6;
  EXPECT_NEAR(plain.position()[0], std::cos(omega * t) / std::cos(omega * 0.5e-6), 1e-12);
}

}  // namespace
