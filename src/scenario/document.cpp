#include "document.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <toml++/toml.h>

#include <carom/scenario/kind.hpp>

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

/// Reads past strings and comments, so that what remains is structure: dots of keys and numbers,
/// brackets, line ends.
class Structure {
 public:
  explicit Structure(std::string_view text) : text_(text) {}

  /// The next letter outside strings and comments; '\0' at the end.
  char next() {
    while (at_ < text_.size()) {
      const char letter = text_[at_];
      if (letter == '"' || letter == '\'') {
        skip_string(letter);
      } else if (letter == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else {
        ++at_;
        return letter == '\0' ? ' ' : letter;
      }
    }
    return '\0';
  }
  std::size_t position() const noexcept { return at_; }

 private:
  std::size_t quotes(char quote) const {
    const std::size_t end = std::min(text_.find_first_not_of(quote, at_), text_.size());
    return end - at_;
  }

  void skip_string(char quote) {
    const bool escapes = quote == '"', many_lines = quotes(quote) >= 3;
    at_ += many_lines ? 3 : 1;
    while (at_ < text_.size()) {
      const char letter = text_[at_];
      if (letter == '\n' && !many_lines) return;  // not closed: the parser will say so
      if (letter == '\\' && escapes) {
        at_ += 2;
      } else if (letter == quote && !many_lines) {
        ++at_;
        return;
      } else if (letter == quote && quotes(quote) >= 3) {
        at_ += std::min<std::size_t>(quotes(quote), 5);  // the last two may belong to the string
        return;
      } else {
        ++at_;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// A key with thousands of dots, or brackets within brackets, make toml++ build, and later destroy,
/// a tree of that depth by recursion. No schema comes near; refuse it before the parser sees it.
void refuse_depth(std::string_view text, const std::string& file) {
  Structure structure(text);
  int dots = 0, brackets = 0;
  for (char letter = structure.next(); letter != '\0'; letter = structure.next()) {
    if (letter == '.') ++dots;
    if (letter == '\n' || letter == '=' || letter == ',') dots = 0;
    if (letter == '[' || letter == '{') ++brackets;
    if ((letter == ']' || letter == '}') && brackets > 0) --brackets;
    if (dots <= deepest && brackets <= deepest) continue;
    const std::string_view before = text.substr(0, structure.position());
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = before.size() - (before.rfind('\n') + 1);
    throw ScenarioError({make_problem(file, {static_cast<int>(line), static_cast<int>(column), {}},
                                      dots > deepest ? "a key with more dots than any table has"
                                                     : "tables and lists are nested too deeply")});
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
  if (text.size() > largest_file) {
    throw ScenarioError({make_problem(file, {1, 1, {}}, "larger than 4 MB, not a scenario")});
  }
  refuse_depth(text, file);
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

/// A key that the file gives, taken out of it, so that another can stand for it.
static void remove(Node& root, std::string_view key, const std::string& origin) {
  Node* table = &root;
  while (table != nullptr) {
    const std::size_t dot = key.find('.');
    const std::string_view part = key.substr(0, dot);
    if (dot == std::string_view::npos) {
      if (std::erase_if(table->entries, [&](const auto& entry) { return entry.first == part; }) > 0)
        return;
      break;
    }
    table = table->entry(part);
    key.remove_prefix(dot + 1);
  }
  throw ScenarioError({Problem{origin, "the file has no such key that could be taken out"}});
}

void apply_override(Node& root, const Override& change) {
  const std::string origin =
      one_line(("--set " + change.key + "=" + change.value).substr(0, longest_origin));
  if (change.value.empty()) return remove(root, change.key, origin);
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

std::string read_text_file(const std::filesystem::path& file, std::uintmax_t largest,
                           const std::string& what) {
  const std::string name = "'" + file.string() + "'";
  std::error_code code;
  const auto status = std::filesystem::status(file, code);
  if (!std::filesystem::exists(status))
    throw InvalidInput("cannot read " + name + ": no such file");
  if (std::filesystem::is_directory(status)) {
    throw InvalidInput("cannot read " + name + ": it is a directory, " + what + " is needed");
  }
  if (!std::filesystem::is_regular_file(status)) {
    throw InvalidInput("cannot read " + name + ": not a regular file");
  }
  const auto refuse_size = [&] {
    throw InvalidInput("cannot read " + name + ": larger than " + std::to_string(largest >> 20) +
                       " MB, not " + what);
  };
  if (std::filesystem::file_size(file, code) > largest) refuse_size();
  std::FILE* stream = std::fopen(file.c_str(), "rb");
  if (stream == nullptr) {
    throw InvalidInput("cannot read " + name + ": " + std::strerror(errno));
  }
  std::string text;
  char buffer[1 << 14];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, stream)) > 0;) {
    text.append(buffer, n);
    if (text.size() > largest) break;
  }
  const bool failed = std::ferror(stream) != 0;
  std::fclose(stream);
  if (failed) throw InvalidInput("cannot read " + name + ": reading failed");
  if (text.size() > largest) refuse_size();
  return text;
}

std::string read_scenario_text(const std::filesystem::path& file) {
  return read_text_file(file, largest_file, "a scenario file");
}

std::vector<InputFile> input_files(const Scenario& scenario) {
  std::vector<InputFile> files;
  const auto add = [&](const std::string& key) {
    if (scenario.has(key)) files.push_back({key, scenario.text(key), scenario.path(key)});
  };
  for (const Table& table : all_tables(find_kind(scenario.kind()))) {
    const std::size_t rows = table.repeated ? scenario.rows(table.name).size() : 1;
    for (const Field& field : table.fields) {
      if (field.type != ValueType::file) continue;
      for (std::size_t row = 1; row <= rows; ++row) {
        const std::string index = table.repeated ? "." + std::to_string(row) : "";
        add(table.name.empty() ? field.name : table.name + index + "." + field.name);
      }
    }
  }
  return files;
}

}  // namespace carom
