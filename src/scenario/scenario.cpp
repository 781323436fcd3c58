#include <algorithm>
#include <stdexcept>

#include <carom/scenario/kind.hpp>
#include <carom/scenario/methods.hpp>
#include <carom/scenario/scenario.hpp>
#include <carom/scenario/workload.hpp>

#include "document.hpp"

namespace carom {
namespace {

std::string lines(const std::vector<Problem>& problems) {
  std::string text;
  for (const Problem& problem : problems) text += (text.empty() ? "" : "\n") + problem.text();
  return text;
}

/// Which kind the file is of; the one problem that hides all others.
const Kind& kind_of(Node& root, const std::string& file) {
  std::vector<std::string_view> names;
  for (const Kind& kind : kinds()) names.emplace_back(kind.name);
  const Node* entry = root.entry("kind");
  if (entry == nullptr) {
    std::string known;
    for (const std::string_view name : names) {
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    throw ScenarioError(
        {make_problem(file, {1, 1, {}}, "key 'kind' is missing: must be one of " + known)});
  }
  if (entry->type != Node::Type::text) {
    throw ScenarioError({make_problem(
        file, entry->position, "kind = " + entry->type_name() + ": must be a text in quotes")});
  }
  const std::string name = entry->value.get<std::string>();
  for (const Kind& kind : kinds()) {
    if (kind.name == name) return kind;
  }
  throw ScenarioError(
      {make_problem(file, entry->position, unknown_name_message("kind", name, names))});
}

/// A law or a method that the program knows and this kind does not have is refused with the reason
/// rather than as a misspelt name.
std::optional<Problem> foreign_law_or_method(const Kind& kind, Node& root,
                                             const std::string& file) {
  struct Choice {
    const Node* node = nullptr;  // null: not given
    std::string name;
    bool known = false, foreign = false;
  };
  const auto choice = [&](const char* table, const char* key,
                          const std::vector<std::string>& names) -> Choice {
    const Field* field = nullptr;
    for (const Table& each : kind.tables) {
      if (each.name == table) field = find_field(each, key);
    }
    if (field == nullptr) return {};
    Node* parent = root.entry(table);
    const Node* node = parent != nullptr ? parent->entry(key) : nullptr;
    if (node == nullptr || node->type != Node::Type::text)
      return {nullptr, field->choices.front(), true, false};
    const std::string name = node->value.get<std::string>();
    const auto has = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), name) != list.end();
    };
    return {node, name, has(names), !has(field->choices)};
  };
  const Choice law = choice("contact", "law", known_laws());
  const Choice method = choice("run", "method", known_methods());
  if (!law.known || !method.known || !(law.foreign || method.foreign)) return {};
  return make_problem(file, (method.foreign ? method : law).node->position,
                      refusal_message(law.name, method.name, kind.refusal(law.name, method.name)));
}

}  // namespace

const std::vector<Table>& all_tables(const Kind& kind) {
  static const auto all = [] {
    std::map<std::string, std::vector<Table>> tables;
    for (const Kind& each : kinds()) {
      std::vector<Table>& list = tables[each.name];
      list.push_back(top_table());
      list.insert(list.end(), each.tables.begin(), each.tables.end());
    }
    return tables;
  }();
  return all.at(kind.name);
}

ScenarioError::ScenarioError(std::vector<Problem> problems)
    : InvalidInput(lines(problems)), problems_(std::move(problems)) {}

Override parse_override(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  const std::string shown(argument.substr(0, 80));
  if (equals == std::string_view::npos || equals == 0) {
    throw InvalidInput("--set '" + shown + "': must be key=value, e.g. run.rate=96000");
  }
  return {std::string(argument.substr(0, equals)), std::string(argument.substr(equals + 1))};
}

const Json* Scenario::find(std::string_view key) const {
  const Json* place = &values_;
  while (true) {
    const std::size_t dot = key.find('.');
    const std::string part(key.substr(0, dot));
    if (place->is_array()) {
      const std::size_t index = static_cast<std::size_t>(std::stoul(part));
      if (index < 1 || index > place->size()) return nullptr;
      place = &(*place)[index - 1];
    } else {
      const auto found = place->find(part);
      if (found == place->end()) return nullptr;
      place = &*found;
    }
    if (dot == std::string_view::npos) return place;
    key = key.substr(dot + 1);
  }
}

const Json& Scenario::at(std::string_view key) const {
  const Json* value = find(key);
  if (value == nullptr) {
    throw std::logic_error("scenario key '" + std::string(key) + "' has no value");
  }
  return *value;
}

double Scenario::number(std::string_view key) const { return at(key).get<double>(); }
std::optional<double> Scenario::maybe_number(std::string_view key) const {
  const Json* value = find(key);
  return value == nullptr ? std::nullopt : std::optional(value->get<double>());
}
long long Scenario::whole_number(std::string_view key) const { return at(key).get<long long>(); }
bool Scenario::truth(std::string_view key) const { return at(key).get<bool>(); }
const std::string& Scenario::text(std::string_view key) const {
  return at(key).get_ref<const std::string&>();
}
std::filesystem::path Scenario::path(std::string_view key) const {
  return std::filesystem::absolute(file_).parent_path() / text(key);
}
std::vector<double> Scenario::numbers(std::string_view key) const {
  return at(key).get<std::vector<double>>();
}
std::vector<std::string> Scenario::texts(std::string_view key) const {
  return at(key).get<std::vector<std::string>>();
}
std::vector<Json> Scenario::rows(std::string_view key) const {
  const Json* value = find(key);
  return value == nullptr ? std::vector<Json>{} : std::vector<Json>(value->begin(), value->end());
}

Json Scenario::given_values() const {
  const auto prune = [this](const auto& self, const Json& value, const std::string& path) -> Json {
    const bool list_of_tables = value.is_array() && !value.empty() && value.front().is_object();
    if (!value.is_object() && !list_of_tables) return given(path) ? value : Json();
    Json kept = value.is_object() ? Json::object() : Json::array();
    std::size_t index = 0;
    for (const auto& [name, entry] : value.items()) {
      const std::string key = value.is_object() ? name : std::to_string(++index);
      Json part = self(self, entry, path.empty() ? key : path + "." + key);
      if (list_of_tables) {
        kept.push_back(part.is_null() ? Json::object() : std::move(part));
      } else if (!part.is_null()) {
        kept[name] = std::move(part);
      }
    }
    return kept.empty() && !given(path) ? Json() : kept;
  };
  return prune(prune, values_, "");
}

Problem Scenario::problem(std::string_view key, std::string message) const {
  std::string place(key);
  while (true) {
    const auto found = positions_.find(place);
    if (found != positions_.end()) return make_problem(file_.string(), found->second, message);
    const std::size_t dot = place.rfind('.');
    if (dot == std::string::npos) break;
    place.resize(dot);
  }
  return make_problem(file_.string(), {1, 1, {}}, std::move(message));
}

Scenario parse_scenario(std::string_view text, const std::filesystem::path& file,
                        std::span<const Override> overrides, const FileReader& files) {
  Node root = read_toml(text, file.string());
  for (Override change : overrides) {
    if (change.key == "note") {
      const Kind& kind = kind_of(root, file.string());
      if (kind.note_key.empty())
        throw InvalidInput("note: kind " + kind.name + " has no pitch to set");
      change.key = kind.note_key;
    }
    apply_override(root, change);
  }
  return check_tree(root, file, std::string(text), files);
}

Scenario check_tree(Node& root, const std::filesystem::path& file, std::string source,
                    const FileReader& files) {
  const std::string name = file.string();
  const Kind& kind = kind_of(root, name);
  expand_fits(root, file, files);
  if (const auto foreign = foreign_law_or_method(kind, root, name)) throw ScenarioError({*foreign});
  Checked checked = check_against(root, all_tables(kind), name);
  std::vector<Problem> problems = std::move(checked.problems);
  Scenario scenario(file, kind.name, std::move(checked.values), std::move(checked.positions),
                    std::move(source), files);
  // A kind looks at combinations only once every key by itself is fine: it may rely on that.
  if (problems.empty() && kind.check != nullptr) {
    Problems found(scenario);
    found.attempt("kind", [&] { kind.check(scenario, found); });
    if (found.all().empty()) check_workload(scenario, found);
    problems = found.all();
  }
  if (!problems.empty()) {
    std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
      return std::pair(a.line, a.column) < std::pair(b.line, b.column);
    });
    throw ScenarioError(std::move(problems));
  }
  return scenario;
}

Scenario load_scenario(const std::filesystem::path& file, std::span<const Override> overrides) {
  return parse_scenario(read_scenario_text(file), file, overrides);
}

}  // namespace carom
