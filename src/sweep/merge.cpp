#include <algorithm>
#include <charconv>
#include <unistd.h>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/files.hpp>
#include <carom/sweep/store.hpp>

#include "sqlite.hpp"

namespace carom {
namespace {

std::vector<std::filesystem::path> part_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code code;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    const auto file = entry.path() / SweepStore::file_name;
    if (entry.path().filename().string().starts_with("part-") && std::filesystem::exists(file)) {
      files.push_back(file);
    }
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) {
    throw InvalidInput("there are no parts in '" + folder.string() +
                       "': folders part-I-of-N with a store are needed");
  }
  return files;
}

/// What all parts of a sweep have in common.
struct Sweep {
  std::string hash = {}, version = {};
  std::int64_t runs = 0;
  std::vector<std::string> columns = {};
  bool operator==(const Sweep&) const = default;
};

Sweep read_sweep(Database& part, const std::filesystem::path& file) {
  if (meta(part, "format") != store_format) {
    throw InvalidInput("'" + file.string() + "' is no store of this version of carom");
  }
  Sweep sweep{.hash = meta(part, "plan_hash"), .version = meta(part, "carom_version")};
  const std::string runs = meta(part, "runs");
  const auto read = std::from_chars(runs.data(), runs.data() + runs.size(), sweep.runs);
  if (read.ec != std::errc() || read.ptr != runs.data() + runs.size() || sweep.runs < 1) {
    throw InvalidInput("'" + file.string() +
                       "' is damaged: it does not say how many runs there are");
  }
  Statement names = part.prepare("SELECT name FROM columns ORDER BY position");
  while (names.step()) sweep.columns.push_back(names.text(0));
  if (sweep.columns.empty()) {
    throw InvalidInput("'" + file.string() + "' is damaged: it does not say what its columns are");
  }
  return sweep;
}

/// Copies the rows of `SELECT sql`, bound to the parameters of `insert` one by one: nothing of the
/// part but its values reaches the store.
void copy_rows(Database& part, const std::string& select, Database& merged, const std::string& into,
               int width) {
  std::string marks = "?";
  for (int i = 1; i < width; ++i) marks += ",?";
  Statement rows = part.prepare(select),
            insert = merged.prepare("INSERT INTO " + into + " VALUES (" + marks + ")");
  while (rows.step()) {
    for (int i = 0; i < width; ++i) insert.bind_from(i + 1, rows, i);
    insert.run();
  }
}

void merge_into(Database& merged, const std::vector<std::filesystem::path>& parts) {
  Sweep sweep;
  std::string columns = "run";
  for (const auto& file : parts) {
    Database part(file, Database::Mode::read);
    const Sweep here = read_sweep(part, file);
    if (&file == &parts.front()) {
      sweep = here;
      for (const std::string& name : sweep.columns) columns += ", " + sql_name(name);
      columns += ", status, error";
      create_store_tables(merged, sweep.columns);
    } else if (here != sweep) {
      throw InvalidInput("'" + file.string() + "' belongs to another plan or version than '" +
                         parts.front().string() + "'");
    }
    merged.execute("BEGIN");
    if (&file == &parts.front()) {
      copy_rows(part, "SELECT key, value FROM meta WHERE key <> 'part' UNION SELECT 'part', '1/1'",
                merged, "meta", 2);
      copy_rows(part, "SELECT position, name, role, unit, help FROM columns", merged, "columns", 5);
    }
    const std::string within = fmt::format(" WHERE run BETWEEN 1 AND {}", sweep.runs);
    copy_rows(part, "SELECT " + columns + " FROM results" + within, merged, "results",
              static_cast<int>(sweep.columns.size()) + 3);
    copy_rows(part, "SELECT run, seconds, attempts, worker, finished FROM costs" + within, merged,
              "costs", 5);
    copy_rows(part, "SELECT run, name, samples FROM signals" + within, merged, "signals", 3);
    merged.execute("COMMIT");
  }
}

}  // namespace

std::filesystem::path part_folder(const std::filesystem::path& folder, SweepPart part) {
  if (part.of == 1) return folder;
  return folder / fmt::format("part-{}-of-{}", part.index, part.of);
}

std::pair<std::int64_t, std::int64_t> merge_parts(const std::filesystem::path& folder) {
  const auto parts = part_files(folder);
  const auto target = folder / SweepStore::file_name;
  // Built under a temporary name and renamed: a merge that is killed leaves what was there before.
  const std::filesystem::path temporary = target.string() + ".part" + std::to_string(getpid());
  std::error_code code;
  std::FILE* made = create_new(temporary);
  if (made == nullptr) throw InvalidInput("cannot write '" + temporary.string() + "'");
  std::fclose(made);
  std::pair<std::int64_t, std::int64_t> counts;
  try {
    Database merged(temporary, Database::Mode::write);
    merge_into(merged, parts);
    Statement rows = merged.prepare("SELECT count(*) FROM results");
    rows.step();
    counts = {rows.whole(0), std::stoll(meta(merged, "runs"))};
  } catch (...) {
    std::filesystem::remove(temporary, code);
    throw;
  }
  for (const char* suffix : {"-wal", "-shm"})
    std::filesystem::remove(target.string() + suffix, code);
  std::filesystem::rename(temporary, target, code);
  if (code) throw InvalidInput("cannot write '" + target.string() + "': " + code.message());
  return counts;
}

}  // namespace carom
