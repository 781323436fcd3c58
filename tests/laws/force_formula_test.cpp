#include <cmath>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {
namespace {

std::string refusal(const char* force, const NamedNumbers& parameters = {},
                    const char* potential = "") {
  try {
    static_cast<void>(ForceFormula(force, parameters, potential));
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(ForceFormula, IsTheLawItSpells) {
  const ForceFormula spelled("k*x^1.5*(1 + mu*v)", {{"k", 1e9}, {"mu", 0.5}});
  const HuntCrossley law{1e9, 1.5, 0.5};
  for (const double x : {1e-7, 3e-5, 2e-3}) {
    for (const double v : {-1.2, 0.0, 0.7}) {
      const Force ours = spelled.force(x, v, {}), theirs = law.force(x, v, {});
      EXPECT_NEAR(ours.conserved, theirs.conserved, 1e-14 * theirs.conserved);
      EXPECT_NEAR(ours.lost, theirs.lost, 1e-14 * theirs.conserved);
    }
    EXPECT_NEAR(spelled.potential(x, {}), law.potential(x, {}), 1e-13 * law.potential(x, {}));
  }
}

TEST(ForceFormula, PotentialIsTheIntegralForPowersThatAreNoneOfTheUsual) {
  for (const double n : {1.0, 1.27, 2.9, 5.0}) {
    const ForceFormula law("k*x^n", {{"k", 3e6}, {"n", n}});
    const double x = 4e-4, exact = 3e6 * std::pow(x, n + 1) / (n + 1);
    EXPECT_NEAR(law.potential(x, {}), exact, 1e-12 * exact) << n;
  }
}

TEST(ForceFormula, DoesNotPull) {
  const ForceFormula law("k*x + c*v", {{"k", 1e4}, {"c", 10}});
  EXPECT_EQ(law.force(1e-3, -2, {}).total(), 0);
  EXPECT_LT(law.switching(1e-3, -2, {}), 0);
  EXPECT_GT(law.switching(1e-3, -2, law.flip(1e-3, {})), 0);
}

TEST(ForceFormula, CopiesAreIndependentAndEqual) {
  const AnyLaw law =
      make_law("formula", {{"force", "k*x"}, {"parameters", NamedNumbers{{"k", 2.0}}}});
  const AnyLaw copy = law;
  EXPECT_EQ(law, copy);
  EXPECT_EQ(std::get<ForceFormula>(copy).force(0.5, 0, {}).conserved, 1.0);
  EXPECT_EQ(make_law("formula", values_of(law)), law);
}

TEST(ForceFormula, RefusesWhatIsNoContact) {
  EXPECT_EQ(refusal("1e6*x"), "");
  EXPECT_EQ(refusal("x > 1e-4 ? 1e6*x : 5e5*x", {}, ""), "");
  EXPECT_NE(refusal("1e6*x*(1 - 0.1*v)").find("drives the motion"), std::string::npos);
  EXPECT_NE(refusal("-1e6*x").find("pulls"), std::string::npos);
  EXPECT_NE(refusal("0*x").find("does not push"), std::string::npos);
  EXPECT_NE(refusal("1e6*ln(x)*0/0").find("not finite"), std::string::npos);
  EXPECT_NE(refusal("k*x", {{"c", 1}}).find("may name x, v, c"), std::string::npos);
  EXPECT_NE(refusal("1e6*(x").find("force = \"1e6*(x\""), std::string::npos);
  EXPECT_NE(refusal("x = 3").find("no '='"), std::string::npos);
  EXPECT_NE(refusal("1e6*x, 2").find("one expression"), std::string::npos);
  EXPECT_NE(refusal("1e6*x", {{"x", 1}}).find("parameters.x"), std::string::npos);
  EXPECT_EQ(refusal("1e6*x", {}, "5e5*x^2"), "");
  EXPECT_NE(refusal("1e6*x", {}, "6e5*x^2").find("slope is not the force"), std::string::npos);
}

}  // namespace
}  // namespace carom
