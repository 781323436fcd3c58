#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include <carom/papers/printed.hpp>

namespace carom {
namespace {

TEST(PrintedNumber, LastDigitFollowsFromTheText) {
  EXPECT_DOUBLE_EQ(read_printed("0.255").last_digit, 1e-3);
  EXPECT_DOUBLE_EQ(read_printed("+2e-5").last_digit, 1e-5);
  EXPECT_DOUBLE_EQ(read_printed("-1.10e-5").last_digit, 1e-7);
  EXPECT_DOUBLE_EQ(read_printed("19").last_digit, 1);
  EXPECT_DOUBLE_EQ(read_printed("946.600").last_digit, 1e-3);
  EXPECT_DOUBLE_EQ(read_printed("+2e-5").value, 2e-5);
}

TEST(PrintedNumber, AgreementIsHalfAUnitOfTheLastDigitOnBothSides) {
  const PrintedNumber printed = read_printed("0.255");
  EXPECT_TRUE(agrees(printed, 0.2546));
  EXPECT_TRUE(agrees(printed, 0.2554));
  EXPECT_FALSE(agrees(printed, 0.2556));
  EXPECT_FALSE(agrees(printed, 0.2544));
  EXPECT_FALSE(agrees(printed, -0.255));
}

TEST(PrintedNumber, CountsMustBeEqual) {
  const PrintedNumber printed = read_printed("19");
  EXPECT_TRUE(agrees(printed, 19));
  EXPECT_FALSE(agrees(printed, 18));
  EXPECT_FALSE(agrees(printed, 20));
}

TEST(PrintedNumber, LowerBound) {
  const PrintedNumber printed = read_printed(">2");
  EXPECT_TRUE(agrees(printed, 2.1));
  EXPECT_FALSE(agrees(printed, 2));
}

TEST(PrintedNumber, BoundHoldsForTheMagnitude) {
  const PrintedNumber printed = read_printed("<1e-7");
  EXPECT_TRUE(agrees(printed, -9e-8));
  EXPECT_FALSE(agrees(printed, 1.1e-7));
  EXPECT_FALSE(agrees(printed, -1.1e-7));
}

TEST(PrintedNumber, RangeIncludesItsEnds) {
  const PrintedNumber printed = read_printed("15..40");
  EXPECT_TRUE(agrees(printed, 15));
  EXPECT_TRUE(agrees(printed, 40));
  EXPECT_FALSE(agrees(printed, 14));
}

TEST(PrintedNumber, FractionIsExact) {
  const PrintedNumber printed = read_printed("-44/135");
  EXPECT_DOUBLE_EQ(printed.value, -44. / 135);
  EXPECT_TRUE(agrees(printed, -44. / 135));
  EXPECT_FALSE(agrees(printed, -0.3259));
}

TEST(PrintedNumber, NothingAgreesWithNaN) {
  for (const char* text : {"0.255", "<1e-7", ">2", "15..40", "2/3"}) {
    EXPECT_FALSE(agrees(read_printed(text), std::nan(""))) << text;
  }
}

TEST(PrintedNumber, JunkIsOurMistake) {
  for (const char* text : {"", "abc", "1.2.3", "1/0", "3 m"}) {
    EXPECT_THROW((void)read_printed(text), std::logic_error) << text;
  }
}

}  // namespace
}  // namespace carom
