#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <carom/sweep/plan.hpp>

namespace carom {

/// A value of a table: nothing, a whole number (also true and false), a number or a text.
using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

Cell to_cell(const Json& value);  ///< lists become JSON text; NaN becomes nothing

/// What is kept of one run.
struct RunRecord {
  std::int64_t run = 0;
  std::string error = {};  ///< empty: done. Else why it failed; results may be there all the same
  double seconds = 0;      ///< CPU time it took [s]
  bool unknown_column = false;                    ///< failed because a column is not in the summary
  std::vector<Cell> cells = {};                   ///< in the order of the plan's columns
  std::vector<std::vector<double>> signals = {};  ///< time, then the plan's signals
  std::vector<std::string> units = {};            ///< of the plan's signals
};

/// The value of a column in a summary, null when an entry of a list is beyond its end. Throws
/// InvalidInput with the nearest name when a name is not there, unless the column is optional.
Json look_up(const Json& summary, const SweepColumn& column);

/// Runs one run of a plan in memory. Whatever goes wrong in it becomes its `error`. Nothing comes
/// back when `interrupt` was set before it ended.
std::optional<RunRecord> run_one(const SweepPlan& plan, std::int64_t run,
                                 const std::atomic<bool>* interrupt = nullptr);

/// Bytes for a message and back; the same machine type on both sides.
std::string pack(const std::vector<RunRecord>& records);
std::vector<RunRecord> unpack(std::string_view bytes);

}  // namespace carom
