#include <carom/steppers/simulated_impact.hpp>

#include "checked_paper.hpp"

namespace carom {
namespace {

TEST(Papetti2011, VerdictsAreWhatTheAuditAllows) {
  const CheckedPaper paper("papetti2011");
  for (const PaperItem& line : paper.items()) {
    if (!line.item.starts_with("Table") || !line.published) continue;
    // Codings, restarts and rounded references were inferred from the printed numbers.
    const bool table_3_or_4 =
        line.item.starts_with("Table III") || line.item.starts_with("Table IV");
    if (table_3_or_4) {
      EXPECT_NE(line.verdict, Verdict::reproduced) << line.item << line.quantity;
    }
  }
  using enum Verdict;
  EXPECT_EQ(paper.verdict("Table I", "Verlet %dev(x)"), reproduced);
  EXPECT_EQ(paper.verdict("Table I", "AM1 %dev(x)"), inferred);
  EXPECT_EQ(paper.verdict("Table II(a)", "AM1 %dev(x)"), differs);  // cut off
  EXPECT_EQ(paper.verdict("Table II(b)", "RK4 %err(v_out)"), inferred);
  EXPECT_EQ(paper.verdict("Table III(b)", "AM1 accum. %err"), not_reproducible);
  EXPECT_EQ(paper.verdict("Table III(b)", "16x RK4 accum. %err"), differs);
  EXPECT_EQ(paper.verdict("Table IV(a)", "AM1 write"), differs);
  EXPECT_EQ(paper.verdict("Table IV(b)", "hybrid exp"), differs);
  // A formula of the paper at one exponent, not a printed number.
  EXPECT_EQ(paper.verdict("eq. 9", "exponent of m/k, alpha = 1.5"), Verdict::consistent);
  EXPECT_EQ(paper.verdict("Table IV(b)", "iterations on (6), mu v_in = 5"), Verdict::consistent);
  EXPECT_GT(paper.ours("Table III(b)", "stopping rules of Newton's method tried"), 1000);

  // Values found by an independent program, to the digits it gave.
  EXPECT_NEAR(paper.ours("Fig. 3", "error < 1 % for mu v_in below"), 1.65859, 1e-5);
  EXPECT_NEAR(paper.ours("Fig. 3", "error < 0.1 % for mu v_in above"), 8.05366, 1e-5);
  EXPECT_NEAR(paper.ours("Fig. 3", "largest error"), 2.045, 1e-3);
  EXPECT_NEAR(paper.ours("Fig. 5", "v_out [m/s] f_e = 4mg"), -0.42419942293215527, 1e-12);
  EXPECT_NEAR(paper.ours("Fig. 5", "x_max [m] f_e = 4mg"), 1.5115609055859041e-4, 1e-16);
  EXPECT_NEAR(paper.ours("Waveform errors", "Verlet plain"), 16.9, 0.05);
  EXPECT_NEAR(paper.ours("Waveform errors", "Verlet hybrid"), 37.1, 0.05);
  EXPECT_NEAR(paper.ours("Table II(a)", "v~_out (7) %err(v_out), exact reference"), -3.0e-10,
              5e-12);

  // carom's own steppers, started and released on samples, are the methods of the paper.
  for (const auto& [method, column] :
       {std::pair{ContactMethod::trapezoid, "AM1"}, std::pair{ContactMethod::verlet, "Verlet"},
        std::pair{ContactMethod::heun, "Heun"}, std::pair{ContactMethod::rk4, "RK4"}}) {
    const SimulatedImpact run = simulate_impact(
        HuntCrossley{.stiffness = 1e9, .exponent = 1.5, .mu = 0.5}, {.mass = 0.01, .speed = 1.0},
        {.method = method, .rate = 44100, .events = Events::sample});
    const std::string name(column);
    // Newton's method in the trapezoid stops at its own tolerance.
    EXPECT_NEAR(run.error.dev_x_percent, paper.ours("Table II(b)", name + " %dev(x)"), 1e-9)
        << name;
    EXPECT_NEAR(run.error.rebound_speed_percent,
                paper.ours("Table II(b)", name + " %err(v_out), exact reference"), 1e-9)
        << name;
    EXPECT_NEAR(run.error.dev_energy_percent,
                paper.ours("Table II(b)", name + " %dev(H), exact reference"), 1e-9)
        << name;
  }
  // The default method: 100 rebounds to 1e-9 of the energy.
  EXPECT_LT(std::abs(paper.ours("Methods of carom", "case 1, 100 rebounds, %err(H) passive")),
            1e-7);
  EXPECT_LT(std::abs(paper.ours("Methods of carom", "case 2, 100 rebounds, %err(H) passive")),
            1e-7);

  // Of Table IV the explicit methods, the "15 to 40" iterations more for smaller mu.
  for (const PaperItem& line : paper.items()) {
    if (line.item == "Table IV(a)" && !line.quantity.starts_with("AM1") && line.published) {
      EXPECT_EQ(line.ours, line.published) << line.quantity;
    }
  }
  EXPECT_GT(paper.ours("Table IV(b)", "iterations on (6), mu v_in = 0.005"),
            paper.ours("Table IV(b)", "iterations on (6), mu v_in = 0.5"));

  // What is counted is what was run.
  EXPECT_LT(
      paper.ours("Table IV(a)", "counted step against the one that made the tables, relative"),
      1e-13);
}

}  // namespace
}  // namespace carom
