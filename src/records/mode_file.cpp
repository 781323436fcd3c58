#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <carom/core/error.hpp>
#include <carom/records/measurements.hpp>
#include <carom/records/mode_file.hpp>

#include "modes_of_recording.hpp"
#include "text_file.hpp"
#include "universal_file.hpp"

namespace carom {
namespace {

constexpr double pi = std::numbers::pi;

/// "Frequency (Hz)" and "frequency_Hz" are "frequency".
std::string plain_title(std::string title) {
  title = title.substr(0, title.find_first_of("(["));
  std::string plain;
  for (const char letter : title) {
    if (std::isalnum(static_cast<unsigned char>(letter)))
      plain += char(std::tolower(static_cast<unsigned char>(letter)));
  }
  for (const std::string_view unit : {"hz", "1pers", "kg"}) {
    if (plain.size() > unit.size() && plain.ends_with(unit))
      plain.resize(plain.size() - unit.size());
  }
  return plain;
}

const RecordColumn* titled(const RecordRun& run, std::initializer_list<std::string_view> names) {
  for (const RecordColumn& column : run.columns) {
    const std::string title = plain_title(column.title);
    if (std::find(names.begin(), names.end(), title) == names.end()) continue;
    if (!column.broken.empty())
      throw InvalidInput(
          fmt::format("column '{}', {} is not a finite number", column.title, column.broken));
    return &column;
  }
  return nullptr;
}

/// A table of frequency, how it decays and a gain.
ModeTable converted(const RecordRun& run, const RecordColumn& frequency, double mass) {
  const RecordColumn* const t60 = titled(run, {"t60", "rt60", "decaytime", "decay"});
  const RecordColumn* const sigma = titled(run, {"damping", "sigma"});
  const RecordColumn* const ratio = titled(run, {"dampingratio", "zeta"});
  const RecordColumn* const gain = titled(run, {"gain", "amplitude", "amp"});
  const RecordColumn* const level = titled(run, {"gaindb", "leveldb", "level"});
  if (t60 == nullptr && sigma == nullptr && ratio == nullptr)
    throw InvalidInput("has frequencies, but no t60, damping or damping_ratio");
  ModeTable table{"table", {"frequency", "damping", "mass", "hit", "heard", "t60", "gain"}, {}};
  for (std::size_t i = 0; i < frequency.values.size(); ++i) {
    const double f = frequency.values[i];
    require_positive("frequency", f);
    double s = 0;
    if (t60 != nullptr) {
      require_positive("t60", t60->values[i]);
      s = std::log(1000.0) / t60->values[i];
    } else {
      s = sigma != nullptr ? sigma->values[i] : 2 * pi * f * ratio->values[i];
      require_positive("damping", s);
    }
    const double g = gain != nullptr    ? gain->values[i]
                     : level != nullptr ? std::pow(10.0, level->values[i] / 20)
                                        : 1.0;
    require_finite("gain", g);
    // What is heard of a mode oscillates a little slower than without damping.
    table.rows.push_back(
        {std::hypot(f, s / (2 * pi)), s, mass, 1.0, g * mass, std::log(1000.0) / s, g});
  }
  return table;
}

ModeTable from_text(const std::filesystem::path& file, const ReadModesOptions& options) {
  const TextFile text = read_text(file);
  if (is_universal(text.lines)) return read_universal(text.lines, options);
  const Record record = read_record(file);
  const RecordRun& run = record.runs.front();
  if (titled(run, {"frequency", "freq", "f"}) != nullptr) {
    // Decay times that fall from row to row look like the clock of a new run.
    ModeTable table;
    for (const RecordRun& part : record.runs) {
      const RecordColumn* const frequency = titled(part, {"frequency", "freq", "f"});
      if (frequency == nullptr) throw InvalidInput("holds tables with different columns");
      ModeTable rows = converted(part, *frequency, options.mass);
      rows.rows.insert(rows.rows.begin(), table.rows.begin(), table.rows.end());
      table = std::move(rows);
    }
    return table;
  }
  const RecordColumn* const time = run.find("time");
  if (time != nullptr && run.columns.size() == 2 && time->values.size() > 255) {
    const RecordColumn& signal = run.columns[run.columns[0].quantity == "time" ? 1 : 0];
    const double span = time->values.back() - time->values.front();
    const double step = span / double(time->values.size() - 1);
    for (std::size_t i = 1; i < time->values.size(); ++i) {
      if (!(std::abs(time->values[i] - time->values[i - 1] - step) < 0.1 * step))
        throw InvalidInput(fmt::format("row {}: times must be evenly spaced", i + 1));
    }
    return modes_of_recording(signal.values, 1 / step, options);
  }
  std::vector<std::string> titles;
  for (const RecordColumn& column : run.columns) titles.push_back("'" + column.title + "'");
  throw InvalidInput(
      fmt::format("is no table of modes (frequency with t60, damping or damping_ratio, and gain), "
                  "no recording and no universal file; it has {}",
                  fmt::join(titles, ", ")));
}

}  // namespace

ModeTable modes_of_recording(const std::vector<double>& samples, double rate,
                             const ReadModesOptions& options) {
  const std::vector<HeardMode> modes = identify_modes(samples, rate, options.settings);
  if (modes.empty()) throw InvalidInput("nothing rings in it: no mode stands out of the noise");
  double strongest = 0;
  for (const HeardMode& mode : modes) strongest = std::max(strongest, mode.amplitude);
  ModeTable table{"recording",
                  {"frequency", "damping", "mass", "hit", "heard", "t60", "gain", "frequency_sd",
                   "t60_sd", "gain_sd"},
                  {},
                  {"gain: amplitude at the blow over that of the strongest mode; hit times heard "
                   "over mass is the gain"}};
  for (const HeardMode& mode : modes) {
    const double gain = mode.amplitude / strongest;
    table.rows.push_back({std::hypot(mode.frequency, mode.damping / (2 * pi)), mode.damping,
                          options.mass, 1.0, gain * options.mass, mode.t60(), gain,
                          mode.frequency_sd, mode.t60_sd(), mode.amplitude_sd / strongest});
  }
  return table;
}

std::string ModeTable::csv() const {
  std::string text;
  for (const std::string& note : notes) text += "# " + note + "\n";
  text += fmt::format("{}\n", fmt::join(columns, ","));
  for (const std::vector<double>& row : rows) text += fmt::format("{:.10g}\n", fmt::join(row, ","));
  return text;
}

ModeTable read_modes(const std::filesystem::path& file, const ReadModesOptions& options) {
  require_positive("mass", options.mass);
  try {
    if (is_sound(file)) {
      const SoundRecord sound = read_sound(file);
      return modes_of_recording(sound.samples, sound.rate, options);
    }
    return from_text(file, options);
  } catch (const InvalidInput& error) {
    const std::string what = error.what();
    if (what.find(file.string()) != std::string::npos) throw;
    refuse_file(file, what);
  }
}

}  // namespace carom
