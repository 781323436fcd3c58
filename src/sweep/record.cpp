#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include <carom/core/clock.hpp>
#include <carom/core/error.hpp>
#include <carom/output/run.hpp>
#include <carom/sweep/record.hpp>

namespace carom {
namespace {

const Json* entry_of(const Json& list, std::string_view part) {
  if (part == "last") return list.empty() ? nullptr : &list.back();
  if (part.empty() || part.size() > 9 || part.find_first_not_of("0123456789") != part.npos) {
    throw InvalidInput("'" + std::string(part) +
                       "' follows a list: must be a number from 1, 'last' or 'count'");
  }
  const std::size_t index = std::stoul(std::string(part));
  return index < 1 || index > list.size() ? nullptr : &list[index - 1];
}

/// Keeps of each signal its value once a period, on the straight lines between the rows.
void take_section(const SweepSection& section, const Scenario& scenario,
                  std::vector<std::vector<double>>& signals) {
  double period = section.period;
  if (!section.frequency.empty()) {
    const auto frequency =
        scenario.has(section.frequency) && scenario.table(section.frequency).is_number()
            ? scenario.number(section.frequency)
            : 0.0;
    if (!(frequency > 0))
      throw InvalidInput("results.section.frequency: '" + section.frequency +
                         "' is not a frequency > 0 of this scenario");
    period = 1 / frequency;
  }
  const std::vector<double> time = signals.front();
  std::vector<std::vector<double>> kept(signals.size());
  std::size_t row = 1;
  for (std::int64_t k = 0; !time.empty(); ++k) {
    const double at = section.from + static_cast<double>(k) * period;
    // The last instant may miss the last row by rounding.
    if (at > time.back() * (1 + 1e-12)) break;
    while (row + 1 < time.size() && time[row] < at) ++row;
    if (row >= time.size()) break;
    const double share = std::clamp((at - time[row - 1]) / (time[row] - time[row - 1]), 0.0, 1.0);
    kept.front().push_back(at);
    for (std::size_t i = 1; i < signals.size(); ++i)
      kept[i].push_back(signals[i][row - 1] + share * (signals[i][row] - signals[i][row - 1]));
  }
  signals = std::move(kept);
}

RunRecord attempt(const SweepPlan& plan, std::int64_t run, const std::atomic<bool>* interrupt) {
  RunRecord record;
  record.run = run;
  record.cells.resize(plan.columns().size());
  MemorySettings settings;
  settings.keep_signals = !plan.signals().empty();
  settings.interrupt = interrupt;
  const Scenario scenario = plan.scenario(run);
  const RecordedRun result = run_in_memory(scenario, settings);
  for (std::size_t i = 0; i < record.cells.size(); ++i) {
    try {
      record.cells[i] = to_cell(look_up(result.summary, plan.columns()[i]));
    } catch (const InvalidInput& error) {
      record.error = error.what();
      record.unknown_column = true;
    }
  }
  if (!plan.signals().empty()) {
    record.signals.push_back(result.time);
    for (const std::string& name : plan.signals()) {
      try {
        record.signals.push_back(result.column(name));
        for (const Signal& signal : result.signals) {
          if (signal.name == name) record.units.push_back(signal.unit);
        }
      } catch (const InvalidInput& error) {
        record.error = error.what();
        record.unknown_column = true;
      }
    }
    if (plan.section() && !record.unknown_column)
      take_section(*plan.section(), scenario, record.signals);
  }
  if (!result.passed && record.error.empty()) {
    record.error = result.summary.at("status").get<std::string>();
  }
  return record;
}

}  // namespace

Cell to_cell(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return std::int64_t{value.get<bool>()};
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) {
    const double number = value.get<double>();
    return std::isnan(number) ? Cell{} : Cell{number};
  }
  if (value.is_string()) return value.get<std::string>();
  return json_text(value);
}

Json look_up(const Json& summary, const SweepColumn& column) {
  const Json* place = &summary;
  std::string_view rest = column.path;
  std::string prefix;
  while (true) {
    const std::size_t dot = rest.find('.');
    const std::string part(rest.substr(0, dot));
    if (place->is_array()) {
      if (part == "count" && dot == rest.npos) return place->size();
      place = entry_of(*place, part);
      if (place == nullptr) return nullptr;
    } else {
      const auto found = place->is_object() ? place->find(part) : place->end();
      if (!place->is_object() || found == place->end()) {
        if (column.optional || place->is_null()) return nullptr;
        std::vector<std::string> names;
        if (place->is_object()) {
          for (const auto& [name, value] : place->items()) names.push_back(prefix + name);
        }
        const std::vector<std::string_view> known(names.begin(), names.end());
        throw InvalidInput(unknown_name_message("column", column.path, known));
      }
      place = &*found;
    }
    if (dot == rest.npos) return *place;
    prefix += part + ".";
    rest = rest.substr(dot + 1);
  }
}

std::optional<RunRecord> run_one(const SweepPlan& plan, std::int64_t run,
                                 const std::atomic<bool>* interrupt) {
  const double begin = cpu_now();
  RunRecord record;
  try {
    record = attempt(plan, run, interrupt);
  } catch (const Interrupted&) {
    return std::nullopt;
  } catch (const std::exception& error) {
    record = {.run = run,
              .error = error.what()[0] != '\0' ? error.what() : "failed without a message",
              .cells = std::vector<Cell>(plan.columns().size())};
  }
  record.seconds = cpu_now() - begin;
  return record;
}

namespace {

template <class Number>
void put(std::string& bytes, Number number) {
  static_assert(std::is_trivially_copyable_v<Number>);
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}
void put(std::string& bytes, const std::string& text) {
  put(bytes, text.size());
  bytes += text;
}

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  bool empty() const noexcept { return rest_.empty(); }
  template <class Number>
  Number number() {
    Number result{};
    std::memcpy(&result, take(sizeof result).data(), sizeof result);
    return result;
  }
  std::string text() { return std::string(take(number<std::size_t>())); }
  std::vector<double> numbers() {
    const auto count = number<std::size_t>();
    if (count > rest_.size() / sizeof(double)) fail();
    std::vector<double> result(count);
    if (count > 0) {
      std::memcpy(result.data(), take(count * sizeof(double)).data(), count * sizeof(double));
    }
    return result;
  }

 private:
  std::string_view take(std::size_t count) {
    if (count > rest_.size()) fail();
    const std::string_view result = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return result;
  }
  [[noreturn]] static void fail() { throw std::runtime_error("a message of a rank is cut short"); }
  std::string_view rest_;
};

}  // namespace

std::string pack(const std::vector<RunRecord>& records) {
  std::string bytes;
  for (const RunRecord& record : records) {
    put(bytes, record.run);
    put(bytes, record.error);
    put(bytes, record.seconds);
    put(bytes, static_cast<char>(record.unknown_column));
    put(bytes, record.cells.size());
    for (const Cell& cell : record.cells) {
      put(bytes, static_cast<char>(cell.index()));
      if (const auto* whole = std::get_if<std::int64_t>(&cell)) put(bytes, *whole);
      if (const auto* number = std::get_if<double>(&cell)) put(bytes, *number);
      if (const auto* text = std::get_if<std::string>(&cell)) put(bytes, *text);
    }
    put(bytes, record.signals.size());
    for (const std::vector<double>& signal : record.signals) {
      put(bytes, signal.size());
      bytes.append(reinterpret_cast<const char*>(signal.data()), signal.size() * sizeof(double));
    }
    put(bytes, record.units.size());
    for (const std::string& unit : record.units) put(bytes, unit);
  }
  return bytes;
}

std::vector<RunRecord> unpack(std::string_view bytes) {
  std::vector<RunRecord> records;
  Unpacker in(bytes);
  while (!in.empty()) {
    RunRecord record;
    record.run = in.number<std::int64_t>();
    record.error = in.text();
    record.seconds = in.number<double>();
    record.unknown_column = in.number<char>() != 0;
    const auto cells = in.number<std::size_t>();
    for (std::size_t i = 0; i < cells; ++i) {
      switch (in.number<char>()) {
        case 1:
          record.cells.emplace_back(in.number<std::int64_t>());
          break;
        case 2:
          record.cells.emplace_back(in.number<double>());
          break;
        case 3:
          record.cells.emplace_back(in.text());
          break;
        default:
          record.cells.emplace_back();
      }
    }
    const auto signals = in.number<std::size_t>();
    for (std::size_t i = 0; i < signals; ++i) record.signals.push_back(in.numbers());
    const auto units = in.number<std::size_t>();
    for (std::size_t i = 0; i < units; ++i) record.units.push_back(in.text());
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace carom
