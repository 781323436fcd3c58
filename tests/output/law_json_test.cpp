#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/output/json.hpp>

namespace carom {
namespace {

TEST(LawJson, EveryLawComesBackAsItWas) {
  const Columns loop{{"compression", {0, 1e-5, 2e-5, 3e-5}}, {"loading", {0, 1, 3, 6}}};
  const std::vector<AnyLaw> laws{PowerLaw{1e9, 1.7},
                                 HuntCrossley{1e9 / 3, 1.5, 0.1},
                                 HertzDamper{1e6, 1.1, 3, Release::zero_compression},
                                 KelvinVoigt{1e6, 3},
                                 PowerDamper{1e6, 1.5, 2, 0.7},
                                 Tsuji{1e6, 1.5, 2},
                                 KuwabaraKono{1e6, 1.5, 2},
                                 WaltonBraun{1e6, 3e6},
                                 JKR{1e6, 0.1, 0.3},
                                 ImpactFunction{1e6, 2.2, 10, 1e-4},
                                 ForceTable{ForceLoop(loop)},
                                 ForceFormula("k*x", {{"k", 1e6}})};
  ASSERT_EQ(laws.size(), std::variant_size_v<AnyLaw>);
  for (const AnyLaw& law : laws) {
    const Json written = to_json(law, {0.01, 1.0});
    EXPECT_EQ(written["name"], law_name(law));
    EXPECT_EQ(law_from_json(Json::parse(written.dump())), law) << written.dump();
  }
}

TEST(LawJson, ANumberMayBeGivenUnderItsOtherName) {
  EXPECT_EQ(law_from_json({{"name", "hunt-crossley"}, {"stiffness", 4.0}, {"lambda", 2.0}}),
            AnyLaw(HuntCrossley{4, 1.5, 0.5}));
}

TEST(LawJson, RefusesWhatIsNoLaw) {
  EXPECT_THROW(law_from_json(Json::array()), InvalidInput);
  EXPECT_THROW(law_from_json({{"name", "power-lw"}, {"stiffness", 1.0}}), InvalidInput);
  EXPECT_THROW(law_from_json({{"name", "power-law"}, {"stiffness", 1.0}, {"mu", 1.0}}),
               InvalidInput);
  EXPECT_THROW(law_from_json({{"name", "power-law"}, {"stiffness", true}}), InvalidInput);
}

}  // namespace
}  // namespace carom
