#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <carom/papers/papers.hpp>

namespace carom {

using Counts = std::array<int, 3>;  ///< reproduced, differs, not-reproducible

/// A paper computed whole, with what every paper must satisfy already checked. One test per paper
/// uses it: each test is a process of its own, and a paper takes seconds.
class CheckedPaper {
 public:
  explicit CheckedPaper(const std::string& key, bool quick = false)
      : paper_(reproduce(key, quick)),
        items_(paper_.items()) {  // throws when a listed number is not set
    EXPECT_FALSE(items_.empty());
    EXPECT_FALSE(paper_.figures().empty());
    for (const PaperItem& line : items_) check(line);
    check_json(key);
  }

  const std::vector<PaperItem>& items() const { return items_; }
  const Reproduction& reproduction() const { return paper_; }

  double ours(const std::string& item, const std::string& quantity) const {
    for (const PaperItem& line : items_) {
      if (line.item == item && line.quantity == quantity) return line.ours.value();
    }
    ADD_FAILURE() << item << ", " << quantity << " is missing";
    return 0;
  }

  Counts counts() const {
    Counts result{};
    for (const PaperItem& line : items_) {
      if (line.verdict != Verdict::no_published_number) ++result[std::size_t(line.verdict)];
    }
    return result;
  }

 private:
  /// One unit of the last digit, by counting characters: independent of read_printed.
  static double unit_of(const std::string& text) {
    if (text.find('/') != std::string::npos) return 1e-9;
    const std::size_t exponent = text.find('e'), point = text.find('.');
    const std::size_t end = std::min(exponent, text.size());
    const double decimals = point == std::string::npos ? 0 : double(end - point - 1);
    const double power = exponent == std::string::npos ? 0 : std::stod(text.substr(exponent + 1));
    return std::pow(10, power - decimals);
  }

  static void check(const PaperItem& line) {
    const std::string where = line.item + ", " + line.quantity + ": " + line.printed;
    if (line.verdict == Verdict::differs || line.verdict == Verdict::not_reproducible) {
      EXPECT_GT(line.reason.size(), 20U) << where;
    }
    EXPECT_EQ(line.verdict == Verdict::no_published_number, !line.published.has_value()) << where;
    if (line.verdict != Verdict::reproduced) return;
    ASSERT_TRUE(line.ours.has_value()) << where;
    if (line.printed.find("..") != std::string::npos) return;
    const bool bound = line.printed.starts_with('<');
    const double distance = std::abs(*line.ours - (bound ? 0 : *line.published));
    EXPECT_LE(distance, (bound ? *line.published : unit_of(line.printed)) * (1 + 1e-9)) << where;
  }

  void check_json(const std::string& key) const {
    const auto json = to_json(items_);
    ASSERT_EQ(json.size(), items_.size());
    for (const auto& entry : json) {
      for (const char* name :
           {"paper", "item", "quantity", "published", "ours", "verdict", "reason"}) {
        EXPECT_TRUE(entry.contains(name));
      }
      EXPECT_EQ(entry.at("paper"), key);
    }
  }

  Reproduction paper_;
  std::vector<PaperItem> items_;
};

}  // namespace carom
