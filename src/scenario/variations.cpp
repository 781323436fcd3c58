#include <carom/scenario/kind.hpp>
#include <carom/scenario/variations.hpp>

#include "document.hpp"

namespace carom {
namespace {

void assign_all(Node& root, std::span<const Assignment> changes) {
  for (const Assignment& change : changes) {
    assign(root, change.key, node_of(change.value), change.origin);
  }
}

bool is_index(std::string_view part) {
  return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

ScenarioVariations::ScenarioVariations(const std::filesystem::path& file,
                                       std::span<const Assignment> shared)
    : ScenarioVariations(file, read_scenario_text(file), shared) {}

ScenarioVariations::ScenarioVariations(std::filesystem::path name, std::string text,
                                       std::span<const Assignment> shared)
    : file_(std::move(name)), text_(std::move(text)) {
  auto root = std::make_unique<Node>(read_toml(text_, file_.string()));
  assign_all(*root, shared);
  root_ = std::move(root);
}

ScenarioVariations::~ScenarioVariations() = default;
ScenarioVariations::ScenarioVariations(ScenarioVariations&&) noexcept = default;
ScenarioVariations& ScenarioVariations::operator=(ScenarioVariations&&) noexcept = default;

Scenario ScenarioVariations::with(std::span<const Assignment> changes) const {
  Node root = *root_;
  assign_all(root, changes);
  return check_tree(root, file_, text_);
}

const Field* ScenarioVariations::field(std::string_view key) const {
  const Kind* kind = nullptr;
  for (const auto& [name, entry] : root_->entries) {
    if (name != "kind") continue;
    for (const Kind& each : kinds()) {
      if (entry.value == each.name) kind = &each;
    }
  }
  if (kind == nullptr) return nullptr;
  const std::size_t dot = key.find('.');
  const std::string_view first = dot == key.npos ? std::string_view{} : key.substr(0, dot);
  for (const Table& table : all_tables(*kind)) {
    if (table.name != first) continue;
    std::string_view rest = dot == key.npos ? key : key.substr(dot + 1);
    if (table.repeated) {
      const std::size_t next = rest.find('.');
      if (next == rest.npos || !is_index(rest.substr(0, next))) return nullptr;
      rest = rest.substr(next + 1);
    }
    return find_field(table, rest);
  }
  return nullptr;
}

}  // namespace carom
