#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include <carom/core/error.hpp>
#include <carom/papers/papers.hpp>

#include "data.hpp"

namespace carom {
namespace {

/// Each paper once, shared by the tests of this file: some take seconds.
const Reproduction& full(std::string_view key) {
  static std::map<std::string_view, Reproduction> computed;
  auto found = computed.find(key);
  if (found == computed.end()) found = computed.emplace(key, reproduce(key)).first;
  return found->second;
}

class EveryPaper : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryPaper, ComputesEachListedNumberAndDrawsFigures) {
  const std::vector<PaperItem> items = full(GetParam()).items();  // throws when one is missing
  EXPECT_FALSE(items.empty());
  EXPECT_FALSE(full(GetParam()).figures().empty());
}

TEST_P(EveryPaper, EachDifferenceHasItsReason) {
  for (const PaperItem& line : full(GetParam()).items()) {
    if (line.verdict != Verdict::differs && line.verdict != Verdict::not_reproducible) continue;
    EXPECT_GT(line.reason.size(), 20U) << line.item << ", " << line.quantity << ": " << line.printed
                                       << " against " << line.ours.value_or(std::nan(""));
  }
}

/// One unit of the last digit of a plain decimal text, by counting characters: independent of
/// read_printed.
double unit_of(const std::string& text) {
  const std::size_t exponent = text.find('e'), point = text.find('.');
  const std::size_t end = std::min(exponent, text.size());
  const double decimals = point == std::string::npos ? 0 : double(end - point - 1);
  return std::pow(
      10, (exponent == std::string::npos ? 0 : std::stod(text.substr(exponent + 1))) - decimals);
}

TEST_P(EveryPaper, NothingCalledReproducedDiffers) {
  for (const PaperItem& line : full(GetParam()).items()) {
    if (line.verdict != Verdict::reproduced) continue;
    ASSERT_TRUE(line.ours.has_value() && line.published.has_value());
    if (line.printed.find("..") != std::string::npos) continue;
    const bool bound = line.printed.starts_with('<');
    const double distance = std::abs(*line.ours - (bound ? 0 : *line.published));
    EXPECT_LE(distance, (bound ? *line.published : unit_of(line.printed)) * (1 + 1e-9))
        << line.item << ", " << line.quantity;
  }
}

TEST_P(EveryPaper, JsonIsTheListOfTheContract) {
  const std::vector<PaperItem> items = full(GetParam()).items();
  const auto json = to_json(items);
  ASSERT_EQ(json.size(), items.size());
  for (const auto& entry : json) {
    for (const char* key :
         {"paper", "item", "quantity", "published", "ours", "verdict", "reason"}) {
      EXPECT_TRUE(entry.contains(key));
    }
    EXPECT_EQ(entry.at("paper"), GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Papers, EveryPaper,
                         testing::ValuesIn(paper_keys().begin(), paper_keys().end()),
                         [](const auto& entry) { return std::string(entry.param); });

using Counts = std::array<int, 3>;  // reproduced, differs, not-reproducible

Counts count(const Reproduction& paper) {
  Counts counts{};
  for (const PaperItem& line : paper.items()) {
    if (line.verdict != Verdict::no_published_number) ++counts[std::size_t(line.verdict)];
  }
  return counts;
}

TEST(Papetti2011, CountsOfVerdicts) { EXPECT_EQ(count(full("papetti2011")), (Counts{150, 13, 2})); }

TEST(Papetti2011, TablesOneToThreeComeOutButForTheTwoKnownCells) {
  for (const PaperItem& line : full("papetti2011").items()) {
    if (!line.item.starts_with("Table I") || line.item.starts_with("Table IV")) continue;
    if (!line.published) continue;
    const bool known = line.item == "Table III(b)" && line.quantity.starts_with("AM1");
    EXPECT_EQ(line.verdict, known ? Verdict::not_reproducible : Verdict::reproduced)
        << line.item << ", " << line.quantity << ": " << line.ours.value_or(NAN);
  }
}

double ours(std::string_view key, const std::string& item, const std::string& quantity) {
  for (const PaperItem& line : full(key).items()) {
    if (line.item == item && line.quantity == quantity) return line.ours.value();
  }
  ADD_FAILURE() << item << ", " << quantity << " is missing";
  return 0;
}

TEST(Ramaswamy, CountsOfVerdicts) { EXPECT_EQ(count(full("ramaswamy")), (Counts{4, 12, 0})); }

TEST(Ramaswamy, RestitutionDeliveredByEachFormulaMeetsTheReference) {
  const auto reference = support::reference("identification.json")["classical_models_e_out"];
  const std::map<std::string, std::string> names{{"HC75 1.5(1-e)", "hunt-crossley"},
                                                 {"LN .75(1-e2)", "lankarani-nikravesh"},
                                                 {"Flores 1.6(1-e)/e", "flores"},
                                                 {"HuGuo 1.5(1-e)/e", "hu-guo"},
                                                 {"Gonthier~ (1-e2)/e", "gonthier"},
                                                 {"eq17", "ramaswamy"},
                                                 {"exact", "exact"}};
  for (const std::string e : {"0.05", "0.1", "0.3", "0.5", "0.7", "0.95"}) {
    for (std::size_t i = 0; i < reference["models"].size(); ++i) {
      const auto name = names.find(reference["models"][i]);
      if (name == names.end()) continue;
      EXPECT_NEAR(ours("ramaswamy", "Cost of the formulas", name->second + " e = " + e),
                  double(reference["table"][e][i]), 1e-13)
          << name->second << " " << e;
    }
  }
}

// Errors of the paper's fits found by an independent program, to the digits it gave.
TEST(Ramaswamy, ErrorsOfItsFitsMeetTheReference) {
  EXPECT_NEAR(ours("ramaswamy", "eq. 17", "largest pointwise error"), 3.34819, 1e-4);
  EXPECT_NEAR(ours("ramaswamy", "eq. 17", "mean pointwise error"), 1.5208, 1e-3);
  EXPECT_NEAR(ours("ramaswamy", "eq. 17", "rms pointwise error"), 1.93615, 1e-3);
  EXPECT_NEAR(ours("ramaswamy", "eq. 17", "relative error"), 0.0593, 1e-4);
  EXPECT_NEAR(ours("ramaswamy", "eq. 17", "largest error in the restitution delivered"), 0.0086307,
              1e-6);
  EXPECT_NEAR(ours("ramaswamy", "eq. 23", "largest pointwise error"), 1.50688, 1e-5);
  EXPECT_NEAR(ours("ramaswamy", "eq. 23", "relative error"), 0.23631, 1e-5);
}

TEST(Ramaswamy, BetterFitsAreBetter) {
  // 0.79277 % is the best that the form of eq. (17) can do, by an independent search.
  EXPECT_NEAR(ours("ramaswamy", "Better fits of eps(c_r)", "largest error of (17) with these"),
              0.79277, 1e-3);
  EXPECT_LT(ours("ramaswamy", "Better fits of eps(c_r)", "largest error of (1-c)/c g(1-c)"), 0.22);
  EXPECT_LT(ours("ramaswamy", "Better fit of the impact time", "largest error, eps 0..100, n 1..5"),
            0.32);
  EXPECT_LT(ours("ramaswamy", "eq. 23", "ratio of 2-norms with our constants"),
            ours("ramaswamy", "eq. 23", "relative error"));
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
