#include "checked_paper.hpp"

namespace carom {
namespace {

TEST(Papetti2011, IsReproducedButForTheKnownCells) {
  const CheckedPaper paper("papetti2011");
  EXPECT_EQ(paper.counts(), (Counts{150, 13, 2}));
  for (const PaperItem& line : paper.items()) {
    if (!line.item.starts_with("Table I") || line.item.starts_with("Table IV")) continue;
    if (!line.published) continue;
    const bool known = line.item == "Table III(b)" && line.quantity.starts_with("AM1");
    EXPECT_EQ(line.verdict, known ? Verdict::not_reproducible : Verdict::reproduced)
        << line.item << ", " << line.quantity << ": " << line.ours.value_or(0);
  }

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

  // What is counted is what was run.
  EXPECT_LT(
      paper.ours("Table IV(a)", "counted step against the one that made the tables, relative"),
      1e-13);
}

}  // namespace
}  // namespace carom
