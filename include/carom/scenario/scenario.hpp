#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/scenario/schema.hpp>

namespace carom {

/// One thing wrong with a scenario.
struct Problem {
  std::string where;  ///< "FILE:LINE:COL" or "--set KEY=VALUE"
  std::string message;
  int line = 0, column = 0;

  std::string text() const { return where + ": " + message; }
};

/// Everything wrong with a scenario, found in one go; what() has one line for each.
class ScenarioError : public InvalidInput {
 public:
  explicit ScenarioError(std::vector<Problem> problems);
  const std::vector<Problem>& problems() const noexcept { return problems_; }

 private:
  std::vector<Problem> problems_;
};

/// `--set key=value`: `value` is TOML (`200`, `1e6`, `[1, 2]`, `"text"`, `true`); a bare word is a
/// text. Entries of lists count from 1: `obstacle.1.height`.
struct Override {
  std::string key;
  std::string value;
};

/// Splits "key=value"; throws InvalidInput when there is no '=' or no key.
Override parse_override(std::string_view argument);

/// The bytes of a file that a scenario names, where it is not on the disk: in a browser, in an
/// archive. Throws InvalidInput where there is none. Null: the disk.
using FileReader = std::function<std::string(const std::filesystem::path&)>;

/// A scenario file that has been read, overridden and checked against the schema of its kind, with
/// all defaults filled in. Keys are dotted: "body.mass".
class Scenario {
 public:
  /// Where a value came from, for messages.
  struct Position {
    int line = 1, column = 1;
    std::string origin;  ///< "--set KEY=VALUE" when it was overridden, else empty
  };

  Scenario(std::filesystem::path file, std::string kind, Json values,
           std::map<std::string, Position> positions, std::string source = {},
           FileReader files = {})
      : file_(std::move(file)),
        source_(std::move(source)),
        kind_(std::move(kind)),
        values_(std::move(values)),
        positions_(std::move(positions)),
        files_(std::move(files)) {}

  const std::filesystem::path& file() const noexcept { return file_; }
  const std::string& source() const noexcept { return source_; }  ///< the text of the file
  const FileReader& files() const noexcept { return files_; }     ///< of the files it names
  const std::string& kind() const noexcept { return kind_; }
  const Json& values() const noexcept { return values_; }  ///< all of them, defaults included

  /// Is there a value: given, overridden or by default? Also of a table: has("sound").
  bool has(std::string_view key) const { return find(key) != nullptr; }
  /// Did the file or --set give it, rather than a default?
  bool given(std::string_view key) const { return positions_.contains(std::string(key)); }

  /// values() without defaults: what the file and --set have said.
  Json given_values() const;

  // The schema has checked type and range; asking for a key that is not there is a mistake in the
  // kind and throws std::logic_error.
  double number(std::string_view key) const;
  std::optional<double> maybe_number(std::string_view key) const;
  long long whole_number(std::string_view key) const;
  bool truth(std::string_view key) const;
  const std::string& text(std::string_view key) const;
  std::filesystem::path path(std::string_view key) const;  ///< made absolute against the file
  std::vector<double> numbers(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key) const;
  const Json& table(std::string_view key) const { return at(key); }  ///< all its keys
  /// The entries of a table_list or of a repeated table; empty when there are none.
  std::vector<Json> rows(std::string_view key) const;

  /// "FILE:LINE:COL" of a key, of its table when the key is a default.
  Problem problem(std::string_view key, std::string message) const;

 private:
  const Json* find(std::string_view key) const;
  const Json& at(std::string_view key) const;

  std::filesystem::path file_;
  std::string source_, kind_;
  Json values_;
  std::map<std::string, Position> positions_;
  FileReader files_;
};

/// Collects what is wrong while a kind checks combinations of keys.
class Problems {
 public:
  explicit Problems(const Scenario& scenario) : scenario_(&scenario) {}

  void add(std::string_view key, std::string message) {
    all_.push_back(scenario_->problem(key, std::move(message)));
  }
  /// Runs a check that throws InvalidInput and files its message under `key`.
  template <class Check>
  void attempt(std::string_view key, Check&& check) {
    try {
      check();
    } catch (const ScenarioError& error) {
      all_.insert(all_.end(), error.problems().begin(), error.problems().end());
    } catch (const InvalidInput& error) {
      add(key, error.what());
    }
  }
  const std::vector<Problem>& all() const noexcept { return all_; }

 private:
  const Scenario* scenario_;
  std::vector<Problem> all_;
};

/// Reads, overrides and checks. Throws ScenarioError with every problem there is. Nothing is run.
Scenario load_scenario(const std::filesystem::path& file, std::span<const Override> overrides = {});

/// The same from text; `file` is used in messages and to resolve paths, `files` to read the files
/// that the scenario names.
Scenario parse_scenario(std::string_view text, const std::filesystem::path& file,
                        std::span<const Override> overrides = {}, const FileReader& files = {});

/// The scenario as TOML that gives the same run: what the file and the overrides have said.
std::string scenario_toml(const Scenario& scenario);

}  // namespace carom
