#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <memory>
#include <set>

#include <carom/core/error.hpp>
#include <carom/scenario/kind.hpp>
#include <carom/sweep/plan.hpp>

#include "../output/hash.hpp"
#include "condition.hpp"
#include "plan_axes.hpp"
#include "plan_keys.hpp"

namespace carom {
namespace {

/// Names that the table of results has in addition to the keys and columns of the plan.
constexpr std::array<std::string_view, 3> reserved_names{"run", "status", "error"};
/// SQLite's own limit is 2000 columns.
constexpr std::size_t max_columns = 1000;

Json json_of(const Node& node) {
  if (node.type == Node::Type::table) {
    Json table = Json::object();
    for (const auto& [name, entry] : node.entries) table[name] = json_of(entry);
    return table;
  }
  if (node.type == Node::Type::list) {
    Json list = Json::array();
    for (const Node& item : node.items) list.push_back(json_of(item));
    return list;
  }
  return node.value;
}

}  // namespace

/// Goes through a sweep file from top to bottom and fills a plan.
class PlanReader {
 public:
  PlanReader(const Node& root, std::filesystem::path file, std::string text,
             const std::string* scenario = nullptr)
      : root_(root),
        file_(std::move(file)),
        text_(std::move(text)),
        scenario_(scenario),
        problems_(file_.string()) {}

  SweepPlan read() {
    require_known(root_,
                  {"scenario", "title", "description", "seed", "where", "grid", "zip", "sample",
                   "set", "results"},
                  problems_);
    const Node* scenario = find_key(root_, "scenario");
    if (scenario == nullptr || scenario->type != Node::Type::text) {
      problems_.add(scenario != nullptr ? *scenario : root_,
                    "key 'scenario' must name the scenario file, relative to this file");
      stop_if_problems();
    }
    const auto scenario_file = file_.parent_path() / scenario->value.get<std::string>();
    const std::vector<Assignment> shared = fixed_values();
    stop_if_problems();
    plan_ = std::unique_ptr<SweepPlan>(
        new SweepPlan(file_, text_, open_scenario(*scenario, scenario_file, shared)));
    if (const Node* title = text_key(root_, "title", problems_)) plan_->title_ = title->value;
    plan_->axes_ = read_axes(root_, plan_->variations_, problems_);
    results();
    for (const SweepAxis& axis : plan_->axes_) {
      plan_->parameters_.insert(plan_->parameters_.end(), axis.keys.begin(), axis.keys.end());
    }
    names_are_unique(shared);
    stop_if_problems();
    conditions(shared);
    stop_if_problems();
    plan_->hash_ = hash_text();
    return std::move(*plan_);
  }

 private:
  void stop_if_problems() const {
    if (!problems_.all().empty()) throw ScenarioError(problems_.all());
  }

  ScenarioVariations open_scenario(const Node& node, const std::filesystem::path& file,
                                   const std::vector<Assignment>& shared) {
    try {
      if (scenario_ != nullptr) return ScenarioVariations(file, *scenario_, shared);
      return ScenarioVariations(file, shared);
    } catch (const ScenarioError&) {
      throw;
    } catch (const InvalidInput& error) {
      problems_.add(node, error.what());
      throw ScenarioError(problems_.all());
    }
  }

  std::vector<Assignment> fixed_values() {
    std::vector<Assignment> fixed;
    if (const Node* set = table_key(root_, "set", problems_)) {
      for (const auto& [key, node] : flat_keys(*set)) {
        fixed.push_back({key, plain_value(*node, key, problems_), problems_.where(*node)});
      }
    }
    return fixed;
  }

  void results() {
    const Node* table = table_key(root_, "results", problems_);
    if (table != nullptr) require_known(*table, {"columns", "signals", "section"}, problems_);
    const Node* columns = table != nullptr ? find_key(*table, "columns") : nullptr;
    if (columns == nullptr || (columns->type == Node::Type::list && columns->items.empty())) {
      problems_.add(table != nullptr ? *table : root_,
                    "key 'results.columns' is missing: the results to keep, as paths into "
                    "summary.json, e.g. [\"results.impacts\"]");
      return;
    }
    for (std::string& path : text_list(*columns, "results.columns", problems_)) {
      const bool optional = path.ends_with('?');
      if (optional) path.pop_back();
      if (path.empty() || path.front() == '.' || path.back() == '.' ||
          path.find("..") != path.npos) {
        problems_.add(*columns, "results.columns: '" + path + "' must be names joined by dots");
      }
      plan_->columns_.push_back({path, optional});
    }
    if (const Node* signals = find_key(*table, "signals")) {
      plan_->signals_ = text_list(*signals, "results.signals", problems_);
    }
    if (const Node* section = find_key(*table, "section")) read_section(*section);
  }

  /// section = { period = 0.04, from = 1.0 } or { frequency = "body.1.frequency", from = 1.0 }.
  void read_section(const Node& node) {
    if (node.type != Node::Type::table) {
      problems_.add(node, "results.section must be a table: { period = SECONDS, from = SECONDS }");
      return;
    }
    require_known(node, {"period", "frequency", "from"}, problems_);
    SweepSection section;
    const auto seconds = [&](const char* name, double& value) {
      const Node* entry = find_key(node, name);
      if (entry == nullptr) return false;
      const bool number =
          entry->type == Node::Type::number || entry->type == Node::Type::whole_number;
      if (number) value = entry->value.get<double>();
      if (!number || !(value >= 0) || !std::isfinite(value))
        problems_.add(*entry, std::string("results.section.") + name +
                                  ": must be a number of at least 0 [s]");
      return true;
    };
    const bool period = seconds("period", section.period);
    seconds("from", section.from);
    const Node* frequency = find_key(node, "frequency");
    if (period == (frequency != nullptr)) {
      problems_.add(node, "results.section: period [s] or frequency (a key in Hz) is needed");
      return;
    }
    if (period && !(section.period > 0))
      problems_.add(node, "results.section.period: must be a number greater than 0 [s]");
    if (frequency != nullptr) {
      if (frequency->type != Node::Type::text) {
        problems_.add(*frequency, "results.section.frequency: must be a key in quotes");
        return;
      }
      section.frequency = frequency->value.get<std::string>();
    }
    if (plan_->signals_.empty())
      problems_.add(node, "results.section has no meaning without results.signals");
    plan_->section_ = section;
  }

  void names_are_unique(const std::vector<Assignment>& shared) {
    std::set<std::string, std::less<>> seen(reserved_names.begin(), reserved_names.end());
    for (const Assignment& each : shared) seen.insert(each.key);
    for (const SweepAxis& axis : plan_->axes_) {
      for (std::size_t i = 0; i < axis.keys.size(); ++i) {
        if (seen.insert(axis.keys[i]).second) continue;
        all_problem(axis.origins[i], "key '" + axis.keys[i] + "' is given a value twice");
      }
    }
    for (const SweepColumn& column : plan_->columns_) {
      if (seen.insert(column.path).second) continue;
      problems_.add(*find_key(*find_key(root_, "results"), "columns"),
                    "column '" + column.path + "' is there already");
    }
    if (seen.size() > max_columns) problems_.add(root_, "more than 1000 keys and columns");
    if (plan_->axes_.empty() && problems_.all().empty()) {
      problems_.add(root_, "nothing varies: [grid], [zip] or [sample] is needed");
    }
  }
  void all_problem(const std::string& where, const std::string& message) {
    Node node;
    node.position.origin = where;
    problems_.add(node, message);
  }

  void conditions(const std::vector<Assignment>& shared) {
    std::int64_t candidates = 1;
    for (const SweepAxis& axis : plan_->axes_) {
      if (axis.size() > SweepPlan::max_runs / candidates) {
        problems_.add(root_, "the plan has more than 100 million runs");
        return;
      }
      candidates *= axis.size();
    }
    plan_->size_ = candidates;
    const Node* where = find_key(root_, "where");
    if (where == nullptr) return;
    if (candidates > SweepPlan::max_values) {
      problems_.add(*where,
                    "the plan has more than 10 million combinations to try the conditions on");
      return;
    }
    plan_->conditions_ = text_list(*where, "where", problems_);
    std::vector<std::string> names = plan_->parameters_;
    for (const Assignment& each : shared) names.push_back(each.key);
    try {
      std::vector<Condition> all;
      for (const std::string& text : plan_->conditions_) all.emplace_back(text, names);
      for (std::int64_t i = 0; i < candidates; ++i) {
        std::vector<Json> values = plan_->candidate_values(i);
        for (const Assignment& each : shared) values.push_back(each.value);
        const bool holds = std::all_of(all.begin(), all.end(),
                                       [&](const Condition& each) { return each.holds(values); });
        if (holds) plan_->selected_.push_back(i);
      }
    } catch (const ScenarioError&) {
      throw;
    } catch (const InvalidInput& error) {
      problems_.add(*where, error.what());
      return;
    }
    plan_->size_ = static_cast<std::int64_t>(plan_->selected_.size());
    if (plan_->size_ == 0) problems_.add(*where, "no run meets the conditions");
  }

  std::string hash_text() const {
    Json content = json_of(root_);
    for (const char* for_people : {"title", "description"}) content.erase(for_people);
    Hash hash;
    hash.add(json_text(content));
    hash.add(plan_->variations_.text());
    // Files of the scenario: those of the first run and those that vary.
    std::set<std::filesystem::path> files;
    try {
      const Scenario first = plan_->scenario(1);
      for (const InputFile& each : input_files(first)) files.insert(each.path);
    } catch (const ScenarioError&) {
      // validate() reports it with all others.
    }
    const auto folder = std::filesystem::absolute(plan_->variations_.file()).parent_path();
    for (const SweepAxis& axis : plan_->axes_) {
      for (std::size_t i = 0; i < axis.values.size(); ++i) {
        const Field* declared = plan_->variations_.field(axis.keys[i % axis.keys.size()]);
        if (declared != nullptr && declared->type == ValueType::file &&
            axis.values[i].is_string()) {
          files.insert(folder / axis.values[i].get<std::string>());
        }
      }
    }
    for (const auto& file : files) hash.add_file(file);
    return hash.text();
  }

  const Node& root_;
  std::filesystem::path file_;
  std::string text_;
  const std::string* scenario_;  ///< its text, where it is not a file
  PlanProblems problems_;
  std::unique_ptr<SweepPlan> plan_;
};

std::vector<Json> SweepPlan::candidate_values(std::int64_t candidate) const {
  std::vector<Json> values(parameters_.size());
  std::size_t column = values.size();
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    const std::size_t width = axis->keys.size();
    const auto point = static_cast<std::size_t>(candidate % axis->size());
    candidate /= axis->size();
    column -= width;
    for (std::size_t i = 0; i < width; ++i) values[column + i] = axis->values[point * width + i];
  }
  return values;
}

std::vector<Json> SweepPlan::values(std::int64_t run) const {
  assert(run >= 1 && run <= size_);
  return candidate_values(conditions_.empty() ? run - 1
                                              : selected_[static_cast<std::size_t>(run - 1)]);
}

Scenario SweepPlan::scenario(std::int64_t run) const {
  std::vector<Json> chosen = values(run);
  std::vector<Assignment> changes;
  changes.reserve(chosen.size());
  std::size_t i = 0;
  for (const SweepAxis& axis : axes_) {
    for (std::size_t k = 0; k < axis.keys.size(); ++k, ++i) {
      changes.push_back({axis.keys[k], std::move(chosen[i]), axis.origins[k]});
    }
  }
  return variations_.with(changes);
}

SweepPlan load_plan(const std::filesystem::path& file) {
  const std::string text = read_scenario_text(file);
  const Node root = read_toml(text, file.string());
  return PlanReader(root, file, text).read();
}

SweepPlan make_plan(const Json& description, const std::filesystem::path& folder) {
  Node root = node_of(description);
  root.position.origin = "sweep";
  return PlanReader(root, folder / "sweep", json_text(description, 2) + "\n").read();
}

SweepPlan read_plan(std::string_view sweep, std::string_view scenario,
                    const std::vector<std::string>& where) {
  Node root = read_toml(sweep, "sweep");
  if (!where.empty()) {
    const Node* given = find_key(root, "where");
    Json conditions = given != nullptr ? json_of(*given) : Json::array();
    if (conditions.is_string()) conditions = Json::array({conditions});
    for (const std::string& condition : where) conditions.push_back(condition);
    std::erase_if(root.entries, [](const auto& entry) { return entry.first == "where"; });
    root.entries.push_back({"where", node_of(conditions)});
  }
  const std::string text(scenario);
  return PlanReader(root, "sweep", std::string(sweep), &text).read();
}

}  // namespace carom
