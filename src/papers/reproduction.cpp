#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <carom/papers/reproduction.hpp>

namespace carom {
namespace {

Verdict judge(const PublishedNumber& number, double ours) {
  if (!number.printed) {
    return number.reproducible ? Verdict::no_published_number : Verdict::not_reproducible;
  }
  if (number.basis == Basis::time) return Verdict::not_judged;
  if (std::isnan(ours)) return Verdict::not_reproducible;
  if (!agrees(*number.printed, ours)) {
    return number.reproducible ? Verdict::differs : Verdict::not_reproducible;
  }
  switch (number.basis) {
    case Basis::inferred:
      return Verdict::inferred;
    case Basis::recomputed:
      return Verdict::recomputed;
    case Basis::claim:
      return Verdict::consistent;
    case Basis::printed:
    case Basis::time:
      break;
  }
  return Verdict::reproduced;
}

std::optional<double> number_or_nothing(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace

Reproduction::Reproduction(PublishedPaper paper, bool quick, std::function<void(double)> progress)
    : paper_(std::move(paper)), quick_(quick), progress_(std::move(progress)) {}

const PublishedItem& Reproduction::find(const std::string& item) const {
  const auto found = std::find_if(paper_.items.begin(), paper_.items.end(),
                                  [&](const PublishedItem& entry) { return entry.name == item; });
  if (found == paper_.items.end()) {
    throw std::logic_error(paper_.key + ": published.toml has no item '" + item + "'");
  }
  return *found;
}

void Reproduction::set(const std::string& item, const std::string& quantity, double ours) {
  const auto& numbers = find(item).numbers;
  const bool listed = std::any_of(numbers.begin(), numbers.end(),
                                  [&](const auto& number) { return number.quantity == quantity; });
  if (!listed) {
    throw std::logic_error(paper_.key + ": " + item + " has no number '" + quantity + "'");
  }
  values_.push_back({item, quantity, {}, {}, ours});
}

void Reproduction::add(const std::string& item, const std::string& quantity, double ours,
                       const std::string& note, const std::string& unit) {
  (void)find(item);
  additions_.push_back({item, quantity, note, unit, ours});
}

void Reproduction::hear(const std::string& item, const std::string& caption, double rate,
                        std::vector<double> samples) {
  find(item);
  sounds_.push_back(
      {.item = item, .caption = caption, .rate = rate, .samples = std::move(samples)});
}

void Reproduction::draw(const std::string& item, const std::string& caption, Figure figure) {
  (void)find(item);
  figures_.push_back({item, caption, std::move(figure)});
}

void Reproduction::check(const std::string& reason, bool holds, const std::string& evidence) {
  const bool listed = std::any_of(paper_.reasons.begin(), paper_.reasons.end(),
                                  [&](const auto& entry) { return entry.id == reason; });
  if (!listed) throw std::logic_error(paper_.key + ": no reason '" + reason + "'");
  checks_.push_back({reason, evidence, holds});
}

const PrintedNumber& Reproduction::published(const std::string& item,
                                             const std::string& quantity) const {
  for (const PublishedNumber& number : find(item).numbers) {
    if (number.quantity == quantity && number.printed) return *number.printed;
  }
  throw std::logic_error(paper_.key + ": " + item + " does not print '" + quantity + "'");
}

PaperItem Reproduction::judged(const PublishedItem& item, const PublishedNumber& number,
                               double ours) const {
  PaperItem line{.paper = paper_.key,
                 .item = item.name,
                 .quantity = number.quantity,
                 .ours = number_or_nothing(ours),
                 .verdict = judge(number, ours),
                 .reason = number.note,
                 .unit = number.unit};
  if (number.printed && number.basis == Basis::claim) line.criterion = number.printed->text;
  if (number.printed && number.basis != Basis::claim) {
    line.published = number.printed->value;
    line.printed = number.printed->text;
  }
  if (line.verdict != Verdict::differs && line.verdict != Verdict::not_reproducible) return line;
  for (const PublishedReason& reason : paper_.reasons) {
    if (reason.id != number.because) continue;
    // What a claim was taken for stays beside the reason why it fails.
    const bool keep = number.basis == Basis::claim && !number.note.empty();
    line.reason = keep ? number.note + " " + reason.text : reason.text;
  }
  for (const Check& check : checks_) {
    if (check.reason != number.because) continue;
    line.reason_holds = (line.evidence.empty() || line.reason_holds) && check.holds;
    line.evidence += (line.evidence.empty() ? "" : "; ") + check.evidence;
  }
  return line;
}

VerdictCounts count_verdicts(const std::vector<PaperItem>& items) {
  VerdictCounts counts{};
  for (const PaperItem& line : items) ++counts[static_cast<std::size_t>(line.verdict)];
  return counts;
}

std::vector<PaperItem> Reproduction::items() const {
  std::vector<PaperItem> result;
  for (const PublishedItem& item : paper_.items) {
    for (const PublishedNumber& number : item.numbers) {
      const auto value = std::find_if(values_.begin(), values_.end(), [&](const Value& candidate) {
        return candidate.item == item.name && candidate.quantity == number.quantity;
      });
      if (value == values_.end()) {
        if (quick_) continue;
        throw std::logic_error(paper_.key + ": " + item.name + ", " + number.quantity +
                               " is listed but not computed");
      }
      result.push_back(judged(item, number, value->ours));
    }
    for (const Value& addition : additions_) {
      if (addition.item != item.name) continue;
      result.push_back({.paper = paper_.key,
                        .item = item.name,
                        .quantity = addition.quantity,
                        .ours = number_or_nothing(addition.ours),
                        .reason = addition.note,
                        .unit = addition.unit});
    }
  }
  return result;
}

}  // namespace carom
