#include "sqlite.hpp"

#include <cctype>
#include <cstring>
#include <sqlite3.h>
#include <utility>

#include <fmt/format.h>

#include <carom/core/error.hpp>

namespace carom {
namespace {

/// Another process may hold the file for the length of a commit.
constexpr int lock_patience = 10'000;  // [ms]

[[noreturn]] void fail(sqlite3* database) {
  const char* file = sqlite3_db_filename(database, "main");
  throw InvalidInput("store '" + std::string(file != nullptr ? file : "?") +
                     "': " + sqlite3_errmsg(database));
}

std::string uri_of(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char letter : std::filesystem::absolute(file).string()) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '/' ||
                       letter == '.' || letter == '-' || letter == '_';
    uri +=
        plain ? std::string(1, letter) : fmt::format("%{:02X}", static_cast<unsigned char>(letter));
  }
  return uri;
}

/// Before the first statement: a store may come from anywhere.
bool distrust(sqlite3* database) {
  struct Setting {
    int name, value;
  };
  bool set = true;
  for (const auto& [name, value] : {Setting{SQLITE_DBCONFIG_DEFENSIVE, 1},
                                    {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                    {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                    {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                    // a name in quotes that is no column is an error, not a text
                                    {SQLITE_DBCONFIG_DQS_DML, 0},
                                    {SQLITE_DBCONFIG_DQS_DDL, 0}}) {
    set = sqlite3_db_config(database, name, value, nullptr) == SQLITE_OK && set;
  }
  return set;
}

}  // namespace

Statement::Statement(sqlite3* database, std::string_view sql) : database_(database) {
  check(
      sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr));
}
Statement::~Statement() { sqlite3_finalize(statement_); }
Statement::Statement(Statement&& other) noexcept
    : database_(other.database_), statement_(std::exchange(other.statement_, nullptr)) {}

void Statement::check(int code) const {
  if (code != SQLITE_OK) fail(database_);
}

Statement& Statement::bind(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, index, value));
  return *this;
}
Statement& Statement::bind(int index, double value) {
  check(sqlite3_bind_double(statement_, index, value));
  return *this;
}
Statement& Statement::bind(int index, std::string_view value) {
  check(sqlite3_bind_text64(statement_, index, value.data(), value.size(), SQLITE_TRANSIENT,
                            SQLITE_UTF8));
  return *this;
}
Statement& Statement::bind(int index, const Cell& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return bind(index, *whole);
  if (const auto* number = std::get_if<double>(&value)) return bind(index, *number);
  if (const auto* text = std::get_if<std::string>(&value)) {
    return bind(index, std::string_view(*text));
  }
  check(sqlite3_bind_null(statement_, index));
  return *this;
}
Statement& Statement::bind_blob(int index, std::span<const double> values) {
  check(sqlite3_bind_blob64(statement_, index,
                            values.empty() ? "" : static_cast<const void*>(values.data()),
                            values.size_bytes(), SQLITE_TRANSIENT));
  return *this;
}

Statement& Statement::bind_from(int index, const Statement& row, int column) {
  check(sqlite3_bind_value(statement_, index, sqlite3_column_value(row.statement_, column)));
  return *this;
}

bool Statement::step() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) fail(database_);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  reset();
}

void Statement::reset() { check(sqlite3_reset(statement_)); }

std::int64_t Statement::whole(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::number(int column) const { return sqlite3_column_double(statement_, column); }
std::string Statement::text(int column) const {
  const auto* begin = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (begin == nullptr) return {};
  return {begin, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}
bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
bool Statement::is_number(int column) const {
  const int type = sqlite3_column_type(statement_, column);
  return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}
bool Statement::is_whole(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_INTEGER;
}
Cell Statement::cell(int column) const {
  switch (sqlite3_column_type(statement_, column)) {
    case SQLITE_INTEGER:
      return whole(column);
    case SQLITE_FLOAT:
      return number(column);
    case SQLITE_NULL:
      return {};
    default:
      return text(column);
  }
}
std::vector<double> Statement::blob(int column) const {
  const void* bytes = sqlite3_column_blob(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  std::vector<double> values(size / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes, values.size() * sizeof(double));
  return values;
}

Database::Database(const std::filesystem::path& file, Mode mode) {
  const auto open = [&](const std::string& name, int flags) {
    sqlite3_close(std::exchange(handle_, nullptr));
    if (sqlite3_open_v2(name.c_str(), &handle_, flags | SQLITE_OPEN_NOMUTEX, nullptr) ==
            SQLITE_OK &&
        distrust(handle_)) {
      return;
    }
    const std::string reason = handle_ != nullptr ? sqlite3_errmsg(handle_) : "out of memory";
    sqlite3_close(std::exchange(handle_, nullptr));
    throw InvalidInput("cannot open store '" + file.string() + "': " + reason);
  };
  if (mode == Mode::write) {
    open(file.native(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  } else {
    // A reader that may write tidies up behind itself; a store on a medium that cannot be written
    // has no writer, which SQLite must be told.
    open(file.native(), SQLITE_OPEN_READWRITE);
    if (sqlite3_db_readonly(handle_, "main") == 1) {
      open(uri_of(file) + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
    } else {
      execute("PRAGMA query_only = 1");
    }
  }
  sqlite3_busy_timeout(handle_, lock_patience);
}
Database::~Database() { sqlite3_close(handle_); }

void Database::execute(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail(handle_);
}

std::string sql_name(std::string_view name) {
  std::string quoted = "\"";
  for (const char letter : name) {
    quoted += letter;
    if (letter == '"') quoted += letter;
  }
  return quoted + "\"";
}

std::string meta(Database& database, std::string_view key) {
  Statement statement = database.prepare("SELECT value FROM meta WHERE key = ?");
  statement.bind(1, key);
  return statement.step() ? statement.text(0) : std::string();
}

}  // namespace carom
