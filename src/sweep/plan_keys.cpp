#include "plan_keys.hpp"

#include <algorithm>

#include <carom/core/error.hpp>

namespace carom {

const Node* find_key(const Node& table, std::string_view name) {
  for (const auto& [key, node] : table.entries) {
    if (key == name) return &node;
  }
  return nullptr;
}

void require_known(const Node& table, const std::vector<std::string_view>& known,
                   PlanProblems& problems) {
  for (const auto& [name, entry] : table.entries) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      problems.add(entry, unknown_name_message("key", name, known));
    }
  }
}

const Node* text_key(const Node& table, std::string_view name, PlanProblems& problems) {
  const Node* node = find_key(table, name);
  if (node == nullptr || node->type == Node::Type::text) return node;
  problems.add(*node, std::string(name) + " = " + node->type_name() + ": must be a text");
  return nullptr;
}

const Node* table_key(const Node& root, std::string_view name, PlanProblems& problems) {
  const Node* node = find_key(root, name);
  if (node == nullptr || node->type == Node::Type::table) return node;
  problems.add(*node, std::string(name) + " = " + node->type_name() + ": must be a table, [" +
                          std::string(name) + "]");
  return nullptr;
}

std::int64_t whole_key(const Node& table, std::string_view name, std::int64_t fallback,
                       std::int64_t lowest, std::int64_t highest, PlanProblems& problems) {
  const Node* node = find_key(table, name);
  if (node == nullptr) return fallback;
  if (node->type == Node::Type::whole_number) {
    const auto value = node->value.get<std::int64_t>();
    if (value >= lowest && value <= highest) return value;
  }
  problems.add(*node, std::string(name) + " = " + node->type_name() +
                          ": must be a whole number from " + std::to_string(lowest) + " to " +
                          std::to_string(highest));
  return fallback;
}

std::vector<std::string> text_list(const Node& node, const std::string& name,
                                   PlanProblems& problems) {
  std::vector<std::string> texts;
  const bool single = node.type == Node::Type::text;
  bool good = single || node.type == Node::Type::list;
  if (single) texts.push_back(node.value);
  for (const Node& item : node.items) {
    good = good && item.type == Node::Type::text;
    if (good) texts.push_back(item.value);
  }
  if (!good) problems.add(node, name + " must be a list of texts");
  return texts;
}

}  // namespace carom
