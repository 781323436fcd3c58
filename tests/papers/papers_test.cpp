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
reason = "because"
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
  EXPECT_EQ(items[1].verdict, Verdict::no_published_number);
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
reason = "because"
[[item.number]]
quantity = "v~_out"
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
  const std::string page = paper_page({&drawn, 1});
  for (const char* part :
       {"A &lt;title&gt;", "x<sup>n+1</sup> and v<sub>out</sub> &lt; μ", "e<sup>-(1+u)</sup>",
        "v\u0303<sub>out</sub>", ">differs</span>", "because", "<svg", "a caption"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(page.find("<?xml"), std::string::npos);
  EXPECT_EQ(drawn.file_name(0), "k_fig_1.svg");
}

TEST(Reproduction, NoNumberOfOursIsNotReproducible) {
  Reproduction paper(read_published("[paper]\nkey=\"k\"\n[[item]]\nname=\"F\"\n[[item.number]]\n"
                                    "quantity=\"q\"\npublished=\"2\"\nreason=\"r\"\n"),
                     false);
  paper.set("F", "q", std::nan(""));
  EXPECT_EQ(paper.items()[0].verdict, Verdict::not_reproducible);
  EXPECT_FALSE(paper.items()[0].ours.has_value());
}

}  // namespace
}  // namespace carom
