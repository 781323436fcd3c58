#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <carom/papers/reproduction.hpp>

namespace carom {
namespace {

Verdict judge(const PublishedNumber& number, double ours) {
  if (!number.printed) return Verdict::no_published_number;
  if (std::isnan(ours)) return Verdict::not_reproducible;
  if (agrees(*number.printed, ours)) return Verdict::reproduced;
  return number.reproducible ? Verdict::differs : Verdict::not_reproducible;
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
      PaperItem line{.paper = paper_.key,
                     .item = item.name,
                     .quantity = number.quantity,
                     .published = {},
                     .ours = number_or_nothing(value->ours),
                     .verdict = judge(number, value->ours),
                     .reason = number.reason,
                     .printed = {},
                     .unit = number.unit};
      if (number.printed) {
        line.published = number.printed->value;
        line.printed = number.printed->text;
      }
      result.push_back(std::move(line));
    }
    for (const Value& addition : additions_) {
      if (addition.item != item.name) continue;
      result.push_back({.paper = paper_.key,
                        .item = item.name,
                        .quantity = addition.quantity,
                        .published = {},
                        .ours = number_or_nothing(addition.ours),
                        .verdict = Verdict::no_published_number,
                        .reason = addition.note,
                        .printed = {},
                        .unit = addition.unit});
    }
  }
  return result;
}

}  // namespace carom
