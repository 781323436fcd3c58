#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include <carom/contacts/system_march.hpp>
#include <carom/systems/line_assembly.hpp>

#include "run_system.hpp"

namespace carom {
namespace {

/// Equal spheres in a row, `gap` apart; the first comes in at 1 m/s.
LineAssembly chain(int count, double gap) {
  constexpr double diameter = 0.01;
  Assembly parts;
  for (int i = 0; i < count; ++i) {
    AssemblyBody ball;
    ball.mass = 0.01;
    ball.position = {i * (diameter + gap), 0.0};
    if (i == 0) ball.velocity = {1.0, 0.0};
    parts.bodies.push_back(ball);
    if (i > 0) parts.contacts.push_back({.first = i - 1, .second = i, .distance = diameter});
  }
  return LineAssembly(parts);
}

struct Passage {
  std::size_t impacts = 0;
  long long steps = 0;
  double first = 0.0, last = 0.0, residual = 0.0;
};

/// The wave passes through the whole chain.
template <class System>
Passage passage(const System& system, const MotionState& start, const AnyLaw& law, int count) {
  SystemMarch march(AnySystem(system), {law}, Surface::recovers, start,
                    {.rate = 1e4, .end = 5.2e-5 * count});
  Passage result;
  result.impacts = run(march, 5.2e-5 * count).size();
  EXPECT_EQ(march.status(), MarchStatus::going);
  result.steps = march.steps();
  result.first = march.velocity()[0];
  result.last = march.velocity()[count - 1];
  result.residual = march.ledger().residual() / march.ledger().initial();
  return result;
}

/// The same without its parts: everything takes part in every step.
struct Whole {
  LineAssembly line;
  int coordinates() const { return line.coordinates(); }
  int contacts() const { return line.contacts(); }
  void mass_matrix(const Eigen::VectorXd& q, Eigen::MatrixXd& M) const { line.mass_matrix(q, M); }
  void force(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
             Eigen::VectorXd& f) const {
    line.force(t, q, v, f);
  }
  double potential_energy(const Eigen::VectorXd& q) const { return line.potential_energy(q); }
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const { line.gaps(t, q, g); }
  void gap_gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const {
    line.gap_gradients(t, q, G);
  }
};

/// Counts how often a contact's gap is asked for.
struct Counted : LineAssembly {
  explicit Counted(LineAssembly line, long long& asked)
      : LineAssembly(std::move(line)), count(&asked) {}
  using LineAssembly::gaps;
  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
    *count += contacts();
    LineAssembly::gaps(t, q, g);
  }
  void gaps(double t, const Eigen::VectorXd& q, std::span<const int> some,
            Eigen::VectorXd& g) const {
    *count += static_cast<long long>(some.size());
    LineAssembly::gaps(t, q, some, g);
  }
  long long* count;
};

TEST(Chain, AWaveCostsAsMuchPerSphereInALongChainAsInAShortOne) {
  for (const double gap : {0.0, 1e-6}) {
    double per_sphere = 0.0;
    for (const int count : {60, 300}) {
      SCOPED_TRACE(count);
      const LineAssembly line = chain(count, gap);
      long long asked = 0;
      const Passage wave = passage(Counted(line, asked), line.start(), PowerLaw{1e9, 1.5}, count);
      // Steps a sphere, and gaps looked at: samples read all of them, the steps those of the wave.
      EXPECT_LE(wave.steps, 9 * count);
      const double read = 0.52 * count * (count - 1);  // samples times contacts
      const double cost = (static_cast<double>(asked) - read) / count;
      if (count == 60) per_sphere = cost;
      EXPECT_LE(cost, 1.5 * per_sphere);
      EXPECT_EQ(wave.impacts, static_cast<std::size_t>(count - 1));
      EXPECT_LE(std::abs(wave.residual), 1e-12);
    }
  }
}

/// With losses the row behind the wave stays pressed and takes part in every step; but only the
/// front needs many sweeps of it. Gaps looked at, in each step for each body that moves.
TEST(Chain, ALossyRowCostsItsBodiesTimesTheStepsOfItsFront) {
  std::vector<double> costs;
  for (const int count : {60, 240}) {
    SCOPED_TRACE(count);
    const LineAssembly line = chain(count, 0.0);
    long long asked = 0;
    const Passage wave =
        passage(Counted(line, asked), line.start(), HuntCrossley{1e9, 1.5, 0.1}, count);
    EXPECT_LE(wave.steps, 2.5 * count);
    EXPECT_LE(std::abs(wave.residual), 1e-12);
    const double read = 0.52 * count * (count - 1);  // samples times contacts
    costs.push_back((static_cast<double>(asked) - read) / static_cast<double>(wave.steps) / count);
  }
  EXPECT_LE(costs[0], 60.0);
  EXPECT_LE(costs[1], costs[0]);
}

TEST(Chain, BodiesThatWaitDoNotChangeTheMotion) {
  const int count = 30;
  const AnyLaw hertz = PowerLaw{1e9, 1.5}, lossy = HuntCrossley{1e9, 1.5, 0.1};
  const std::vector<std::pair<double, AnyLaw>> cases{
      {0.0, hertz}, {0.0, lossy}, {1e-6, hertz}, {1e-6, lossy}, {1e-6, KelvinVoigt{1e7, 20}}};
  for (const auto& [gap, law] : cases) {
    SCOPED_TRACE(law_name(law));
    const LineAssembly line = chain(count, gap);
    const Passage part = passage(line, line.start(), law, count),
                  whole = passage(Whole{line}, line.start(), law, count);
    EXPECT_NEAR(part.first, whole.first, 1e-10);
    EXPECT_NEAR(part.last, whole.last, 1e-10);
    EXPECT_LE(std::abs(part.residual), 1e-12);
  }
}

/// Of every law; balls of 10 g that meet at 1 m/s, touching.
TEST(Chain, TouchingRowsOfEveryLawEnd) {
  const Columns loop{{"compression", {0, 1e-4, 2e-4, 4e-4}}, {"loading", {0, 1000, 3000, 9000}}};
  const std::vector<AnyLaw> laws{PowerLaw{1e9, 1.5},
                                 HuntCrossley{1e9, 1.5, 0.5},
                                 HertzDamper{1e9, 1.5, 10},
                                 KelvinVoigt{1e7, 20},
                                 PowerDamper{1e9, 1.5, 2000, 0.7},
                                 Tsuji{1e9, 1.5, 200},
                                 KuwabaraKono{1e9, 1.5, 1e4},
                                 WaltonBraun{1e7, 3e7},
                                 JKR{1e9, 0.005, 0.1},
                                 ImpactFunction{1e9, 1.5, 10, 1e-5},
                                 ForceTable{ForceLoop(loop)},
                                 ForceFormula("k*x^1.3*(1+mu*v)", {{"k", 1e8}, {"mu", 0.3}})};
  ASSERT_EQ(laws.size(), std::variant_size_v<AnyLaw>);
  for (const AnyLaw& law : laws) {
    for (const int count : {5, 8, 20, 50}) {
      SCOPED_TRACE(std::string(law_name(law)) + " " + std::to_string(count));
      const LineAssembly line = chain(count, 0.0);
      const double end = 1e-4 * count;
      SystemMarch march(AnySystem(line), {law}, Surface::recovers, line.start(),
                        {.rate = 1e4, .end = end});
      carom::march(march, end, [&](const SystemMarch& now) {
        return now.status() == MarchStatus::going && now.steps() < 200 * count;
      });
      EXPECT_EQ(march.status(), MarchStatus::going);
      EXPECT_GE(march.time(), end);
      EXPECT_GT(march.velocity()[count - 1], 0.01);  // the wave has passed through
      const double energy = march.ledger().initial();
      EXPECT_LE(std::abs(march.ledger().residual()), 1e-12 * energy);
      EXPECT_GE(march.ledger().dissipated(), -1e-13 * energy);
      // Closing a lossless step scales the velocities by what its energy was off.
      EXPECT_NEAR(march.velocity().sum(), 1.0, 1e-12 * static_cast<double>(march.steps()));
    }
  }
}

}  // namespace
}  // namespace carom
