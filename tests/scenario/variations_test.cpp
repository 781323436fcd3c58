#include <gtest/gtest.h>

#include <carom/scenario/variations.hpp>

#include "process.hpp"

namespace carom {
namespace {

class Variations : public ::testing::Test {
 protected:
  support::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.write("bounce.toml",
                                              "kind = \"bounce\"\n[body]\nmass = 0.01\nspeed = 1\n"
                                              "[contact]\nlaw = \"newton\"\n");
};

TEST_F(Variations, GiveTheSameScenarioAsOverridesOnTheCommandLine) {
  const std::vector<Assignment> shared{{"run.impacts", 7, "[set]"}};
  const ScenarioVariations variations(file_, shared);
  for (const double restitution : {0.1, 0.25, 1.0 / 3.0}) {
    const std::vector<Assignment> changes{{"contact.restitution", restitution, "grid"}};
    const std::vector<Override> overrides{{"run.impacts", "7"},
                                          {"contact.restitution", number_text(restitution)}};
    EXPECT_EQ(variations.with(changes).values(), load_scenario(file_, overrides).values());
  }
}

TEST_F(Variations, DoNotDisturbEachOther) {
  const ScenarioVariations variations(file_);
  const std::vector<Assignment> whole{{"contact.restitution", 0.5, "a"}, {"run.impacts", 3, "a"}};
  const std::vector<Assignment> part{{"contact.restitution", 0.5, "b"}};
  EXPECT_EQ(variations.with(whole).whole_number("run.impacts"), 3);
  EXPECT_EQ(variations.with(part).whole_number("run.impacts"), 20);
}

TEST_F(Variations, NameTheOriginOfABadValue) {
  const ScenarioVariations variations(file_);
  const std::vector<Assignment> bad{{"contact.restitution", 1.5, "sweep.toml:4:1"}};
  try {
    variations.with(bad);
    FAIL() << "a restitution of 1.5 was accepted";
  } catch (const ScenarioError& error) {
    ASSERT_EQ(error.problems().size(), 1u);
    EXPECT_EQ(error.problems()[0].where, "sweep.toml:4:1");
    EXPECT_NE(error.problems()[0].message.find("contact.restitution = 1.5"), std::string::npos);
  }
}

TEST_F(Variations, KnowTheDeclarationOfAKey) {
  const ScenarioVariations variations(file_);
  ASSERT_NE(variations.field("run.impacts"), nullptr);
  EXPECT_EQ(variations.field("run.impacts")->type, ValueType::whole_number);
  EXPECT_EQ(variations.field("seed")->type, ValueType::whole_number);
  EXPECT_EQ(variations.field("body.mass")->unit, "kg");
  EXPECT_EQ(variations.field("body.colour"), nullptr);
  EXPECT_EQ(variations.field("colour"), nullptr);
}

}  // namespace
}  // namespace carom
