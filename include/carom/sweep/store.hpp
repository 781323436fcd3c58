#pragma once

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <carom/sweep/record.hpp>

namespace carom {

class Database;
class Statement;

/// Which share of a plan one store holds: for array jobs, run r belongs to part (r - 1) mod of + 1.
struct SweepPart {
  std::int64_t index = 1, of = 1;  ///< 1 <= index <= of
  bool holds(std::int64_t run) const noexcept { return (run - 1) % of == index - 1; }
};

/// Where the records of a sweep go: one SQLite file in write-ahead mode with one writer. What has
/// been committed survives anything; what has not is as if it had never run. The schema is in
/// docs/sweeps.md.
class SweepStore {
 public:
  static constexpr const char* file_name = "sweep.sqlite";

  /// Opens `folder`/sweep.sqlite, or makes it. Throws InvalidInput when it holds another plan, was
  /// begun by another version, is held by another process, or (unless `resume`) holds runs already.
  SweepStore(const std::filesystem::path& folder, const SweepPlan& plan, SweepPart part,
             bool resume);
  ~SweepStore();
  SweepStore(const SweepStore&) = delete;
  SweepStore& operator=(const SweepStore&) = delete;

  /// The runs that are not there yet, in order; with `failed` also those that failed.
  std::vector<std::int64_t> missing(bool failed) const;
  std::int64_t done() const noexcept { return done_; }
  std::int64_t failed() const noexcept { return failed_; }

  /// Puts a record in, in place of an earlier one of the same run. It is durable after commit().
  void write(const RunRecord& record, const std::string& worker);
  void commit();
  /// Takes away a store that was made a moment ago and holds nothing worth keeping.
  void discard();

 private:
  void make_tables();
  void check_same_plan();
  void count();
  std::string meta(const std::string& key) const;

  const SweepPlan& plan_;
  SweepPart part_;
  std::filesystem::path file_;
  int lock_ = -1;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Statement> insert_, cost_, signal_, old_status_;
  std::atomic<std::int64_t> done_{0}, failed_{0};  ///< progress looks at them from outside
  bool in_transaction_ = false, made_folder_ = false;
  bool signal_units_known_ = false;  ///< they are in the store: the first run that ends tells them
};

/// A table of results: one row for each run, in plan order.
struct SweepTable {
  std::vector<std::string> names;  ///< run, parameters, columns, status, error
  std::size_t parameters = 0;      ///< how many of the names are parameters
  std::vector<std::vector<Cell>> rows;
};

/// Reads all results of a store. `file` may also be its folder.
SweepTable read_table(const std::filesystem::path& file);
/// The file that `file` means: itself, or the store in that folder. Throws when there is none.
std::filesystem::path store_file(const std::filesystem::path& file);

/// Collects the parts that array jobs left in `folder`/part-*-of-N into one store. Returns how many
/// runs it holds and how many the plan has.
std::pair<std::int64_t, std::int64_t> merge_parts(const std::filesystem::path& folder);
/// The folder of a part: `folder` itself when there is one part only.
std::filesystem::path part_folder(const std::filesystem::path& folder, SweepPart part);

/// Writes the table of a store as CSV to an open file.
void write_csv(const std::filesystem::path& store, std::FILE* stream);
/// Writes the table of a store as CSV: rows in plan order, full precision, whole or not at all.
void export_csv(const std::filesystem::path& store, const std::filesystem::path& file);
/// Writes the signals of a store as HDF5: a group for each run, a dataset for each signal and the
/// parameters as attributes. Whole or not at all.
void export_hdf5(const std::filesystem::path& store, const std::filesystem::path& file);

}  // namespace carom
