#pragma once

#include <string>
#include <utility>
#include <vector>

#include <carom/sweep/plan.hpp>

#include "../scenario/document.hpp"

namespace carom {

/// What is wrong with a sweep file, collected.
class PlanProblems {
 public:
  explicit PlanProblems(std::string file) : file_(std::move(file)) {}
  void add(const Node& node, std::string message) {
    all_.push_back(make_problem(file_, node.position, std::move(message)));
  }
  std::string where(const Node& node) const { return make_problem(file_, node.position, {}).where; }
  const std::vector<Problem>& all() const noexcept { return all_; }

 private:
  std::string file_;
  std::vector<Problem> all_;
};

/// A table of keys, flattened: `"bar.angle" = ...` and `bar.angle = ...` mean the same.
std::vector<std::pair<std::string, const Node*>> flat_keys(const Node& table);

/// The plain value of a node: a scalar or a list of such; null after reporting what is wrong.
Json plain_value(const Node& node, const std::string& key, PlanProblems& problems);

/// The values of a grid key: a list, or a table with from, to and step or count, scale = "log".
std::vector<Json> grid_values(const Node& node, const std::string& key, const Field* field,
                              PlanProblems& problems);

/// Turns numbers in [0, 1) into values of a sampled key: a list to choose from, from and to
/// (scale = "log"), or mean and deviation.
std::vector<Json> sample_values(const Node& node, const std::string& key, const Field* field,
                                const std::vector<double>& unit, PlanProblems& problems);

/// Whole numbers where the schema wants a number become numbers and the other way round where
/// nothing is lost, so that a column has one type.
Json as_declared(Json value, const Field* field);

}  // namespace carom
