#include <chrono>
#include <filesystem>

#include <gtest/gtest.h>

#include <carom/records/identify_file.hpp>

#include "data.hpp"

namespace carom {
namespace {

/// Records that other people measured and published; they are not part of the project.
class RealRecords : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = support::shared_folder() / "data" / "real";
    if (support::shared_folder().empty() || !std::filesystem::is_directory(folder_))
      GTEST_SKIP() << "the measured records are not here (set CAROM_SHARED)";
  }
  std::filesystem::path folder_;
};

const LawFit* candidate(const Identification& laws, const std::string& name) {
  for (const LawFit& fit : laws.candidates) {
    if (fit.law == name) return &fit;
  }
  return nullptr;
}

/// Erickson 2020: 30 bounces read by hand, e = 0.945, an echo 10 ms after each.
TEST_F(RealRecords, PingPongBallOnATable) {
  const IdentifiedFile found = identify_file(folder_ / "pingpong" / "pingpong.wav", {});
  const auto& bounces = std::get<FittedBounces>(found.runs.at(0).result);
  const Json times = found.document["data"]["times"];
  std::size_t matched = 0, read = 0;
  const Measurements by_hand = read_measurements(
      folder_ / "pingpong" / "bounces_read_by_author.csv", {.columns = {"time"}, .units = {"ms"}});
  for (const double time : std::get<TimesRecord>(by_hand.runs[0].data).times) {
    ++read;
    for (const double one : bounces.chain.times) matched += std::abs(one - time) < 4e-3 ? 1 : 0;
  }
  EXPECT_EQ(read, 30u);
  EXPECT_GE(matched, 28u);
  EXPECT_NEAR(bounces.restitution, 0.945, 0.005);
  EXPECT_EQ(bounces.laws.law().law, "constant-restitution");
  EXPECT_EQ(bounces.laws.law().verdict, FitVerdict::accepted);
  EXPECT_EQ(candidate(bounces.laws, "hunt-crossley")->verdict, FitVerdict::rejected);
  EXPECT_TRUE(found.accepted);
}

/// Carts on sponge pads, exported upside down and off zero. A robust fit of the cleaned pulses
/// gives n = 1.36 and 1.43 in runs 5 and 2 of the thin pad, where a plain one gives 3.6 and 9.3.
TEST_F(RealRecords, SpongePadsAsExported) {
  IdentifyFileOptions options;
  options.fit.law = "hunt-crossley";
  const IdentifiedFile thin = identify_file(folder_ / "pads" / "pad_4mm.csv", options);
  ASSERT_EQ(thin.runs.size(), 5u);
  for (const IdentifiedRun& run : thin.runs) {
    const auto& fit = std::get<FittedTrace>(run.result);
    EXPECT_EQ(fit.pulse.sign, -1) << run.measured.label;
    EXPECT_LT(std::abs(fit.pulse.offset), 0.05);
    const double n = fit.laws.law().find("exponent")->value;
    if (run.measured.label == "Run 5") {
      EXPECT_NEAR(n, 1.36, 0.1);
    } else if (run.measured.label == "Run 2") {
      EXPECT_NEAR(n, 1.43, 0.1);
    }
  }
  const IdentifiedFile thick = identify_file(folder_ / "pads" / "pad_40mm.csv", options);
  for (const IdentifiedRun& run : thick.runs)
    EXPECT_EQ(run.laws().law().verdict, FitVerdict::accepted) << run.measured.label;
}

TEST_F(RealRecords, ShockTableIsNoImpactOfAnyLaw) {
  for (const char* name :
       {"acc_base_a0.txt", "acc_base_a1.txt", "acc_base_a2.txt", "acc_base_a3.txt"}) {
    const IdentifiedFile found = identify_file(folder_ / "shock_table" / name, {});
    EXPECT_EQ(found.document["read"]["columns"][1]["unit"], "g");
    EXPECT_EQ(found.runs[0].laws().law().verdict, FitVerdict::rejected) << name;
    EXPECT_FALSE(found.accepted);
  }
}

}  // namespace
}  // namespace carom
