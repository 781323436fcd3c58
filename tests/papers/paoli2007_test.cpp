#include "checked_paper.hpp"
#include "data.hpp"

namespace carom {
namespace {

// The quick set: the whole takes two CPU minutes, and what it adds is covered by bar_drop_test.cpp.
TEST(Paoli2007, EnergiesAreReproducedAndBandsHoldTheReference) {
  const CheckedPaper paper("paoli2007", true);
  EXPECT_EQ(paper.count(Verdict::not_reproducible),
            13);  // Table 5, 30 to 60 degrees, and the printed curve (f)
  // Gravity, start and layout were recovered from these numbers.
  EXPECT_EQ(paper.verdict("Table 3", "45 deg W_exp"), Verdict::recomputed);
  EXPECT_EQ(paper.verdict("Table 3", "30 deg maximum"), Verdict::recomputed);
  EXPECT_EQ(paper.verdict("Table 5", "90 deg maximum"), Verdict::recomputed);
  EXPECT_EQ(paper.verdict("Table 2", "45 deg W_exp"), Verdict::differs);
  EXPECT_EQ(paper.verdict("Sect. 5.1", "largest s_rel of the printed tables"), Verdict::differs);
  EXPECT_EQ(paper.count(Verdict::reproduced), 0);
  EXPECT_EQ(paper.verdict("Sect. 5.1", "largest |d_rel| of our medians"), Verdict::consistent);
  EXPECT_EQ(paper.verdict("Sect. 5.1",
                          "largest change of the energy before the first impact, "
                          "relative"),
            Verdict::consistent);
  EXPECT_EQ(paper.verdict("Fig. 4", "contact intervals at 65 degrees"), Verdict::consistent);
  EXPECT_EQ(paper.verdict("Fig. 3", "CPU time, model 1, event-driven"), Verdict::not_judged);

  // W_exp, to the digits of an independent program.
  const auto reference = support::reference("impacting_bar.json");
  for (const char* angle : {"30", "45", "60", "90"}) {
    for (const char* table : {"Table 2", "Table 3", "Table 4", "Table 5"}) {
      EXPECT_NEAR(paper.ours(table, std::string(angle) + " deg W_exp"),
                  reference["W_exp_event_driven"][angle].get<double>(), 1e-13);
    }
  }
  // Table 5 at 90 degrees is the one column of losses that is not chaotic.
  EXPECT_NEAR(paper.ours("Table 5", "90 deg d_rel"), 1.739e-4, 0.05e-4);
  EXPECT_NEAR(paper.ours("Table 5", "90 deg s_rel"), 2.93e-5, 0.15e-5);
  // In Table 3 every printed loss lies in our band.
  for (const auto& [angle, printed] :
       {std::pair{"30", 0.0018814}, {"45", 0.0021392}, {"60", 0.0045401}, {"90", 0.0088352}}) {
    const std::string name = std::string(angle) + " deg d_rel, ";
    EXPECT_LT(paper.ours("Table 3", name + "lowest"), printed) << angle;
    EXPECT_GT(paper.ours("Table 3", name + "highest"), printed) << angle;
  }
  // The continuous bar, by a program in Python: one contact interval from 72 degrees.
  EXPECT_EQ(paper.ours("Fig. 7", "our curve (f): one contact interval from"), 72);
  EXPECT_NEAR(paper.ours("Fig. 7", "our curve (f): apparent restitution at 90 degrees"), 1, 1e-9);
  EXPECT_EQ(paper.verdict("Fig. 7",
                          "our curve (f) against (c), e = 0.5, largest difference from 72 degrees"),
            Verdict::consistent);
  // 1 + 3/(2n) + 0.129 n^(-2/3) - 0.79 n^(-4/3): see BarDrop.VerticalBarTendsToTheWaveSolution.
  EXPECT_NEAR(paper.ours("Sect. 5.2", "contact time / (2 l/c), n = 64"), 1.0284, 0.002);
}

}  // namespace
}  // namespace carom
