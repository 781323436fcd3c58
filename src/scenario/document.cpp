#include "document.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <toml++/toml.h>

namespace carom {
namespace {

/// Deeper than any schema goes. Also bounds the recursion below.
constexpr int deepest = 32;
/// A scenario is written by hand; long tables belong into CSV files.
constexpr std::uintmax_t largest_file = 4u << 20;
constexpr std::size_t longest_origin = 160;  ///< letters of an override shown in messages

Node convert(const toml::node& node, int depth, const std::string& file) {
  Node result;
  const auto& begin = node.source().begin;
  result.position.line = static_cast<int>(begin.line);
  result.position.column = static_cast<int>(begin.column);
  if (depth > deepest) {
    throw ScenarioError({make_problem(file, result.position, "tables are nested too deeply")});
  }
  if (const toml::table* table = node.as_table()) {
    result.type = Node::Type::table;
    for (const auto& [key, value] : *table) {
      Node entry = convert(value, depth + 1, file);
      if (!value.is_table() && key.source().begin.line > 0) {
        entry.position.line = static_cast<int>(key.source().begin.line);
        entry.position.column = static_cast<int>(key.source().begin.column);
      }
      result.entries.push_back({std::string(key.str()), std::move(entry)});
    }
    // toml++ keeps keys sorted; messages and summaries follow the file.
    std::stable_sort(result.entries.begin(), result.entries.end(),
                     [](const auto& a, const auto& b) {
                       return std::pair(a.second.position.line, a.second.position.column) <
                              std::pair(b.second.position.line, b.second.position.column);
                     });
  } else if (const toml::array* list = node.as_array()) {
    result.type = Node::Type::list;
    result.items.reserve(list->size());
    for (const toml::node& item : *list) result.items.push_back(convert(item, depth + 1, file));
  } else if (const auto* whole = node.as_integer()) {
    result.type = Node::Type::whole_number;
    result.value = whole->get();
  } else if (const auto* real = node.as_floating_point()) {
    result.type = Node::Type::number;
    result.value = real->get();
  } else if (const auto* flag = node.as_boolean()) {
    result.type = Node::Type::truth;
    result.value = flag->get();
  } else if (const auto* string = node.as_string()) {
    result.type = Node::Type::text;
    result.value = string->get();
  } else {
    result.type = Node::Type::other;  // dates and times: nothing here takes them
  }
  return result;
}

/// A header or key with thousands of dots makes toml++ build, and later destroy, a tree of that
/// depth by recursion. No schema comes near; refuse it before the parser sees it.
void refuse_long_dotted_keys(std::string_view text, const std::string& file) {
  int line = 1, column = 0, dots = 0;
  for (const char letter : text) {
    ++column;
    if (letter == '\n') {
      ++line;
      column = dots = 0;
    } else if (letter == '=' || letter == '"' || letter == '\'' || letter == '#') {
      dots = 0;
    } else if (letter == '.' && ++dots > 4 * deepest) {
      throw ScenarioError(
          {make_problem(file, {line, column, {}}, "a key with more dots than any table has")});
    }
  }
}

std::string one_line(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    result += byte < 0x20 || byte == 0x7f ? ' ' : letter;
  }
  return result;
}

}  // namespace

Node* Node::entry(std::string_view name) {
  for (auto& [key, node] : entries) {
    if (key == name) return &node;
  }
  return nullptr;
}

std::string Node::type_name() const {
  switch (type) {
    case Type::table:
      return "a table";
    case Type::list:
      return "a list";
    case Type::number:
      return number_text(value.get<double>());
    case Type::whole_number:
      return std::to_string(value.get<std::int64_t>());
    case Type::truth:
      return value.get<bool>() ? "true" : "false";
    case Type::text: {
      const std::string text = one_line(value.get<std::string>());
      return "'" + text.substr(0, 60) + (text.size() > 60 ? "...'" : "'");
    }
    case Type::other:
      return "a date or time";
  }
  return {};
}

Node node_of(const Json& value) {
  Node node;
  node.value = value;
  if (value.is_object()) {
    node.value = nullptr;
    for (const auto& [key, entry] : value.items()) node.entries.push_back({key, node_of(entry)});
  } else if (value.is_array()) {
    node.type = Node::Type::list;
    node.value = nullptr;
    for (const Json& item : value) node.items.push_back(node_of(item));
  } else if (value.is_boolean()) {
    node.type = Node::Type::truth;
  } else if (value.is_number_integer()) {
    node.type = Node::Type::whole_number;
  } else if (value.is_number()) {
    node.type = Node::Type::number;
  } else if (value.is_string()) {
    node.type = Node::Type::text;
  } else {
    node.type = Node::Type::other;
  }
  return node;
}

Problem make_problem(const std::string& file, const Scenario::Position& position,
                     std::string message) {
  if (!position.origin.empty()) return {position.origin, std::move(message), 0, 0};
  const int line = std::max(position.line, 1), column = std::max(position.column, 1);
  return {file + ":" + std::to_string(line) + ":" + std::to_string(column), std::move(message),
          line, column};
}

Node read_toml(std::string_view text, const std::string& file) {
  refuse_long_dotted_keys(text, file);
  try {
    const toml::table table = toml::parse(text, file);
    return convert(table, 0, file);
  } catch (const toml::parse_error& error) {
    const auto& begin = error.source().begin;
    throw ScenarioError(
        {make_problem(file, {static_cast<int>(begin.line), static_cast<int>(begin.column), {}},
                      "not valid TOML: " + one_line(error.description()))});
  }
}

void apply_override(Node& root, const Override& change) {
  const std::string origin =
      one_line(("--set " + change.key + "=" + change.value).substr(0, longest_origin));
  Node value;
  bool is_toml = true;
  try {
    const Node parsed = read_toml("value = " + change.value + "\n", "--set");
    is_toml = parsed.entries.size() == 1;
    if (is_toml) value = parsed.entries.front().second;
  } catch (const ScenarioError&) {
    is_toml = false;
  }
  if (!is_toml) {
    // A shell eats quotes, so a word needs none; anything else must be TOML.
    const bool word = !change.value.empty() &&
                      std::all_of(change.value.begin(), change.value.end(), [](char letter) {
                        return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                               std::strchr("_-./ +", letter) != nullptr;
                      });
    if (!word) {
      throw ScenarioError({Problem{
          origin, "the value is not TOML: a number, true, false, \"text\" or [list] is needed"}});
    }
    value = {};
    value.type = Node::Type::text;
    value.value = change.value;
  }
  assign(root, change.key, std::move(value), origin);
}

void assign(Node& root, std::string_view key, Node value, const std::string& origin) {
  const auto refuse = [&](const std::string& message) {
    throw ScenarioError({Problem{origin, message}});
  };
  const auto mark = [&](auto&& self, Node& node) -> void {
    node.position = {0, 0, origin};
    for (auto& [name, entry] : node.entries) self(self, entry);
    for (Node& item : node.items) self(self, item);
  };
  mark(mark, value);

  Node* place = &root;
  std::string_view rest = key;
  int depth = 0;
  while (true) {
    const std::size_t dot = rest.find('.');
    const std::string part(rest.substr(0, dot));
    if (part.empty() || ++depth > deepest) refuse("the key must be names joined by dots");
    Node* next = nullptr;
    if (place->type == Node::Type::list) {
      const bool digits = part.size() < 9 && std::all_of(part.begin(), part.end(), [](char c) {
                            return std::isdigit(static_cast<unsigned char>(c)) != 0;
                          });
      const std::size_t index = digits ? std::stoul(part) : 0;
      if (index < 1 || index > place->items.size()) {
        refuse("entry '" + part.substr(0, 40) + "' is not there; entries count from 1 to " +
               std::to_string(place->items.size()));
      }
      next = &place->items[index - 1];
    } else if (place->type == Node::Type::table) {
      next = place->entry(part);
      if (next == nullptr) {
        place->entries.push_back({part, Node{}});
        next = &place->entries.back().second;
        next->position.origin = origin;
      }
    } else {
      refuse("'" + part.substr(0, 40) + "' lies inside a value that is no table");
    }
    place = next;
    if (dot == std::string_view::npos) break;
    rest = rest.substr(dot + 1);
  }
  *place = std::move(value);
}

std::string read_scenario_text(const std::filesystem::path& file) {
  const std::string name = "'" + file.string() + "'";
  std::error_code code;
  const auto status = std::filesystem::status(file, code);
  if (!std::filesystem::exists(status))
    throw InvalidInput("cannot read " + name + ": no such file");
  if (std::filesystem::is_directory(status)) {
    throw InvalidInput("cannot read " + name + ": it is a directory, a scenario file is needed");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw InvalidInput("cannot read " + name + ": not a regular file");
  }
  if (std::filesystem::file_size(file, code) > largest_file) {
    throw InvalidInput("cannot read " + name + ": larger than 4 MB, not a scenario file");
  }
  std::FILE* stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr) {
    throw InvalidInput("cannot read " + name + ": " + std::strerror(errno));
  }
  std::string text;
  char buffer[1 << 14];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, stream)) > 0;) {
    text.append(buffer, n);
    if (text.size() > largest_file) break;
  }
  const bool failed = std::ferror(stream) != 0;
  std::fclose(stream);
  if (failed) throw InvalidInput("cannot read " + name + ": reading failed");
  return text;
}

}  // namespace carom
