#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>
#include <carom/records/measurements.hpp>

#include "measured.hpp"
#include "text_file.hpp"

namespace carom {
namespace {

constexpr double longest_flight = 30;  ///< [s]; no body that people record bounces for longer

/// The columns of a run that are used, in rows where each of them has a number.
class UsedColumns {
 public:
  explicit UsedColumns(const RecordRun& run) : run_(run) {}

  bool use(std::string_view quantity) {
    const RecordColumn* column = run_.find(quantity);
    if (column == nullptr) return false;
    used_.push_back(column);
    return true;
  }
  /// With `sparse`, rows that lack a number are left out; else they are an error.
  void close(bool sparse) {
    for (std::size_t row = 0; row < used_.front()->values.size(); ++row) {
      const auto there = [&](const RecordColumn* one) { return std::isfinite(one->values[row]); };
      const auto missing = std::find_if_not(used_.begin(), used_.end(), there);
      if (missing == used_.end()) {
        rows_.push_back(row);
      } else if (!sparse && std::any_of(used_.begin(), used_.end(), there)) {
        throw InvalidInput(
            fmt::format("row {} has no number for '{}'", row + 1, (*missing)->title));
      }
    }
    if (rows_.empty()) throw InvalidInput("has no rows of numbers");
  }
  std::size_t rows() const { return rows_.size(); }
  std::vector<double> values(std::string_view quantity) const {
    std::vector<double> out;
    for (const RecordColumn* column : used_) {
      if (column->quantity != quantity) continue;
      for (const std::size_t row : rows_) out.push_back(column->values[row]);
    }
    return out;
  }
  std::vector<RecordColumn> described() const {
    std::vector<RecordColumn> out;
    for (const RecordColumn* column : used_)
      out.push_back({column->title, column->quantity, column->unit, column->unit_assumed, {}});
    return out;
  }

 private:
  const RecordRun& run_;
  std::vector<const RecordColumn*> used_;
  std::vector<std::size_t> rows_;
};

/// The last decimal that any of the numbers has.
double resolution_of(const std::vector<double>& values) {
  for (double step = 1; step > 1e-7; step /= 10) {
    if (std::all_of(values.begin(), values.end(), [&](double value) {
          return std::abs(value / step - std::round(value / step)) < 1e-4;
        }))
      return step;
  }
  return 1e-7;
}

void refuse_both_signs(const UsedColumns& used, const char* quantity) {
  const std::vector<double> values = used.values(quantity);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (least != values.end() && *least < 0 && *most > 0) {
    throw InvalidInput(fmt::format("{} has both signs, {:.6g} and {:.6g}: all rows must have one",
                                   quantity, *least, *most));
  }
}

SeriesRecord series_of(UsedColumns& used, double gravity) {
  for (const char* quantity : {"speed", "rebound_speed", "max_force"})
    refuse_both_signs(used, quantity);
  SeriesRecord series;
  series.impacts.resize(used.rows());
  const auto each = [&](const char* name, auto assign) {
    const std::vector<double> values = used.values(name);
    for (std::size_t i = 0; i < values.size(); ++i) assign(series.impacts[i], values[i]);
  };
  each("speed", [](SeriesImpact& one, double value) { one.speed = std::abs(value); });
  each("drop_height",
       [&](SeriesImpact& one, double value) { one.speed = std::sqrt(2 * gravity * value); });
  each("rebound_height", [&](SeriesImpact& one, double value) {
    one.restitution = std::sqrt(2 * gravity * value) / one.speed;
  });
  each("rebound_speed",
       [](SeriesImpact& one, double value) { one.restitution = std::abs(value) / one.speed; });
  each("restitution", [](SeriesImpact& one, double value) { one.restitution = value; });
  each("contact_time", [](SeriesImpact& one, double value) { one.contact_time = value; });
  each("max_force", [](SeriesImpact& one, double value) { one.max_force = std::abs(value); });
  each("mass", [](SeriesImpact& one, double value) { one.mass = value; });
  each("speed_sd", [](SeriesImpact& one, double value) { one.speed_sd = value; });
  each("restitution_sd", [](SeriesImpact& one, double value) { one.restitution_sd = value; });
  each("contact_time_sd", [](SeriesImpact& one, double value) { one.contact_time_sd = value; });
  each("max_force_sd", [](SeriesImpact& one, double value) { one.max_force_sd = value; });
  return series;
}

[[noreturn]] void refuse_columns(const RecordRun& run) {
  std::vector<std::string> titles;
  for (const RecordColumn& column : run.columns) {
    if (titles.size() < 12) titles.push_back("'" + column.title + "'");
  }
  throw InvalidInput(fmt::format(
      "must have time with force, acceleration or height, speed with restitution, contact_time or "
      "max_force, or times of bounces; it has {} (--columns says what they are)",
      fmt::join(titles, ", ")));
}

MeasuredRun measured(const RecordRun& run, double gravity) {
  UsedColumns used(run);
  MeasuredRun out{.label = run.label, .columns = {}, .data = {}};
  const auto has = [&](std::string_view quantity) {
    return std::any_of(run.columns.begin(), run.columns.end(),
                       [&](const RecordColumn& one) { return one.quantity == quantity; });
  };
  const bool outcome = has("restitution") || has("contact_time") || has("max_force");
  if (has("time") && (has("force") || has("acceleration"))) {
    const bool acceleration = !has("force");
    used.use("time");
    used.use(acceleration ? "acceleration" : "force");
    used.close(true);
    out.data = TraceRecord{used.values("time"),
                           used.values(acceleration ? "acceleration" : "force"), acceleration};
  } else if ((has("speed") && (outcome || has("rebound_speed"))) ||
             (has("drop_height") && (outcome || has("rebound_height")))) {
    used.use(has("speed") ? "speed" : "drop_height");
    if (!used.use("restitution") && !used.use("rebound_speed")) used.use("rebound_height");
    for (const char* quantity : {"contact_time", "max_force", "mass", "speed_sd", "restitution_sd",
                                 "contact_time_sd", "max_force_sd"})
      used.use(quantity);
    used.close(false);
    out.data = series_of(used, gravity);
  } else if (has("time") && has("height")) {
    used.use("time");
    used.use("height");
    used.close(true);
    out.data = TrackRecord{used.values("time"), used.values("height")};
  } else if (has("time") || has("interval")) {
    for (const RecordColumn& column : run.blank) {
      if (column.quantity == "force" || column.quantity == "acceleration" ||
          column.quantity == "height")
        throw InvalidInput(fmt::format("column '{}' has no numbers", column.title));
    }
    const bool intervals = !has("time");
    used.use(intervals ? "interval" : "time");
    used.close(true);
    std::vector<double> times = used.values(intervals ? "interval" : "time");
    const double resolution = resolution_of(times);
    if (intervals) {
      times.insert(times.begin(), 0.0);
      for (std::size_t i = 1; i < times.size(); ++i) times[i] += times[i - 1];
    }
    for (std::size_t i = 1; i < times.size(); ++i) {
      if (times[i] - times[i - 1] > longest_flight) {
        throw InvalidInput(
            fmt::format("bounces {:.6g} s apart: give their unit, for example --units "
                        "time=ms",
                        times[i] - times[i - 1]));
      }
    }
    out.data = TimesRecord{std::move(times), resolution};
  } else {
    refuse_columns(run);
  }
  out.columns = used.described();
  return out;
}

}  // namespace

bool is_sound(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  constexpr std::array<std::string_view, 9> endings{".wav", ".flac", ".ogg", ".oga", ".opus",
                                                    ".aif", ".aiff", ".mp3", ".w64"};
  return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

Measurements measured_runs(const std::filesystem::path& file, const Record& record,
                           double gravity) {
  Measurements out{record.format, {}};
  try {
    for (const RecordRun& run : record.runs) out.runs.push_back(measured(run, gravity));
  } catch (const InvalidInput& error) {
    refuse_file(file, error.what());
  }
  return out;
}

Measurements measured_sound(const std::filesystem::path& file, const ReadOptions& options,
                            SoundRecord sound) {
  if (!options.columns.empty() || !options.units.empty() || options.run.value_or(1) != 1)
    refuse_file(file, "a recording has no columns, units or runs to choose");
  return {"sound", {{.label = "", .columns = {}, .data = std::move(sound)}}};
}

Measurements measurements_of(const std::filesystem::path& file, const std::string& bytes,
                             const ReadOptions& options, double gravity) {
  if (is_sound(file)) return measured_sound(file, options, wav_of(file, bytes));
  return measured_runs(file, record_of(file, bytes, options), gravity);
}

}  // namespace carom
