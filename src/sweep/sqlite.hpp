#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <carom/sweep/record.hpp>

struct sqlite3;
struct sqlite3_stmt;

namespace carom {

/// A prepared statement of SQLite.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;

  /// Parameters count from 1.
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, double value);
  Statement& bind(int index, std::string_view value);
  Statement& bind(int index, const Cell& value);
  Statement& bind_blob(int index, std::span<const double> values);

  Statement& bind_from(int index, const Statement& row, int column);  ///< a value of any type

  bool step();  ///< true: there is a row
  void run();   ///< steps to the end and resets
  void reset();

  // Of the present row; columns count from 0.
  std::int64_t whole(int column) const;
  double number(int column) const;
  std::string text(int column) const;
  bool is_null(int column) const;
  bool is_number(int column) const;  ///< also a whole number
  bool is_whole(int column) const;
  Cell cell(int column) const;
  std::vector<double> blob(int column) const;

 private:
  void check(int code) const;
  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// A connection to an SQLite file. The file is data: no trigger, view or function of its schema is
/// executed, and its schema cannot be rewritten. Errors are thrown as InvalidInput with the path.
class Database {
 public:
  enum class Mode { read, write };
  Database(const std::filesystem::path& file, Mode mode);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Statement prepare(std::string_view sql) { return {handle_, sql}; }
  void execute(const std::string& sql);

 private:
  sqlite3* handle_ = nullptr;
};

/// A name as SQL takes it: "bar.angle" in double quotes.
std::string sql_name(std::string_view name);

/// What a sweep's table `meta` holds under `key`; empty when there is nothing.
std::string meta(Database& database, std::string_view key);

/// `format` in the table `meta` of every store.
constexpr const char* store_format = "carom-sweep-1";

/// The tables of a store; `names` are the columns of its results between `run` and `status`.
void create_store_tables(Database& database, std::span<const std::string> names);

}  // namespace carom
