#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <carom/scenario/scenario.hpp>
#include <carom/scenario/schema.hpp>

namespace carom {

struct Node;

/// A key and its value as data, where Override has them as text.
struct Assignment {
  std::string key;     ///< dotted, as in `--set`
  Json value;          ///< number, truth, text, or a list of these
  std::string origin;  ///< shown in messages instead of FILE:LINE:COL
};

/// A scenario file that is read once for many runs that differ in some keys: a sweep parses TOML
/// once, not once per run. Safe to use from several threads.
class ScenarioVariations {
 public:
  /// Reads the file and applies what all runs share. Checks syntax only: whether the scenario is
  /// valid is known once all keys have their values. Throws ScenarioError, InvalidInput.
  explicit ScenarioVariations(const std::filesystem::path& file,
                              std::span<const Assignment> shared = {});
  /// The same from a text; `name` stands for the file.
  ScenarioVariations(std::filesystem::path name, std::string text,
                     std::span<const Assignment> shared);
  ~ScenarioVariations();
  ScenarioVariations(ScenarioVariations&&) noexcept;
  ScenarioVariations& operator=(ScenarioVariations&&) noexcept;

  /// The scenario with these keys changed, checked as load_scenario() does. Throws ScenarioError.
  Scenario with(std::span<const Assignment> changes) const;

  /// The declaration of a dotted key in the schema of the file's kind; entries of lists count from
  /// 1. Null when there is no such key, or when the kind is not known.
  const Field* field(std::string_view key) const;

  const std::filesystem::path& file() const noexcept { return file_; }
  const std::string& text() const noexcept { return text_; }  ///< of the file

 private:
  std::filesystem::path file_;
  std::string text_;
  std::unique_ptr<const Node> root_;
};

}  // namespace carom
