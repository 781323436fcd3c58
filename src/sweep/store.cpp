#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/file.h>

#include <carom/core/error.hpp>
#include <carom/core/version.hpp>
#include <carom/sweep/store.hpp>

#include "../output/provenance.hpp"
#include "result_unit.hpp"
#include "sqlite.hpp"

namespace carom {
namespace {

double epoch_now() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Held by the process, so that it is gone with it however it ends. -1 where the file system has no
/// such locks; SQLite's own still keep the file whole.
int lock_folder(const std::filesystem::path& folder) {
  const int handle = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (handle < 0) {
    throw InvalidInput("cannot open folder '" + folder.string() + "': " + std::strerror(errno));
  }
  if (flock(handle, LOCK_EX | LOCK_NB) == 0) return handle;
  const int reason = errno;
  close(handle);
  if (reason == EWOULDBLOCK) {
    throw InvalidInput("'" + folder.string() + "' is being written by another carom sweep");
  }
  return -1;
}

std::string placeholders(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += i == 0 ? "?" : ",?";
  return text;
}

}  // namespace

SweepStore::SweepStore(const std::filesystem::path& folder, const SweepPlan& plan, SweepPart part,
                       bool resume)
    : plan_(plan), part_(part), file_(folder / file_name) {
  std::error_code code;
  made_folder_ = std::filesystem::create_directories(folder, code);
  if (code) {
    throw InvalidInput("cannot make folder '" + folder.string() + "': " + code.message());
  }
  lock_ = lock_folder(folder);
  try {
    database_ = std::make_unique<Database>(file_, Database::Mode::write);
    // Before anything is written: somebody else's database is left as it is.
    Statement tables = database_->prepare(
        "SELECT count(*), count(CASE WHEN name = 'meta' THEN 1 END) FROM sqlite_master");
    tables.step();
    const bool empty = tables.whole(0) == 0;
    if (!empty && tables.whole(1) == 0) {
      throw InvalidInput("'" + file_.string() +
                         "' is a database of something else: choose another --out");
    }
    tables.reset();
    // NORMAL: after a power loss the last commits may be missing, never half there.
    database_->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
    if (empty) {
      make_tables();
    } else {
      check_same_plan();
      if (!resume) {
        throw InvalidInput("'" + file_.string() +
                           "' holds a sweep already: continue it with --resume, or choose another "
                           "--out");
      }
    }
    count();
    const std::size_t width = plan.parameters().size() + plan.columns().size() + 3;
    insert_ = std::make_unique<Statement>(
        database_->prepare("INSERT OR REPLACE INTO results VALUES (" + placeholders(width) + ")"));
    cost_ = std::make_unique<Statement>(database_->prepare(
        "INSERT INTO costs VALUES (?, ?, 1, ?, ?) ON CONFLICT (run) DO UPDATE SET seconds = "
        "excluded.seconds, attempts = attempts + 1, worker = excluded.worker, finished = "
        "excluded.finished"));
    signal_ = std::make_unique<Statement>(
        database_->prepare("INSERT OR REPLACE INTO signals VALUES (?, ?, ?)"));
    old_status_ =
        std::make_unique<Statement>(database_->prepare("SELECT status FROM results WHERE run = ?"));
  } catch (...) {
    if (lock_ >= 0) close(lock_);
    throw;
  }
}

SweepStore::~SweepStore() {
  try {
    commit();
  } catch (const std::exception&) {
    // What could not be committed will be run again.
  }
  old_status_.reset();
  insert_.reset();
  cost_.reset();
  signal_.reset();
  database_.reset();
  if (lock_ >= 0) close(lock_);
}

void create_store_tables(Database& database, std::span<const std::string> names) {
  std::string results = "run INTEGER PRIMARY KEY";
  for (const std::string& name : names) results += ", " + sql_name(name);
  database.execute(
      "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
      "CREATE TABLE columns (position INTEGER PRIMARY KEY, name TEXT, role TEXT, unit TEXT, help "
      "TEXT);"
      "CREATE TABLE results (" +
      results +
      ", status TEXT, error TEXT);"
      "CREATE TABLE costs (run INTEGER PRIMARY KEY, seconds REAL, attempts INTEGER, worker TEXT, "
      "finished REAL);"
      "CREATE TABLE signals (run INTEGER, name TEXT, samples BLOB, PRIMARY KEY (run, name)) "
      "WITHOUT ROWID;"
      "CREATE INDEX failures ON results (run) WHERE status <> 'done';");
}

void SweepStore::make_tables() {
  std::vector<std::string> names = plan_.parameters();
  for (const SweepColumn& column : plan_.columns()) names.push_back(column.path);
  database_->execute("BEGIN");
  create_store_tables(*database_, names);
  Statement meta = database_->prepare("INSERT INTO meta VALUES (?, ?)");
  const auto note = [&meta](std::string_view key, std::string_view value) {
    meta.bind(1, key).bind(2, value).run();
  };
  note("format", store_format);
  note("plan_hash", plan_.hash());
  note("title", plan_.title());
  note("runs", std::to_string(plan_.size()));
  note("part", fmt::format("{}/{}", part_.index, part_.of));
  note("sweep_file", plan_.file().filename().string());
  note("sweep_text", plan_.text());
  note("scenario_file", plan_.variations().file().filename().string());
  note("scenario_text", plan_.variations().text());
  note("carom_version", version());
  const Json origin = provenance(plan_.scenario(1));
  note("program", json_text(origin.at("program")));
  note("scenario", json_text(origin.at("scenario")));  // of the first run
  note("input_files", json_text(origin.at("input_files")));
  note("created", fmt::format("{:.0f}", epoch_now()));
  Json signals = plan_.signals();
  note("signals", json_text(signals));
  Statement columns = database_->prepare("INSERT INTO columns VALUES (?, ?, ?, ?, ?)");
  std::int64_t position = 0;
  for (const std::string& name : plan_.parameters()) {
    const Field* field = plan_.variations().field(name);
    columns.bind(1, ++position)
        .bind(2, std::string_view(name))
        .bind(3, std::string_view("parameter"));
    columns.bind(4, std::string_view(field != nullptr ? field->unit : ""));
    columns.bind(5, std::string_view(field != nullptr ? field->help : "")).run();
  }
  for (const SweepColumn& column : plan_.columns()) {
    columns.bind(1, ++position).bind(2, std::string_view(column.path));
    columns.bind(3, std::string_view("result"))
        .bind(4, result_unit(column.path))
        .bind(5, std::string_view())
        .run();
  }
  database_->execute("COMMIT;");
}

std::string SweepStore::meta(const std::string& key) const {
  Statement statement = database_->prepare("SELECT value FROM meta WHERE key = ?");
  statement.bind(1, std::string_view(key));
  return statement.step() ? statement.text(0) : std::string();
}

void SweepStore::check_same_plan() {
  const std::string name = "'" + file_.string() + "'";
  if (meta("format") != store_format)
    throw InvalidInput(name + " is no store of this version of carom");
  if (meta("plan_hash") != plan_.hash()) {
    throw InvalidInput(name + " belongs to another plan (" + meta("sweep_file") +
                       ", or its scenario, has changed since): choose another --out");
  }
  const std::string part = fmt::format("{}/{}", part_.index, part_.of);
  if (meta("part") != part) {
    throw InvalidInput(name + " holds part " + meta("part") + " of the plan, not " + part);
  }
  if (meta("carom_version") != version()) {
    throw InvalidInput(name + " was begun by carom " + meta("carom_version") + ", this is " +
                       std::string(version()) + ": results would be mixed; choose another --out");
  }
}

void SweepStore::count() {
  Statement statement = database_->prepare(
      "SELECT (SELECT count(*) FROM results), (SELECT count(*) FROM results "
      "INDEXED BY failures WHERE status <> 'done')");
  statement.step();
  failed_ = statement.whole(1);
  done_ = statement.whole(0) - failed_;
}

std::vector<std::int64_t> SweepStore::missing(bool failed) const {
  std::vector<bool> there(static_cast<std::size_t>(plan_.size()) + 1);
  Statement statement = database_->prepare(failed ? "SELECT run FROM results WHERE status = 'done'"
                                                  : "SELECT run FROM results");
  while (statement.step()) {
    const std::int64_t run = statement.whole(0);
    if (run >= 1 && run <= plan_.size()) there[static_cast<std::size_t>(run)] = true;
  }
  std::vector<std::int64_t> runs;
  for (std::int64_t run = 1; run <= plan_.size(); ++run) {
    if (part_.holds(run) && !there[static_cast<std::size_t>(run)]) runs.push_back(run);
  }
  return runs;
}

void SweepStore::write(const RunRecord& record, const std::string& worker) {
  if (!in_transaction_) {
    database_->execute("BEGIN IMMEDIATE");
    in_transaction_ = true;
  }
  if (failed_ > 0) {  // only then can there be an earlier record
    old_status_->bind(1, record.run);
    if (old_status_->step()) --(old_status_->text(0) == "done" ? done_ : failed_);
    old_status_->reset();
  }
  int index = 0;
  insert_->bind(++index, record.run);
  for (const Json& value : plan_.values(record.run)) insert_->bind(++index, to_cell(value));
  for (const Cell& cell : record.cells) insert_->bind(++index, cell);
  const bool done = record.error.empty();
  insert_->bind(++index, std::string_view(done ? "done" : "failed"));
  insert_->bind(++index, done ? Cell{} : Cell{record.error}).run();
  cost_->bind(1, record.run).bind(2, record.seconds).bind(3, std::string_view(worker));
  cost_->bind(4, epoch_now()).run();
  for (std::size_t i = 0; i < record.signals.size(); ++i) {
    const std::string_view name = i == 0 ? std::string_view("time") : plan_.signals()[i - 1];
    signal_->bind(1, record.run).bind(2, name).bind_blob(3, record.signals[i]).run();
  }
  if (!signal_units_known_ && !record.units.empty()) {
    Json units = Json::object();
    for (std::size_t i = 0; i < record.units.size(); ++i)
      units[plan_.signals()[i]] = record.units[i];
    const std::string text = json_text(units);
    database_->prepare("INSERT OR REPLACE INTO meta VALUES ('signal_units', ?)")
        .bind(1, std::string_view(text))
        .run();
    signal_units_known_ = true;
  }
  ++(done ? done_ : failed_);
}

void SweepStore::commit() {
  if (!in_transaction_) return;
  database_->execute("COMMIT");
  in_transaction_ = false;
}

void SweepStore::discard() {
  insert_.reset();
  cost_.reset();
  signal_.reset();
  old_status_.reset();
  database_.reset();
  in_transaction_ = false;
  std::error_code code;
  for (const char* suffix : {"", "-wal", "-shm"}) {
    std::filesystem::remove(file_.string() + suffix, code);
  }
  if (made_folder_) std::filesystem::remove(file_.parent_path(), code);
}

}  // namespace carom
