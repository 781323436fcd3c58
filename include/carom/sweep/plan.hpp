#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <carom/scenario/variations.hpp>

namespace carom {

/// Keys that move together, and the values they take: one key of `[grid]`, all keys of a `[[zip]]`,
/// or all keys of `[sample]`.
struct SweepAxis {
  std::vector<std::string> keys;
  std::vector<std::string> origins;  ///< FILE:LINE:COL of each key
  std::vector<Json> values;          ///< point after point, one value for each key

  std::int64_t size() const noexcept {
    return static_cast<std::int64_t>(values.size() / keys.size());
  }
};

/// A result wanted from each run: a dotted path into summary.json. Entries of lists count from 1;
/// `count` is the length of a list and `last` its last entry.
struct SweepColumn {
  std::string path;
  bool optional = false;  ///< written `path?`: absent is no mistake
};

/// One value of each signal in a period, in place of all rows: a stroboscopic section.
struct SweepSection {
  double period = 0.0;         ///< [s]; 0: the key below gives it
  std::string frequency = {};  ///< a key of the scenario [Hz]: the period is its inverse
  double from = 0.0;           ///< of the first value [s]
};

/// Which runs a sweep consists of and what is kept of each. Runs are numbered from 1. The first
/// axis changes slowest. See docs/sweeps.md for the file.
class SweepPlan {
 public:
  /// More than any store or patience holds; a plan beyond is a slip of the pen.
  static constexpr std::int64_t max_runs = 100'000'000;
  /// Of one key, or of all sampled keys together, and of combinations that conditions are tried on:
  /// they are gone through one by one when the plan is read.
  static constexpr std::int64_t max_values = 10'000'000;

  std::int64_t size() const noexcept { return size_; }
  /// Names of the keys that vary, in the order of their columns.
  const std::vector<std::string>& parameters() const noexcept { return parameters_; }
  const std::vector<SweepAxis>& axes() const noexcept { return axes_; }
  const std::vector<SweepColumn>& columns() const noexcept { return columns_; }
  const std::vector<std::string>& signals() const noexcept { return signals_; }
  /// None: all rows of the signals are kept.
  const std::optional<SweepSection>& section() const noexcept { return section_; }
  const std::vector<std::string>& conditions() const noexcept { return conditions_; }
  const std::string& title() const noexcept { return title_; }
  const std::string& text() const noexcept { return text_; }
  const std::filesystem::path& file() const noexcept { return file_; }
  const ScenarioVariations& variations() const noexcept { return variations_; }
  /// Guards against mixing: differs when the plan, the scenario or a file it reads differs.
  const std::string& hash() const noexcept { return hash_; }

  /// The values of the parameters of a run.
  std::vector<Json> values(std::int64_t run) const;
  /// The scenario of a run, checked. Throws ScenarioError.
  Scenario scenario(std::int64_t run) const;

 private:
  friend class PlanReader;
  SweepPlan(std::filesystem::path file, std::string text, ScenarioVariations variations)
      : file_(std::move(file)), text_(std::move(text)), variations_(std::move(variations)) {}
  std::vector<Json> candidate_values(std::int64_t candidate) const;

  std::filesystem::path file_;
  std::string text_;
  ScenarioVariations variations_;
  std::vector<SweepAxis> axes_;
  std::vector<std::string> parameters_;
  std::vector<SweepColumn> columns_;
  std::vector<std::string> signals_;
  std::optional<SweepSection> section_;
  std::vector<std::string> conditions_;
  std::string title_, hash_;
  std::int64_t size_ = 0;
  std::vector<std::int64_t> selected_;  ///< candidates that meet the conditions, if there are any
};

/// Reads a sweep file. Throws ScenarioError with everything wrong with it. The scenarios of the
/// runs are not looked at yet.
SweepPlan load_plan(const std::filesystem::path& file);
/// The same from data, for Python; `scenario` and files are relative to `folder`.
SweepPlan make_plan(const Json& description, const std::filesystem::path& folder);

/// The same from texts, for sweeps that are compiled in: `scenario` is what the sweep names.
/// `where` has conditions in addition to those of the text.
SweepPlan read_plan(std::string_view sweep, std::string_view scenario,
                    const std::vector<std::string>& where = {});

/// Checks the scenario of every run, with `jobs` threads. Throws ScenarioError with what is wrong,
/// at most a handful of problems. `progress` gets the fraction done; returning false stops it.
void validate(const SweepPlan& plan, int jobs, const std::function<bool(double)>& progress = {});

}  // namespace carom
