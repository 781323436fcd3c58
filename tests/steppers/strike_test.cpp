#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/steppers/simulated_strike.hpp>
#include <carom/steppers/wall_march.hpp>

#include "allocations.hpp"
#include "plates.hpp"

namespace carom {
namespace {

TEST(Strike, EnergyOfBodyModesAndLossesClosesEveryStep) {
  for (const int modes : {3, 64, 512})
    for (const double loss : {0.0, 2.0})
      for (const double k : {1e5, 5e8, 1e11})
        for (const AnyLaw& law : {AnyLaw{HuntCrossley{k, 1.5, 0.3}},
                                  AnyLaw{HertzDamper{k, 1.5, 30.0}}, AnyLaw{PowerLaw{k, 1.5}}}) {
          const StrikeRun run =
              simulate_strike(law, {.mass = 0.02, .speed = 1.5, .gap = 1e-4, .force = 0.2},
                              plate(modes, loss), {}, modes > 100 ? 0.005 : 0.02);
          const double scale = run.ledger.initial();
          EXPECT_LE(std::abs(run.ledger.worst_residual()), 1e-12 * scale)
              << modes << " " << loss << " " << k;
          EXPECT_TRUE(run.converged && run.passive_kept) << modes << " " << loss << " " << k;
          EXPECT_GE(run.ledger.dissipated(), -1e-13 * scale);
        }
}

TEST(Strike, OfAnEverHarderContactApproachesTheNonsmoothImpact) {
  // Newton's law with e = 1 between the body and the mass 1/sum(phi^2/m) of the hit point.
  const ModalBody body = small_plate();
  double mobility = 0;
  for (int j = 0; j < 3; ++j) mobility += std::pow(body.shapes(0, j), 2) / 0.08;
  const double mass = 0.02, v = 1.5, reduced = 1 / (1 / mass + mobility);
  const double after = v - 2 * reduced * v / mass;
  double previous = 1.0;
  for (const double k : {1e8, 1e10, 1e12}) {
    Strike march(PowerLaw{k, 1.5}, {.mass = mass, .speed = v}, body, {.rate = 44100});
    for (int i = 0; i < 100 && march.finished().empty(); ++i) march.step();
    const double error = std::abs(march.velocity() - after) / v;
    EXPECT_LT(error, 0.3 * previous) << k;
    previous = error;
  }
  EXPECT_LT(previous, 1e-3);
}

TEST(Strike, OfABodyThatRestsTakesNoMoreStepsThanSamples) {
  // At equilibrium the energy cannot be closed by moving: a step that tried to was refused and
  // halved again and again.
  ModalBody body = plate(80, 20.0);
  body.modes.erase(body.modes.begin());  // its rigid mode: the plate stays where it is
  body.shapes = body.shapes.rightCols(79).eval();
  Strike march(HuntCrossley{4e9, 1.5, 0.15}, {.mass = 0.0041, .speed = 0.01, .force = 0.0402}, body,
               {.rate = 96000});
  for (int i = 0; i < 48000; ++i) march.step();
  ASSERT_GT(march.compression(), 0);
  const long long before = march.steps();
  for (int i = 0; i < 9600; ++i) march.step();
  EXPECT_LT(march.steps() - before, 2 * 9600);
  EXPECT_TRUE(march.converged());
  EXPECT_LE(std::abs(march.ledger().worst_residual()), 1e-12 * march.ledger().initial());
}

#ifdef CAROM_COUNTS_ALLOCATIONS
TEST(Strike, StepDoesNotAllocate) {
  const long long start = support::allocations();
  auto* probe = new std::vector<double>(100);
  ASSERT_GT(support::allocations(), start);  // the counter counts
  delete probe;
  // A force brings the body back; the first contact may take memory for the impacts it records.
  for (const AnyLaw& law :
       {AnyLaw{HuntCrossley{5e8, 1.5, 0.3}}, AnyLaw{HertzDamper{5e8, 1.5, 30.0}}}) {
    Strike march(law, {.mass = 0.02, .speed = 1.5, .force = 20.0}, plate(64, 2.0), {});
    for (int i = 0; i < 200; ++i) march.step();
    const long long before = support::allocations();
    int contacts = 0;
    for (int i = 0; i < 4000; ++i) {
      march.step();
      contacts += static_cast<int>(march.finished().size());
    }
    EXPECT_GT(contacts, 0);
    EXPECT_EQ(support::allocations(), before);
  }
}

TEST(WallMarch, StepDoesNotAllocate) {
  const auto expect_none = [](auto& march) {
    const long long before = support::allocations();
    for (int i = 0; i < 20000; ++i) march.step();
    EXPECT_EQ(support::allocations(), before);
  };
  for (const ContactMethod method :
       {ContactMethod::passive, ContactMethod::event_driven, ContactMethod::trapezoid}) {
    const auto march = make_wall_march({.law = HuntCrossley{1e9, 1.5, 0.5},
                                        .method = method,
                                        .mass = 0.01,
                                        .force_in_contact = 0.0981,
                                        .force_in_flight = 0.0981,
                                        .velocity = 0.1});
    // The tables of collocation are made once, room for impacts with the first of them.
    for (int i = 0; i < 100; ++i) march->step();
    expect_none(*march);
  }
}
#endif

TEST(Strike, RefusesWhatCannotBe) {
  const HuntCrossley law{5e8, 1.5, 0.3};
  EXPECT_THROW(simulate_strike(law, {.mass = 0, .speed = 1}, small_plate(), {}, 1.0), InvalidInput);
  EXPECT_THROW(simulate_strike(law, {.mass = 1, .speed = 1}, small_plate(), {.rate = 0}, 1.0),
               InvalidInput);
  ModalBody one_point = small_plate();
  one_point.shapes.conservativeResize(1, 3);
  EXPECT_THROW(simulate_strike(law, {.mass = 1, .speed = 1}, one_point, {}, 1.0), InvalidInput);
}

}  // namespace
}  // namespace carom
