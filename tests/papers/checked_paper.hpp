#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <carom/papers/papers.hpp>

namespace carom {

/// A paper computed, with what every paper must satisfy already checked. One test per paper uses
/// it: each test is a process of its own, and a paper takes seconds.
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

  const PaperItem& line(const std::string& item, const std::string& quantity) const {
    for (const PaperItem& each : items_) {
      if (each.item == item && each.quantity == quantity) return each;
    }
    ADD_FAILURE() << item << ", " << quantity << " is missing";
    return items_.front();
  }
  double ours(const std::string& item, const std::string& quantity) const {
    return line(item, quantity).ours.value_or(std::nan(""));
  }
  Verdict verdict(const std::string& item, const std::string& quantity) const {
    return line(item, quantity).verdict;
  }
  int count(Verdict verdict) const {
    return count_verdicts(items_)[static_cast<std::size_t>(verdict)];
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
    const std::string where =
        line.paper + ", " + line.item + ", " + line.quantity + ": " + line.printed + line.criterion;
    switch (line.verdict) {
      case Verdict::differs:
        // The code of the paper tested the reason in this run, and it holds.
        EXPECT_FALSE(line.evidence.empty()) << where << " has no tested reason";
        EXPECT_TRUE(line.reason_holds) << where << "\n  " << line.reason << "\n  " << line.evidence;
        break;
      case Verdict::not_reproducible:
      case Verdict::inferred:
        EXPECT_GT(line.reason.size(), 20U) << where;
        break;
      case Verdict::consistent:
        EXPECT_FALSE(line.criterion.empty()) << where;
        EXPECT_TRUE(line.printed.empty()) << where;
        break;
      case Verdict::no_published_number:
        EXPECT_FALSE(line.published.has_value()) << where;
        break;
      case Verdict::not_judged:
        EXPECT_TRUE(line.unit == "s" || line.item.starts_with("Table III") ||
                    line.quantity.starts_with("CPU time"))
            << where;
        break;
      case Verdict::reproduced:
      case Verdict::recomputed:
        break;
    }
    if (line.verdict == Verdict::reproduced || line.verdict == Verdict::inferred ||
        line.verdict == Verdict::recomputed) {
      check_agreement(line, where);
    }
  }

  /// Half a unit of the last digit; where the data set another unit, no more than a whole one.
  static void check_agreement(const PaperItem& line, const std::string& where) {
    ASSERT_TRUE(line.ours.has_value()) << where;
    if (line.printed.find("..") != std::string::npos || line.printed.starts_with('>')) return;
    const bool bound = line.printed.starts_with('<');
    const double distance = std::abs(*line.ours - (bound ? 0 : *line.published));
    EXPECT_LE(distance, (bound ? *line.published : 0.5 * unit_of(line.printed)) * (1 + 1e-9))
        << where;
  }

  void check_json(const std::string& key) const {
    const auto json = to_json(items_);
    ASSERT_EQ(json.size(), items_.size());
    for (const auto& entry : json) {
      for (const char* name :
           {"paper", "item", "quantity", "published", "ours", "verdict", "reason", "evidence"}) {
        EXPECT_TRUE(entry.contains(name));
      }
      EXPECT_EQ(entry.at("paper"), key);
    }
  }

  Reproduction paper_;
  std::vector<PaperItem> items_;
};

}  // namespace carom
