#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include <carom/core/error.hpp>
#include <carom/sweep/show.hpp>
#include <carom/sweep/store.hpp>

#include "condition.hpp"
#include "sqlite.hpp"

namespace carom {
namespace {

/// Beyond this many different values a key is called continuous.
constexpr std::size_t max_distinct = 1000;
constexpr std::size_t max_reasons = 5;

std::vector<std::string> names_of(Database& database) {
  std::vector<std::string> names;
  Statement columns = database.prepare("SELECT name FROM pragma_table_info('results')");
  while (columns.step()) names.push_back(columns.text(0));
  if (names.empty()) throw InvalidInput("this is no store of a sweep: it has no table 'results'");
  return names;
}

std::size_t position(const std::vector<std::string>& names, const std::string& name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return i;
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  throw InvalidInput(unknown_name_message("column", name, known));
}

/// Gives the different values of a key numbers, in the order they are met.
class ValueNumbers {
 public:
  std::uint32_t operator()(const Statement& row, int column) {
    if (row.is_number(column) && !row.is_whole(column)) {
      return find(numbers_, row.number(column), [&] { return Cell{row.number(column)}; });
    }
    Cell cell = row.cell(column);
    return find(others_, cell, [&] { return cell; });
  }
  const Cell& value(std::uint32_t number) const { return values_[number]; }
  /// The place of each number in the order of the values.
  std::vector<std::uint32_t> ranks() const {
    std::vector<std::uint32_t> order(values_.size()), ranks(values_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(),
              [this](std::uint32_t a, std::uint32_t b) { return values_[a] < values_[b]; });
    for (std::size_t i = 0; i < order.size(); ++i) ranks[order[i]] = static_cast<std::uint32_t>(i);
    return ranks;
  }

 private:
  template <class Map, class Key, class Make>
  std::uint32_t find(Map& map, const Key& key, Make make) {
    const auto [place, is_new] = map.try_emplace(key, static_cast<std::uint32_t>(values_.size()));
    if (is_new) values_.push_back(make());
    return place->second;
  }

  std::vector<Cell> values_;
  std::unordered_map<double, std::uint32_t> numbers_;
  std::map<Cell, std::uint32_t> others_;
};

/// Goes through the columns `wanted` of the results that meet a condition, in plan order, until
/// `each` says false. A condition needs all columns.
template <class Each>
void scan(Database& database, const std::vector<std::string>& names, const std::string& wanted,
          const std::string& where, Each each) {
  Statement rows = database.prepare("SELECT " + wanted + " FROM results ORDER BY run");
  std::optional<Condition> condition;
  if (!where.empty()) condition.emplace(where, names);
  std::vector<Json> values(condition ? names.size() : 0);
  while (rows.step()) {
    if (condition) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        const Cell cell = rows.cell(static_cast<int>(i));
        values[i] = std::visit(
            [](const auto& value) -> Json {
              if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
                return nullptr;
              } else {
                return value;
              }
            },
            cell);
      }
      if (!condition->holds(values)) continue;
    }
    if (!each(rows)) return;
  }
}

std::string unit_of(Database& database, const std::string& column) {
  Statement row = database.prepare("SELECT unit FROM columns WHERE name = ?");
  row.bind(1, std::string_view(column));
  return row.step() ? row.text(0) : std::string();
}

/// Of a signal; empty where no run has told it.
std::string signal_unit(Database& database, const std::string& name) {
  Statement row = database.prepare("SELECT value FROM meta WHERE key = 'signal_units'");
  if (!row.step()) return {};
  const Json units = Json::parse(row.text(0), nullptr, false);
  return units.is_object() && units.contains(name) && units[name].is_string()
             ? units[name].get<std::string>()
             : std::string();
}

}  // namespace

void Statistics::add(double value) {
  low = count == 0 ? value : std::min(low, value);
  high = count == 0 ? value : std::max(high, value);
  ++count;
  const double step = value - mean;
  mean += step / static_cast<double>(count);
  squares += step * (value - mean);
}

double Statistics::deviation() const {
  return count < 2 ? 0 : std::sqrt(squares / static_cast<double>(count - 1));
}

StoreOverview overview(const std::filesystem::path& store) {
  Database database(store_file(store), Database::Mode::read);
  names_of(database);
  StoreOverview result;
  result.title = meta(database, "title");
  result.sweep_file = meta(database, "sweep_file");
  result.scenario_file = meta(database, "scenario_file");
  result.version = meta(database, "carom_version");
  result.part = meta(database, "part");
  result.runs = std::stoll(meta(database, "runs"));
  Statement columns =
      database.prepare("SELECT name, role, unit, help FROM columns ORDER BY position");
  while (columns.step()) {
    result.columns.push_back(
        {columns.text(0), columns.text(1), columns.text(2), columns.text(3), {}, {}});
  }
  std::string wanted;
  for (const ColumnOverview& column : result.columns) {
    wanted += (wanted.empty() ? "" : ", ") + sql_name(column.name);
  }
  std::vector<std::unordered_set<double>> seen(result.columns.size());
  std::int64_t total = 0;
  Statement rows = database.prepare("SELECT " + wanted + " FROM results");
  while (rows.step()) {
    ++total;
    for (std::size_t i = 0; i < result.columns.size(); ++i) {
      const int column = static_cast<int>(i);
      if (!rows.is_number(column)) continue;
      const double value = rows.number(column);
      result.columns[i].numbers.add(value);
      if (seen[i].size() <= max_distinct) seen[i].insert(value);
    }
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const bool few = seen[i].size() <= max_distinct && result.columns[i].numbers.count == total;
    if (few) result.columns[i].distinct = static_cast<std::int64_t>(seen[i].size());
  }
  Statement reasons = database.prepare(
      "SELECT error, count(*) AS times FROM results WHERE status <> 'done' GROUP BY error ORDER BY "
      "times DESC, error");
  while (reasons.step()) {
    result.failed += reasons.whole(1);
    if (result.failures.size() < max_reasons) {
      result.failures.emplace_back(reasons.text(0), reasons.whole(1));
    }
  }
  result.done = total - result.failed;
  Statement cost = database.prepare("SELECT total(seconds) FROM costs");
  cost.step();
  result.seconds = cost.number(0);
  return result;
}

SweepRows first_rows(const std::filesystem::path& store, std::int64_t count,
                     const std::string& where) {
  Database database(store_file(store), Database::Mode::read);
  SweepRows result{names_of(database), {}};
  if (count <= 0) return result;
  scan(database, result.names, "*", where, [&](const Statement& row) {
    std::vector<Cell>& cells = result.rows.emplace_back();
    for (std::size_t i = 0; i < result.names.size(); ++i) {
      cells.push_back(row.cell(static_cast<int>(i)));
    }
    return static_cast<std::int64_t>(result.rows.size()) < count;
  });
  return result;
}

std::string first_result(const std::filesystem::path& store) {
  Database database(store_file(store), Database::Mode::read);
  names_of(database);
  Statement name =
      database.prepare("SELECT name FROM columns WHERE role = 'result' ORDER BY position LIMIT 1");
  return name.step() ? name.text(0) : std::string();
}

Marginal marginal(const std::filesystem::path& store, const std::vector<std::string>& by,
                  const std::string& of, const std::string& where) {
  if (by.empty() || by.size() > 2) throw InvalidInput("--by can be given once or twice");
  Database database(store_file(store), Database::Mode::read);
  const std::vector<std::string> names = names_of(database);
  std::vector<int> keys;
  keys.reserve(by.size());
  for (const std::string& name : by) keys.push_back(static_cast<int>(position(names, name)));
  int value = static_cast<int>(position(names, of));
  std::string wanted = "*";
  if (where.empty()) {
    wanted.clear();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      wanted += sql_name(by[i]) + ", ";
      keys[i] = static_cast<int>(i);
    }
    wanted += sql_name(of);
    value = static_cast<int>(keys.size());
  }
  // Values get numbers, and a group is a pair of them: a million groups are looked up in a table of
  // whole numbers and put in order at the end.
  std::vector<ValueNumbers> numbered(keys.size());
  std::unordered_map<std::uint64_t, std::size_t> places;
  Marginal result{.by = by,
                  .of = of,
                  .by_units = {},
                  .of_unit = unit_of(database, of),
                  .values = {},
                  .rows = {}};
  for (const std::string& name : by) result.by_units.push_back(unit_of(database, name));
  std::size_t place = 0;
  std::uint64_t last = ~std::uint64_t{0};
  scan(database, names, wanted, where, [&](const Statement& row) {
    if (!row.is_number(value)) return true;
    std::array<std::uint32_t, 2> at{};
    for (std::size_t i = 0; i < keys.size(); ++i) at[i] = numbered[i](row, keys[i]);
    const std::uint64_t both = std::uint64_t{at[0]} << 32 | at[1];
    if (both != last) {
      place = places.try_emplace(both, result.rows.size()).first->second;
      if (place == result.rows.size()) result.rows.push_back({.at = at});
      last = both;
    }
    result.rows[place].of.add(row.number(value));
    return true;
  });
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::vector<std::uint32_t> ranks = numbered[i].ranks();
    for (Marginal::Row& row : result.rows) row.at[i] = ranks[row.at[i]];
    std::vector<Cell>& values = result.values.emplace_back(ranks.size());
    for (std::uint32_t k = 0; k < ranks.size(); ++k) values[ranks[k]] = numbered[i].value(k);
  }
  const auto earlier = [](const Marginal::Row& a, const Marginal::Row& b) { return a.at < b.at; };
  if (!std::is_sorted(result.rows.begin(), result.rows.end(), earlier)) {
    std::sort(result.rows.begin(), result.rows.end(), earlier);
  }
  return result;
}

std::vector<std::string> stored_signals(const std::filesystem::path& store) {
  Database database(store_file(store), Database::Mode::read);
  names_of(database);
  std::vector<std::string> names;
  Statement rows = database.prepare("SELECT DISTINCT name FROM signals WHERE name <> 'time'");
  while (rows.step()) names.push_back(rows.text(0));
  return names;
}

SectionPoints section_points(const std::filesystem::path& store, const std::string& by,
                             const std::string& of) {
  Database database(store_file(store), Database::Mode::read);
  position(names_of(database), by);
  SectionPoints points{by, of, unit_of(database, by), signal_unit(database, of), {}, {}};
  Statement rows = database.prepare("SELECT results." + sql_name(by) +
                                    ", signals.samples FROM results JOIN signals ON "
                                    "signals.run = results.run WHERE signals.name = ? ORDER BY "
                                    "results.run");
  rows.bind(1, std::string_view(of));
  while (rows.step()) {
    if (!rows.is_number(0)) continue;
    for (const double value : rows.blob(1)) {
      points.x.push_back(rows.number(0));
      points.y.push_back(value);
    }
  }
  if (points.x.empty())
    throw InvalidInput("signal '" + of + "' has no value in this store, or '" + by +
                       "' is not a number");
  return points;
}

}  // namespace carom
