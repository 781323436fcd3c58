#include <algorithm>
#include <cmath>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/papers/papers.hpp>

#include "data.hpp"

namespace carom {
namespace {

// A new paper comes with its data, a page for people and a test of its own.
TEST(Papers, EachHasDataReadmeAndTest) {
  const std::filesystem::path root = CAROM_SOURCE_DIR;
  for (const std::string_view key : paper_keys()) {
    EXPECT_TRUE(exists(root / "papers" / key / "published.toml")) << key;
    EXPECT_TRUE(exists(root / "papers" / key / "README.md")) << key;
    EXPECT_TRUE(exists(root / "tests/papers" / (std::string(key) + "_test.cpp"))) << key;
  }
}

TEST(Papers, UnknownKeyIsRefusedWithTheNearestOne) {
  try {
    (void)reproduce("papeti2011");
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("papetti2011"), std::string::npos);
  }
}

TEST(Reproduction, RefusesNumbersThatAreNotListedAndMissesThoseThatAreNotSet) {
  const char* toml = R"([paper]
key = "k"
[[item]]
name = "Table 1"
columns = ["a", "b"]
rows = ["r"]
published = [["1.5", "?"]]
[[item.note]]
cells = ["a r"]
because = "why"
[[reason]]
id = "why"
text = "because"
)";
  Reproduction paper(read_published(toml), false);
  EXPECT_THROW(paper.set("Table 2", "a r", 1), std::logic_error);
  EXPECT_THROW(paper.set("Table 1", "c r", 1), std::logic_error);
  EXPECT_THROW((void)paper.items(), std::logic_error);
  paper.set("Table 1", "a r", 1.7);
  paper.set("Table 1", "b r", 2);
  const auto items = paper.items();
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].verdict, Verdict::differs);
  EXPECT_EQ(items[0].reason, "because");
  EXPECT_FALSE(items[0].reason_holds);  // nobody tested it
  EXPECT_EQ(items[1].verdict, Verdict::no_published_number);
  EXPECT_THROW(paper.check("what", true, ""), std::logic_error);
  paper.check("why", true, "1 < 2");
  EXPECT_TRUE(paper.items()[0].reason_holds);
  EXPECT_EQ(paper.items()[0].evidence, "1 < 2");
  paper.check("why", false, "2 < 1");
  EXPECT_FALSE(paper.items()[0].reason_holds);
}

TEST(Reproduction, BasisDecidesWhatAgreementIsWorth) {
  const char* toml = R"([paper]
key = "k"
[[item]]
name = "A"
[[item.number]]
quantity = "printed"
published = "1.5"
[[item.number]]
quantity = "inferred"
published = "1.5"
basis = "inferred"
[[item.number]]
quantity = "recomputed"
published = "1.5"
basis = "recomputed"
[[item.number]]
quantity = "claim"
claim = ">1"
[[item.number]]
quantity = "time"
published = "1.5"
basis = "time"
[[item.number]]
quantity = "lost"
reproducible = false
)";
  const auto verdicts = [&](double ours) {
    Reproduction paper(read_published(toml), false);
    for (const char* quantity : {"printed", "inferred", "recomputed", "claim", "time"}) {
      paper.set("A", quantity, ours);
    }
    paper.set("A", "lost", std::nan(""));
    std::vector<Verdict> found;
    for (const PaperItem& line : paper.items()) found.push_back(line.verdict);
    return found;
  };
  using enum Verdict;
  EXPECT_EQ(verdicts(1.54), (std::vector{reproduced, inferred, recomputed, consistent, not_judged,
                                         not_reproducible}));
  EXPECT_EQ(verdicts(0.9),
            (std::vector{differs, differs, differs, differs, not_judged, not_reproducible}));
}

/// What a claim is taken for says what failed, and the reason why.
TEST(Reproduction, AClaimThatFailsKeepsItsNote) {
  Reproduction paper(read_published(R"([paper]
key = "k"
[[reason]]
id = "why"
text = "Because."
[[item]]
name = "A"
[[item.number]]
quantity = "a"
claim = "<1"
note = "Taken as below 1."
because = "why"
)"),
                     false);
  paper.set("A", "a", 2);
  EXPECT_EQ(paper.items()[0].reason, "Taken as below 1. Because.");
}

TEST(PaperPage, HoldsTablesFiguresReasonsAndMathematicsEscaped) {
  const char* toml = R"toml([paper]
key = "k"
title = "A <title>"
[[item]]
name = "Fig. 1"
title = "x^(n+1) and v_out < mu"
[[item.number]]
quantity = "e^-(1+u)"
published = "0.25"
because = "why"
[[item.number]]
quantity = "v~_out"
[[reason]]
id = "why"
text = "because"
)toml";
  Reproduction paper(read_published(toml), false);
  paper.set("Fig. 1", "e^-(1+u)", 0.5);
  paper.set("Fig. 1", "v~_out", 3);
  paper.draw(
      "Fig. 1", "a caption",
      {.title = "",
       .panels = {
           {.title = "", .x_label = "x", .y_label = "y", .series = {{"line", {0, 1}, {1, 0}}}}}});
  const DrawnPaper drawn(paper);
  const std::string page = paper_page(drawn);
  for (const char* part :
       {"A &lt;title&gt;", "x<sup>n+1</sup> and v<sub>out</sub> &lt; μ", "e<sup>-(1+u)</sup>",
        "v\u0303<sub>out</sub>", "≠<span class=\"word\"> differs</span>", "because", "<svg",
        "a caption"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("<?xml"), std::string::npos);
  EXPECT_EQ(drawn.file_name(0), "k_fig_1.svg");
}

TEST(Reproduction, NoNumberOfOursIsNotReproducible) {
  Reproduction paper(read_published("[paper]\nkey=\"k\"\n[[item]]\nname=\"F\"\n[[item.number]]\n"
                                    "quantity=\"q\"\npublished=\"2\"\n"),
                     false);
  paper.set("F", "q", std::nan(""));
  EXPECT_EQ(paper.items()[0].verdict, Verdict::not_reproducible);
  EXPECT_FALSE(paper.items()[0].ours.has_value());
}

}  // namespace
}  // namespace carom
