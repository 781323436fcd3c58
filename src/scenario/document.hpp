#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <carom/scenario/scenario.hpp>

namespace carom {

struct Kind;

/// A value as it stood in the file, with its place: what toml++ read, before the schema has seen
/// it.
struct Node {
  enum class Type { table, list, number, whole_number, truth, text, other };
  Type type = Type::table;
  Json value;  ///< of a scalar
  struct Entry;
  std::vector<Entry> entries;  ///< of a table, in the order of the file
  std::vector<Node> items;     ///< of a list
  Scenario::Position position;

  Node* entry(std::string_view name);
  std::string type_name() const;  ///< "a text", "a table": for messages
};

/// A key of a table and what stands there.
struct Node::Entry {
  std::string first;
  Node second;
};

/// Reads TOML. Throws ScenarioError at the first syntax error (there is no safe way to go on).
Node read_toml(std::string_view text, const std::string& file);

/// The tree of a value that is data already. Its places are empty.
Node node_of(const Json& value);

/// Puts an override into the tree, making tables on the way.
void apply_override(Node& root, const Override& change);
/// The same for a value that is data already; `origin` names it in messages.
void assign(Node& root, std::string_view key, Node value, const std::string& origin);

/// Puts the laws of `contact.fit` in its place. Throws ScenarioError.
void expand_fits(Node& root, const std::filesystem::path& file, const FileReader& files);

/// The whole way from a tree to a checked scenario. Throws ScenarioError with all problems.
Scenario check_tree(Node& root, const std::filesystem::path& file, std::string source,
                    const FileReader& files = {});

/// Checks the tree against the tables of a kind, fills defaults and notes positions.
struct Checked {
  Json values = Json::object();
  std::map<std::string, Scenario::Position> positions;
  std::vector<Problem> problems;
};
Checked check_against(const Node& root, std::span<const Table> tables, const std::string& file);

/// The tables of a kind with those that every kind has.
const std::vector<Table>& all_tables(const Kind& kind);

/// The text of a place: FILE:LINE:COL, or the override.
Problem make_problem(const std::string& file, const Scenario::Position& position,
                     std::string message);

/// The contents of a scenario file. Throws InvalidInput when it is a directory, no regular file,
/// unreadable, binary, or larger than a scenario can reasonably be.
std::string read_scenario_text(const std::filesystem::path& file);
/// The same for any file of text; `what` names it in messages.
std::string read_text_file(const std::filesystem::path& file, std::uintmax_t largest,
                           const std::string& what);

/// A file that a scenario names.
struct InputFile {
  std::string key, name;       ///< as the scenario has them
  std::filesystem::path path;  ///< where it is
};
std::vector<InputFile> input_files(const Scenario& scenario);

}  // namespace carom
