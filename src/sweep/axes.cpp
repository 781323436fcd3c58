#include "axes.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <carom/core/error.hpp>

#include "samples.hpp"

namespace carom {
namespace {

constexpr std::array<std::string_view, 7> range_words{"from",  "to",   "step",     "count",
                                                      "scale", "mean", "deviation"};

bool is_range(const Node& node) {
  return node.type == Node::Type::table &&
         std::any_of(node.entries.begin(), node.entries.end(), [](const auto& entry) {
           return std::find(range_words.begin(), range_words.end(), entry.first) !=
                  range_words.end();
         });
}

/// The number people would write: 0.1 + 0.2 is 0.3. Fifteen digits survive decimal and back.
double neat(double value) {
  std::array<char, 32> digits;
  const auto written =
      std::to_chars(digits.begin(), digits.end(), value, std::chars_format::scientific, 14);
  std::from_chars(digits.begin(), written.ptr, value);
  return value;
}

/// The entries of a range, read once; `good` is false after anything was reported.
struct ValueRange {
  std::optional<double> from, to, step, count, mean, deviation;
  bool log = false, good = true;
};

ValueRange read_range(const Node& node, const std::string& key,
                      std::initializer_list<std::string_view> allowed, PlanProblems& problems) {
  ValueRange range;
  const std::vector<std::string_view> known(allowed);
  const auto refuse = [&](const Node& at, std::string message) {
    problems.add(at, std::move(message));
    range.good = false;
  };
  for (const auto& [name, entry] : node.entries) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      refuse(entry, key + ": " + unknown_name_message("key", name, known));
      continue;
    }
    if (name == "scale") {
      const bool text = entry.type == Node::Type::text;
      range.log = text && entry.value == "log";
      if (!text || (entry.value != "log" && entry.value != "linear")) {
        refuse(entry, key + ": scale = " + entry.type_name() + ": must be 'log' or 'linear'");
      }
      continue;
    }
    const bool is_number =
        entry.type == Node::Type::number || entry.type == Node::Type::whole_number;
    const double value = is_number ? entry.value.get<double>() : std::nan("");
    if (!std::isfinite(value)) {
      refuse(entry,
             fmt::format("{}: {} = {}: must be a finite number", key, name, entry.type_name()));
      continue;
    }
    (name == "from"    ? range.from
     : name == "to"    ? range.to
     : name == "step"  ? range.step
     : name == "count" ? range.count
     : name == "mean"  ? range.mean
                       : range.deviation) = value;
  }
  if (range.log && range.good && !(range.from.value_or(0) > 0 && range.to.value_or(0) > 0)) {
    refuse(node, key + ": a logarithmic scale needs from > 0 and to > 0");
  }
  return range;
}

double at_fraction(const ValueRange& range, double fraction) {
  if (!range.log) return *range.from + fraction * (*range.to - *range.from);
  return *range.from * std::pow(*range.to / *range.from, fraction);
}

}  // namespace

std::vector<std::pair<std::string, const Node*>> flat_keys(const Node& table) {
  std::vector<std::pair<std::string, const Node*>> keys;
  const auto walk = [&keys](const auto& self, const Node& node, const std::string& prefix) -> void {
    for (const auto& [name, entry] : node.entries) {
      if (entry.type == Node::Type::table && !is_range(entry) && !entry.entries.empty()) {
        self(self, entry, prefix + name + ".");
      } else {
        keys.emplace_back(prefix + name, &entry);
      }
    }
  };
  walk(walk, table, "");
  return keys;
}

Json as_declared(Json value, const Field* field) {
  if (field == nullptr) return value;
  if (field->type == ValueType::number && value.is_number_integer()) return value.get<double>();
  if (field->type == ValueType::whole_number && value.is_number_float()) {
    const double number = value.get<double>();
    if (std::nearbyint(number) == number && std::abs(number) < 0x1p53) {
      return static_cast<std::int64_t>(number);
    }
  }
  return value;
}

Json plain_value(const Node& node, const std::string& key, PlanProblems& problems) {
  switch (node.type) {
    case Node::Type::number:
    case Node::Type::whole_number:
    case Node::Type::truth:
    case Node::Type::text:
      return node.value;
    case Node::Type::list: {
      Json list = Json::array();
      for (const Node& item : node.items) list.push_back(plain_value(item, key, problems));
      return list;
    }
    default:
      problems.add(node, key + " = " + node.type_name() +
                             ": must be a number, true, false, a text or a list of these");
      return nullptr;
  }
}

std::vector<Json> grid_values(const Node& node, const std::string& key, const Field* field,
                              PlanProblems& problems) {
  std::vector<Json> values;
  if (node.type == Node::Type::list) {
    for (const Node& item : node.items) {
      values.push_back(as_declared(plain_value(item, key, problems), field));
    }
    if (values.empty()) problems.add(node, key + " is an empty list: must hold at least one value");
    return values;
  }
  if (!is_range(node)) {
    problems.add(node, key + " = " + node.type_name() +
                           ": must be a list of values, { from, to, step } or { from, to, count }");
    return values;
  }
  const ValueRange range =
      read_range(node, key, {"from", "to", "step", "count", "scale"}, problems);
  if (!range.good) return values;
  if (!range.from || !range.to || range.step.has_value() == range.count.has_value()) {
    problems.add(node, key + ": must have from, to and either step or count");
    return values;
  }
  std::int64_t last = 0;  // number of the last value, from 0
  if (range.step) {
    const double steps = (*range.to - *range.from) / *range.step;
    if (range.log || !(steps >= 0) || steps >= static_cast<double>(SweepPlan::max_values)) {
      problems.add(node, key + ": " +
                             (range.log ? "a logarithmic scale takes count, not step"
                                        : "step must lead from 'from' towards 'to' in fewer than "
                                          "10 million steps"));
      return values;
    }
    // `to` belongs to the range although 0.1 * 3 is not 0.3.
    last = static_cast<std::int64_t>(std::floor(steps * (1 + 1e-12) + 1e-9));
  } else {
    if (!(*range.count >= 1) || *range.count != std::floor(*range.count) ||
        *range.count > static_cast<double>(SweepPlan::max_values)) {
      problems.add(node, key + ": count = " + number_text(*range.count) +
                             ": must be a whole number from 1 to 10 million");
      return values;
    }
    last = static_cast<std::int64_t>(*range.count) - 1;
  }
  values.reserve(static_cast<std::size_t>(last) + 1);
  for (std::int64_t i = 0; i <= last; ++i) {
    const auto number = static_cast<double>(i);
    double value = *range.from;
    if (range.step) {
      value = neat(*range.from + number * *range.step);
    } else if (i > 0) {
      value = i == last ? *range.to : neat(at_fraction(range, number / static_cast<double>(last)));
    }
    values.push_back(as_declared(value, field));
  }
  return values;
}

std::vector<Json> sample_values(const Node& node, const std::string& key, const Field* field,
                                const std::vector<double>& unit, PlanProblems& problems) {
  std::vector<Json> values;
  if (node.type == Node::Type::list) {
    std::vector<Json> choices = grid_values(node, key, field, problems);
    if (choices.empty()) return values;
    for (const double u : unit) {
      const auto index = static_cast<std::size_t>(u * static_cast<double>(choices.size()));
      values.push_back(choices[std::min(index, choices.size() - 1)]);
    }
    return values;
  }
  const bool normal = node.type == Node::Type::table &&
                      std::any_of(node.entries.begin(), node.entries.end(),
                                  [](const auto& entry) { return entry.first == "mean"; });
  if (!is_range(node)) {
    problems.add(node, key + " = " + node.type_name() +
                           ": must be { from, to }, { mean, deviation } or a list to choose from");
    return values;
  }
  const ValueRange range = normal ? read_range(node, key, {"mean", "deviation"}, problems)
                                  : read_range(node, key, {"from", "to", "scale"}, problems);
  if (!range.good) return values;
  if (normal ? !(range.deviation.value_or(-1) >= 0) : !(range.from && range.to)) {
    problems.add(
        node, key + (normal ? ": must have mean and deviation >= 0" : ": must have from and to"));
    return values;
  }
  const bool whole = field != nullptr && field->type == ValueType::whole_number;
  for (const double u : unit) {
    if (normal) {
      const double value = *range.mean + *range.deviation * normal_quantile(u);
      values.push_back(as_declared(whole ? std::round(value) : value, field));
    } else if (whole && !range.log) {
      // Every whole number from..to is equally likely.
      const double low = std::ceil(*range.from), high = std::floor(*range.to);
      values.push_back(as_declared(std::min(high, low + std::floor(u * (high - low + 1))), field));
    } else {
      const double value = at_fraction(range, u);
      values.push_back(as_declared(whole ? std::round(value) : value, field));
    }
  }
  return values;
}

}  // namespace carom
