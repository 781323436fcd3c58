#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include <carom/contacts/system_march.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/moreau_jean.hpp>
#include <carom/steppers/paoli_schatzman.hpp>

#include "random_assemblies.hpp"

namespace carom {
namespace {

// The orders of the methods over assemblies that nobody has chosen: collocation to 1e-12 is the
// reference. Errors of single assemblies depend on where in a step a contact falls; their median
// does not.

constexpr int assemblies = 50;

template <class March>
Eigen::VectorXd state(const March& march) {
  constexpr double length = 0.01;  // makes a place comparable with a speed
  Eigen::VectorXd both(2 * march.position().size());
  both << march.position() / length, march.velocity();
  return both;
}

Eigen::VectorXd end_of(const LineAssembly& line, const std::vector<LawChoice>& laws,
                       SystemScheme scheme, double rate, double duration) {
  SystemMarch system(AnySystem(line), laws, Surface::recovers, line.start(),
                     {.scheme = scheme, .rate = rate, .closes_energy = false, .end = duration});
  march(system, duration, [](const SystemMarch&) { return true; });
  EXPECT_NEAR(system.time(), duration, 1e-12);
  return state(system);
}

/// The power of the step in an error that falls from `coarse` to `fine` where steps are `ratio`
/// times shorter.
void note_order(double coarse, double fine, double ratio, std::vector<double>& orders) {
  constexpr double rounding = 1e-12;
  if (fine > rounding) orders.push_back(std::log(coarse / fine) / std::log(ratio));
}

double median(std::vector<double> values) {
  EXPECT_GE(values.size(), 20U);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

using DrawLaw = std::function<LawChoice(Generator&)>;

LawChoice linear(Generator& draw) {
  const double k = std::pow(10, draw.uniform(3, 4.5));
  switch (draw.whole(0, 2)) {
    case 0:
      return AnyLaw(PowerLaw{k, 1.0});
    case 1:
      return AnyLaw(KelvinVoigt{k, draw.uniform(0, 0.3) * std::sqrt(k)});
    default:
      return AnyLaw(HuntCrossley{k, 1.0, draw.uniform(0, 0.5)});
  }
}

LawChoice hertz(Generator& draw) {
  const double k = std::pow(10, draw.uniform(5, 6));
  return AnyLaw(HuntCrossley{k, 1.5, draw.chance(0.5) ? 0.0 : draw.uniform(0, 0.5)});
}

LawChoice tsuji(Generator& draw) {
  const double k = std::pow(10, draw.uniform(5, 6));
  return AnyLaw(Tsuji{k, 1.5, draw.uniform(0.1, 0.5) * std::sqrt(k)});
}

/// A force that begins as t^p limits every method to order p + 1: p = 3/2 for Hertz's, 1/4 for the
/// damper of Tsuji et al.; steps end where a contact begins, so a jump does no harm.
TEST(RandomOrders, OfTheClassicalMethods) {
  struct Row {
    const char* name;
    DrawLaw law;
    double limit;
  };
  for (const Row& row :
       {Row{"linear", linear, 4.0}, Row{"hertz", hertz, 2.5}, Row{"tsuji", tsuji, 1.25}}) {
    for (const auto& [scheme, order] : {std::pair{SystemScheme::rk4, 4.0},
                                        {SystemScheme::heun, 2.0},
                                        {SystemScheme::verlet, 2.0},
                                        {SystemScheme::trapezoid, 2.0}}) {
      SCOPED_TRACE(testing::Message() << row.name << " " << static_cast<int>(scheme));
      // Where the beginning of the force limits a method of high order, the error depends on where
      // in a step that is.
      const int phases = row.limit < order && order > 2 ? 4 : 1;
      Generator generator(16);
      std::vector<double> orders;
      for (int n = 0; n < assemblies; ++n) {
        const LineAssembly line(generator.line());
        std::vector<LawChoice> laws;
        for (int i = 0; i < line.contacts(); ++i) laws.push_back(row.law(generator));
        constexpr double duration = 0.02, rate = 40e3;
        const Eigen::VectorXd exact = end_of(line, laws, SystemScheme::collocation, 1000, duration);
        const auto error = [&, scheme = scheme](double samples) {
          double largest = 0.0;
          for (int phase = 0; phase < phases; ++phase) {
            const double of_phase = samples * (1 + 0.09 * phase);
            largest =
                std::max(largest, (end_of(line, laws, scheme, of_phase, duration) - exact).norm());
          }
          return largest;
        };
        note_order(error(rate), error(4 * rate), 4, orders);
      }
      EXPECT_NEAR(median(orders), std::min(order, row.limit), 0.15);
    }
  }
}

/// Impacts without duration fall anywhere in a step: the largest error of several phases.
template <class Stepper, class Settings>
double order_with_impacts(const std::function<Settings(double step)>& settings) {
  Generator generator(16);
  std::vector<double> orders;
  for (int n = 0; n < assemblies; ++n) {
    const LineAssembly line(generator.line());
    const AnySystem system(line);
    std::vector<NewtonRestitution> laws;
    for (int i = 0; i < line.contacts(); ++i) laws.push_back({generator.uniform(0.5, 1)});
    constexpr double duration = 0.01, rate = 20e3;
    const Eigen::VectorXd exact = end_of(line, std::vector<LawChoice>(laws.begin(), laws.end()),
                                         SystemScheme::collocation, 1000, duration);
    const auto error = [&](double samples) {
      double largest = 0.0;
      for (int phase = 0; phase < 8; ++phase) {
        const double step = 1 / (samples * (1 + 0.1 * phase));
        Stepper stepper(system, laws, line.start(), settings(step));
        for (long i = std::lround(duration / step); i > 0; --i) stepper.step();
        largest = std::max(largest, (state(stepper) - exact).norm());
      }
      return largest;
    };
    note_order(error(rate), error(8 * rate), 8, orders);
  }
  return median(orders);
}

TEST(RandomOrders, OfTheNonsmoothMethods) {
  const double moreau = order_with_impacts<MoreauJean<AnySystem>, MoreauJeanSettings>(
      [](double step) { return MoreauJeanSettings{.common = {.step = step}}; });
  EXPECT_NEAR(moreau, 1.0, 0.15);
  const double paoli = order_with_impacts<PaoliSchatzman<AnySystem>, NonsmoothSettings>(
      [](double step) { return NonsmoothSettings{.step = step}; });
  EXPECT_NEAR(paoli, 1.0, 0.15);
}

}  // namespace
}  // namespace carom
