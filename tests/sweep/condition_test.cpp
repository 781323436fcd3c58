#include "condition.hpp"

#include <gtest/gtest.h>

#include <carom/core/error.hpp>

namespace carom {
namespace {

const std::vector<std::string> names{"a", "b.c", "name", "flag"};

bool holds(const std::string& text, double a = 1, double bc = 2) {
  const std::vector<Json> values{a, bc, "verlet", true};
  return Condition(text, names).holds(values);
}

TEST(Condition, ComparesNumbersTextsAndTruths) {
  EXPECT_TRUE(holds("a < b.c"));
  EXPECT_FALSE(holds("a >= b.c"));
  EXPECT_TRUE(holds("name == 'verlet' and flag == true"));
  EXPECT_TRUE(holds("name != \"rk4\""));
  EXPECT_TRUE(holds("flag"));
  EXPECT_FALSE(holds("not flag"));
}

TEST(Condition, ChainsComparisons) {
  EXPECT_TRUE(holds("0 < a < b.c <= 2"));
  EXPECT_FALSE(holds("0 < a < b.c < 2"));
}

TEST(Condition, FollowsTheUsualPrecedence) {
  EXPECT_TRUE(holds("a + b.c * 3 == 7"));
  EXPECT_TRUE(holds("(a + b.c) * 3 == 9"));
  EXPECT_TRUE(holds("-a + 1 == 0"));
  EXPECT_TRUE(holds("b.c - 1 - 1 == 0"));
  EXPECT_TRUE(holds("8 / b.c / 2 == 2"));
  EXPECT_TRUE(holds("a == 5 and a == 1 or b.c == 2"));
  EXPECT_FALSE(holds("a == 5 and (a == 1 or b.c == 2)"));
  EXPECT_TRUE(holds("not a == 5 and b.c == 2"));
  EXPECT_TRUE(holds("a<1e3"));
}

TEST(Condition, RefusesWhatItCannotRead) {
  for (const char* text : {"", "a <", "a < 1 b", "(a < 1", "a < 'x", "a @ 1", "c < 1", "1 +", "and",
                           "a < b.d", "1e999 > a"}) {
    EXPECT_THROW(Condition(text, names), InvalidInput) << text;
  }
  EXPECT_THROW(Condition(std::string(100000, '(') + "a", names), InvalidInput);
  EXPECT_THROW(Condition(std::string(100000, '-') + "a", names), InvalidInput);
}

TEST(Condition, RefusesToMixTypes) {
  EXPECT_THROW(holds("a == name"), InvalidInput);
  EXPECT_THROW(holds("name < 'z'"), InvalidInput);
  EXPECT_THROW(holds("a and flag"), InvalidInput);
  EXPECT_THROW(holds("name + 1 == 2"), InvalidInput);
}

TEST(Condition, IsFalseWhereThereIsNoValue) {
  const std::vector<Json> values{nullptr, 2, "", false};
  EXPECT_FALSE(Condition("a < 1", names).holds(values));
  EXPECT_FALSE(Condition("a >= 1", names).holds(values));
}

}  // namespace
}  // namespace carom
