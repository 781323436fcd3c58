#include <array>
#include <limits>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>

namespace carom {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

std::string message_of(auto&& call) {
  try {
    call();
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Require, SaysNameValueAndWhatIsAllowed) {
  EXPECT_EQ(message_of([] { require_positive("mass", -2.5); }),
            "mass = -2.5: must be finite and greater than 0");
  EXPECT_EQ(message_of([] { require_within("phase", 1.5, 0, 1); }),
            "phase = 1.5: must be from 0 to 1");
}

TEST(Require, RefusesNanAndInfinity) {
  for (const double bad : {nan, inf, -inf}) {
    EXPECT_THROW(require_finite("a", bad), InvalidInput);
    EXPECT_THROW(require_positive("a", bad), InvalidInput);
    EXPECT_THROW(require_not_negative("a", bad), InvalidInput);
    EXPECT_THROW(require_within("a", bad, 0, 1), InvalidInput);
  }
  EXPECT_THROW(require_positive("a", 0.0), InvalidInput);
  EXPECT_NO_THROW(require_not_negative("a", 0.0));
}

TEST(NearestName, FindsSlipsAndRefusesJunk) {
  constexpr std::array<std::string_view, 3> known{"hunt-crossley", "hertz-damper", "power-law"};
  EXPECT_EQ(nearest_name("hunt-crosley", known), "hunt-crossley");
  EXPECT_EQ(nearest_name("hertz_damper", known), "hertz-damper");
  EXPECT_EQ(nearest_name("banana", known), "");
  EXPECT_EQ(nearest_name(std::string(100000, 'x'), known), "");
}

TEST(NumberText, ReadsBackToTheSameDouble) {
  for (const double value : {0.1, 1e-300, 1.0 / 3.0, 6.02e23, -0.0}) {
    EXPECT_EQ(std::stod(number_text(value)), value);
  }
}

}  // namespace
}  // namespace carom
