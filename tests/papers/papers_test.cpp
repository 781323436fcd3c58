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
