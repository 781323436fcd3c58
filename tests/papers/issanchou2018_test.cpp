#include <cstdlib>

#include "checked_paper.hpp"
#include "data.hpp"

namespace carom {
namespace {

TEST(Issanchou2018, TablesComeBackAndClaimsHold) {
  if (const auto folder = support::shared_folder(); !folder.empty()) {
    setenv("CAROM_SHARED", folder.c_str(), 1);
  }
  // The quick set: the whole takes minutes of long runs at high rates.
  const CheckedPaper paper("issanchou2018", true);
  const bool measured = paper.ours("Data", "measured modes used") > 0;
  // Inputs are not results, and times are not judged.
  EXPECT_EQ(paper.verdict("Table II", "B"), Verdict::recomputed);
  for (const char* input : {"frets", "largest initial displacement", "at"}) {
    EXPECT_EQ(paper.verdict("Fig. 6", input), Verdict::recomputed) << input;
  }
  EXPECT_EQ(paper.verdict("Table III", "1000 kHz nonsmooth: total"), Verdict::not_judged);
  EXPECT_EQ(paper.verdict("Fig. 4", "first period ends"), Verdict::reproduced);
  EXPECT_EQ(paper.verdict("Fig. 4", "second period ends"), Verdict::differs);
  EXPECT_EQ(paper.verdict("Fig. 7", "last contact at 4 MHz"),
            measured ? Verdict::differs : Verdict::not_reproducible);
  if (measured) {
    EXPECT_NEAR(paper.ours("Fig. 7", "last contact at 4 MHz"), 0.0694, 2e-4);
  }
  EXPECT_NEAR(paper.ours("Table II", "B"), 1.78e-5, 1e-9);
  // Restitution has no visible effect on the point bridge, nor has compliance.
  EXPECT_LT(paper.ours("Fig. 2", "restitution 0 against 1"), 1.0);
  EXPECT_LT(paper.ours("Fig. 2", "compliant against restitution 0"), 1.0);
  // errata.md, item 8.
  EXPECT_NEAR(paper.ours("Fig. 4", "first period ends"), 3.796, 0.01);
  EXPECT_NEAR(paper.ours("Fig. 4", "second period ends"), 8.884, 0.02);
  // The compliant force is one per unit length: bounces and oscillation are similar.
  EXPECT_NEAR(paper.ours("Fig. 4", "bounces with restitution 1 over the compliant oscillation"), 1,
              0.5);
  EXPECT_LT(paper.ours("Fig. 5", "at 8 MHz"), paper.ours("Fig. 5", "at 2 MHz"));
  // The bridge feeds the even partials that a pluck in the middle leaves out.
  EXPECT_GT(paper.ours("Fig. 3", "second partial against first"),
            paper.ours("Fig. 3", "the same without the bridge") + 20);
  // The formant descends.
  for (const char* method : {"compliant", "nonsmooth"}) {
    EXPECT_EQ(paper.verdict("Fig. 3", std::string("late formant over early one, ") + method),
              Verdict::consistent);
  }
  // Compiled, the full grid costs far more than twice a single point.
  EXPECT_EQ(paper.verdict("Table III, ratios", "gain of taking the obstacle only, 1000 kHz"),
            Verdict::differs);
  EXPECT_EQ(paper.reproduction().sounds().size(), 6u);
  for (const char* scheme : {"scaled", "printed"}) {
    EXPECT_LT(paper.ours("Convergence of the bass",
                         std::string("4 MHz ") + scheme + ", 10 ms against 8 MHz"),
              paper.ours("Convergence of the bass",
                         std::string("1 MHz ") + scheme + ", 10 ms against 8 MHz"));
  }
}

}  // namespace
}  // namespace carom
