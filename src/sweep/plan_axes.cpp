#include "plan_axes.hpp"

#include <algorithm>

#include <carom/core/error.hpp>

#include "plan_keys.hpp"
#include "samples.hpp"

namespace carom {
namespace {

class AxesReader {
 public:
  AxesReader(const Node& root, const ScenarioVariations& variations, PlanProblems& problems)
      : root_(root), variations_(variations), problems_(problems) {}

  std::vector<SweepAxis> read() {
    grid();
    zips();
    sample();
    return std::move(axes_);
  }

 private:
  void grid() {
    const Node* table = table_key(root_, "grid", problems_);
    if (table == nullptr) return;
    for (const auto& [key, node] : flat_keys(*table)) {
      SweepAxis axis{.keys = {key}, .origins = {problems_.where(*node)}, .values = {}};
      axis.values = grid_values(*node, key, variations_.field(key), problems_);
      if (!axis.values.empty()) axes_.push_back(std::move(axis));
    }
  }

  /// `[zip]`, or `[[zip]]` for several: lists of equal length that are gone through together.
  void zips() {
    const Node* node = find_key(root_, "zip");
    if (node == nullptr) return;
    if (node->type == Node::Type::table) {
      zip(*node);
    } else {
      bool good = node->type == Node::Type::list;
      for (const Node& item : node->items) {
        good = good && item.type == Node::Type::table;
        if (good) zip(item);
      }
      if (!good) problems_.add(*node, "zip must be a table, [zip], or several, [[zip]]");
    }
  }

  void zip(const Node& table) {
    SweepAxis axis;
    std::vector<std::vector<Json>> lists;
    for (const auto& [key, node] : flat_keys(table)) {
      axis.keys.push_back(key);
      axis.origins.push_back(problems_.where(*node));
      lists.push_back(grid_values(*node, key, variations_.field(key), problems_));
      if (lists.back().size() != lists.front().size() && !lists.back().empty()) {
        problems_.add(*node, key + " has " + std::to_string(lists.back().size()) + " values and " +
                                 axis.keys.front() + " has " +
                                 std::to_string(lists.front().size()) +
                                 ": zipped lists must have the same length");
      }
    }
    if (lists.empty() || !problems_.all().empty()) return;
    for (std::size_t i = 0; i < lists.front().size(); ++i) {
      for (const std::vector<Json>& list : lists) axis.values.push_back(list[i]);
    }
    axes_.push_back(std::move(axis));
  }

  void sample() {
    const Node* table = table_key(root_, "sample", problems_);
    if (table == nullptr) return;
    for (const auto& [name, entry] : table->entries) {
      const std::vector<std::string_view> known{"count", "method", "seed", "keys"};
      if (std::find(known.begin(), known.end(), name) == known.end()) {
        problems_.add(entry, unknown_name_message("key", "sample." + name, known) +
                                 " (what is sampled goes into [sample.keys])");
      }
    }
    const Node* keys = find_key(*table, "keys");
    if (keys == nullptr || keys->type != Node::Type::table || keys->entries.empty()) {
      problems_.add(*table, "[sample.keys] is missing: it says which keys are sampled");
      return;
    }
    const std::int64_t count = whole_key(*table, "count", 0, 1, SweepPlan::max_values, problems_);
    if (find_key(*table, "count") == nullptr)
      problems_.add(*table, "key 'sample.count' is missing");
    const auto seed_of_all = whole_key(root_, "seed", 1, 0, INT64_MAX, problems_);
    const auto seed = whole_key(*table, "seed", seed_of_all, 0, INT64_MAX, problems_);
    SampleMethod method = SampleMethod::random;
    if (const Node* name = text_key(*table, "method", problems_)) {
      if (name->value == "sobol") {
        method = SampleMethod::sobol;
      } else if (name->value == "latin") {
        method = SampleMethod::latin;
      } else if (name->value != "random") {
        const std::vector<std::string_view> known{"random", "sobol", "latin"};
        problems_.add(*name,
                      unknown_name_message("sample.method", name->value.get<std::string>(), known));
      }
    }
    const auto wanted = flat_keys(*keys);
    if (count > SweepPlan::max_values / static_cast<std::int64_t>(wanted.size())) {
      problems_.add(
          *table, "[sample] has more than 10 million values: fewer of 'count', or several sweeps");
    }
    if (!problems_.all().empty()) return;
    const std::vector<double> points =
        unit_samples(method, count, wanted.size(), static_cast<std::uint64_t>(seed));
    SweepAxis axis;
    axis.values.resize(points.size());
    for (std::size_t d = 0; d < wanted.size(); ++d) {
      const auto& [key, node] = wanted[d];
      axis.keys.push_back(key);
      axis.origins.push_back(problems_.where(*node));
      std::vector<double> unit;
      for (std::size_t i = d; i < points.size(); i += wanted.size()) unit.push_back(points[i]);
      std::vector<Json> values = sample_values(*node, key, variations_.field(key), unit, problems_);
      if (values.empty()) return;
      for (std::size_t i = 0; i < values.size(); ++i) {
        axis.values[i * wanted.size() + d] = std::move(values[i]);
      }
    }
    axes_.push_back(std::move(axis));
  }

  const Node& root_;
  const ScenarioVariations& variations_;
  PlanProblems& problems_;
  std::vector<SweepAxis> axes_;
};

}  // namespace

std::vector<SweepAxis> read_axes(const Node& root, const ScenarioVariations& variations,
                                 PlanProblems& problems) {
  return AxesReader(root, variations, problems).read();
}

}  // namespace carom
