#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <carom/output/figure.hpp>
#include <carom/sweep/record.hpp>

namespace carom {

/// Count, mean, spread and range of numbers, taken in one at a time.
struct Statistics {
  std::int64_t count = 0;
  double mean = 0, squares = 0;  ///< squares: sum of squared deviations (Welford)
  double low = 0, high = 0;
  void add(double value);
  double deviation() const;  ///< of the sample; 0 for fewer than two
};

struct ColumnOverview {
  std::string name, role, unit, help;
  Statistics numbers;                    ///< of the cells that are numbers
  std::optional<std::int64_t> distinct;  ///< different values, when there are few
};

/// What `carom sweep show` says first.
struct StoreOverview {
  std::string title, sweep_file, scenario_file, version, part;
  std::int64_t runs = 0, done = 0, failed = 0;  ///< runs of the plan; those in the store
  double seconds = 0;                           ///< CPU time of all [s]
  std::vector<ColumnOverview> columns;
  std::vector<std::pair<std::string, std::int64_t>> failures;  ///< reasons, most frequent first
};
StoreOverview overview(const std::filesystem::path& store);

/// The first `count` rows that meet a condition (empty: all).
struct SweepRows {
  std::vector<std::string> names;
  std::vector<std::vector<Cell>> rows;
};
SweepRows first_rows(const std::filesystem::path& store, std::int64_t count,
                     const std::string& where = {});

/// The name of the first column of results.
std::string first_result(const std::filesystem::path& store);

/// A result by the values of one or two keys, over everything else in the store.
struct Marginal {
  std::vector<std::string> by;  ///< one or two names
  std::string of;
  std::vector<std::string> by_units;  ///< of each key; empty for plain numbers
  std::string of_unit;
  std::vector<std::vector<Cell>> values;  ///< those of each key, ascending
  struct Row {
    std::array<std::uint32_t, 2> at{};  ///< places in `values`
    Statistics of = {};
  };
  std::vector<Row> rows;  ///< ordered by `at`
};
/// Throws InvalidInput with the nearest name when there is no such column.
Marginal marginal(const std::filesystem::path& store, const std::vector<std::string>& by,
                  const std::string& of, const std::string& where = {});

/// All kept values of a signal over a key: the points of a bifurcation diagram.
struct SectionPoints {
  std::string by, of, by_unit, of_unit;
  std::vector<double> x, y;
};
/// The signals that a store has kept.
std::vector<std::string> stored_signals(const std::filesystem::path& store);
/// Throws InvalidInput with the nearest name when there is no such key or signal.
SectionPoints section_points(const std::filesystem::path& store, const std::string& by,
                             const std::string& of);
Figure figure_of(const SectionPoints& points);

/// A line with one key, a heat map with two.
Figure figure_of(const Marginal& marginal);
/// The same as text for a terminal, `width` letters wide.
std::string text_plot(const Marginal& marginal, int width = 72, int height = 18);

}  // namespace carom
