#include "universal_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <map>
#include <numbers>

#include <fmt/format.h>
#include <unsupported/Eigen/FFT>

#include <carom/core/error.hpp>

#include "cells.hpp"
#include "modes_of_recording.hpp"

// SDRC universal file format: a dataset stands between two lines "    -1", the first line in it is
// its number. 55: data at nodes, here shapes of modes; 58: a function at a node, here a response.

namespace carom {
namespace {

constexpr std::size_t max_dataset_points = 1 << 24;

struct Dataset {
  std::string number;
  std::vector<std::string> lines;
};

std::vector<Dataset> datasets_of(const std::vector<std::string>& lines) {
  std::vector<Dataset> sets;
  bool inside = false;
  for (const std::string& line : lines) {
    if (trimmed(line) == "-1") {
      inside = !inside;
      if (inside) sets.push_back({});
    } else if (inside) {
      Dataset& set = sets.back();
      if (set.number.empty()) {
        set.number = std::string(trimmed(line));
      } else {
        set.lines.push_back(line);
      }
    }
  }
  if (inside) throw InvalidInput(fmt::format("dataset {} does not end", sets.back().number));
  return sets;
}

std::vector<double> numbers_of(const Dataset& set, std::size_t line) {
  if (line >= set.lines.size())
    throw InvalidInput(fmt::format("dataset {} ends after {} lines", set.number, set.lines.size()));
  std::vector<double> values;
  std::string text = set.lines[line];
  std::replace(text.begin(), text.end(), 'D', 'E');
  const char *at = text.data(), *end = at + text.size();
  while (at < end) {
    if (*at == ' ' || *at == '\t' || *at == '+') {
      ++at;
      continue;
    }
    double value = 0;
    const auto parsed = std::from_chars(at, end, value);
    if (parsed.ec != std::errc())
      throw InvalidInput(fmt::format("dataset {}, line {}: '{:.20}' is not a number", set.number,
                                     line + 2, std::string(at, end)));
    values.push_back(value);
    at = parsed.ptr;
  }
  return values;
}

double entry(const std::vector<double>& values, std::size_t i, const Dataset& set) {
  if (i >= values.size())
    throw InvalidInput(
        fmt::format("dataset {}: a line has fewer numbers than it must have", set.number));
  return values[i];
}

struct UniversalMode {
  double frequency, damping, mass;
  std::map<long, std::vector<double>> shape;  ///< by node, one value for each direction
};

/// Dataset 55: normal modes (analysis 2) and complex modes (3, 7).
UniversalMode mode_of(const Dataset& set) {
  const std::vector<double> kind = numbers_of(set, 5), reals = numbers_of(set, 7);
  const int analysis = int(entry(kind, 1, set)), type = int(entry(kind, 4, set)),
            directions = int(entry(kind, 5, set));
  if (directions < 1 || directions > 100)
    throw InvalidInput(fmt::format("dataset 55: {} values a node", directions));
  const bool complex = type == 5 || type == 6;
  if (!complex && type != 2 && type != 4)
    throw InvalidInput(fmt::format("dataset 55: data type {} is none of 2, 4, 5, 6", type));
  UniversalMode mode{};
  if (analysis == 2) {
    mode.frequency = entry(reals, 0, set);
    mode.mass = entry(reals, 1, set);
    mode.damping = 2 * std::numbers::pi * mode.frequency * entry(reals, 2, set);
  } else if (analysis == 3 || analysis == 7) {
    // The eigenvalue -sigma + i omega_d.
    const double re = entry(reals, 0, set), im = entry(reals, 1, set);
    mode.frequency = std::hypot(re, im) / (2 * std::numbers::pi);
    mode.damping = -re;
    mode.mass = 0;
  } else {
    throw InvalidInput(
        fmt::format("dataset 55: analysis type {} is no mode (2, 3 or 7)", analysis));
  }
  for (std::size_t line = 8; line + 1 < set.lines.size();) {
    const long node = long(entry(numbers_of(set, line++), 0, set));
    std::vector<double> values;
    const std::size_t wanted = std::size_t(directions) * (complex ? 2 : 1);
    while (values.size() < wanted && line < set.lines.size()) {
      for (const double value : numbers_of(set, line)) values.push_back(value);
      ++line;
    }
    if (values.size() != wanted)
      throw InvalidInput(
          fmt::format("dataset 55, node {}: {} values; must be {}", node, values.size(), wanted));
    std::vector<double> shape;
    for (int d = 0; d < directions; ++d) {
      // A shape that is nearly real: the part with its sign.
      const std::complex<double> value =
          complex ? std::complex<double>(values[std::size_t(2 * d)], values[std::size_t(2 * d + 1)])
                  : values[std::size_t(d)];
      shape.push_back(std::abs(value) * (value.real() < 0 ? -1 : 1));
    }
    mode.shape[node] = std::move(shape);
  }
  if (mode.shape.empty()) throw InvalidInput("dataset 55: a mode without nodes");
  return mode;
}

ModeTable table_of(std::vector<UniversalMode> modes, double mass) {
  std::sort(modes.begin(), modes.end(), [](const UniversalMode& a, const UniversalMode& b) {
    return a.frequency < b.frequency;
  });
  const std::size_t directions = modes.front().shape.begin()->second.size();
  std::vector<double> size(directions, 0.0);
  for (const UniversalMode& mode : modes) {
    if (mode.shape.size() != modes.front().shape.size())
      throw InvalidInput("dataset 55: modes have different nodes");
    for (const auto& [node, values] : mode.shape) {
      if (values.size() != directions || !modes.front().shape.contains(node))
        throw InvalidInput("dataset 55: modes have different nodes");
      for (std::size_t d = 0; d < directions; ++d) size[d] += values[d] * values[d];
    }
  }
  const auto chosen =
      static_cast<std::size_t>(std::max_element(size.begin(), size.end()) - size.begin());
  ModeTable table{
      .origin = "universal file, dataset 55",
      .columns = {"frequency", "damping", "mass"},
      .rows = {},
      .notes = {fmt::format("shapes: direction {} of {}, the largest", chosen + 1, directions)}};
  std::size_t point = 0;
  for (const auto& [node, values] : modes.front().shape) {
    table.columns.push_back(fmt::format("point_{}", ++point));
    if (point <= 20) table.notes.push_back(fmt::format("point_{}: node {}", point, node));
  }
  bool guessed = false;
  for (const UniversalMode& mode : modes) {
    const bool known = mode.mass > 0 && std::isfinite(mode.mass);
    guessed = guessed || !known;
    std::vector<double> row{mode.frequency, mode.damping, known ? mode.mass : mass};
    for (const auto& [node, values] : mode.shape) row.push_back(values[chosen]);
    table.rows.push_back(std::move(row));
  }
  if (guessed)
    table.notes.push_back(fmt::format("modal masses are not in the file: {:g} kg", mass));
  return table;
}

/// Dataset 58: the impulse response, of a frequency response by the inverse transform.
ModeTable response_modes(const Dataset& set, const ReadModesOptions& options) {
  const std::vector<double> shape = numbers_of(set, 6);
  const std::string head = std::string(trimmed(set.lines.size() > 5 ? set.lines[5] : ""));
  int function = 0;
  std::from_chars(head.data(), head.data() + head.size(), function);
  const int type = int(entry(shape, 0, set));
  const double count = entry(shape, 1, set), spacing = entry(shape, 4, set);
  if (entry(shape, 2, set) != 1 || !(spacing > 0))
    throw InvalidInput("dataset 58: the abscissa must be evenly spaced");
  if (!(count >= 16 && count <= double(max_dataset_points)))
    throw InvalidInput(
        fmt::format("dataset 58: {} points; must be 16 to {}", count, max_dataset_points));
  const bool complex = type == 5 || type == 6;
  if (!complex && type != 2 && type != 4)
    throw InvalidInput(fmt::format("dataset 58: data type {} is none of 2, 4, 5, 6", type));
  std::vector<double> values;
  for (std::size_t line = 11; line < set.lines.size(); ++line) {
    for (const double value : numbers_of(set, line)) values.push_back(value);
  }
  const auto points = static_cast<std::size_t>(count);
  if (values.size() < points * (complex ? 2 : 1))
    throw InvalidInput(
        fmt::format("dataset 58: {} numbers; {} points were announced", values.size(), points));
  if (function == 1 && !complex) {
    values.resize(points);
    return modes_of_recording(values, 1 / spacing, options);
  }
  if (function != 4 || !complex)
    throw InvalidInput(fmt::format(
        "dataset 58: function type {} is neither a time response (1) nor a frequency response (4)",
        function));
  std::vector<std::complex<double>> spectrum(2 * (points - 1), 0.0);
  for (std::size_t i = 0; i < points; ++i) spectrum[i] = {values[2 * i], values[2 * i + 1]};
  for (std::size_t i = 1; i + 1 < points; ++i)
    spectrum[spectrum.size() - i] = std::conj(spectrum[i]);
  std::vector<std::complex<double>> response;
  Eigen::FFT<double> transform;
  transform.inv(response, spectrum);
  std::vector<double> samples;
  for (const std::complex<double>& value : response) samples.push_back(value.real());
  ReadModesOptions whole = options;
  whole.settings.blow = 0;  // an impulse response begins with its first sample
  return modes_of_recording(samples, double(spectrum.size()) * spacing, whole);
}

}  // namespace

bool is_universal(const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (trimmed(lines[i]).empty()) continue;
    if (trimmed(lines[i]) != "-1") return false;
    const std::string_view number = trimmed(lines[i + 1]);
    return !number.empty() && std::isdigit(static_cast<unsigned char>(number.front())) != 0;
  }
  return false;
}

ModeTable read_universal(const std::vector<std::string>& lines, const ReadModesOptions& options) {
  const std::vector<Dataset> sets = datasets_of(lines);
  std::vector<UniversalMode> modes;
  std::string seen;
  for (const Dataset& set : sets) {
    if (set.number == "55") modes.push_back(mode_of(set));
    seen += (seen.empty() ? "" : ", ") + set.number.substr(0, 8);
  }
  if (!modes.empty()) return table_of(std::move(modes), options.mass);
  for (const Dataset& set : sets) {
    if (set.number.starts_with("58b"))
      throw InvalidInput("dataset 58b is binary; write it as text (58)");
    if (set.number != "58") continue;
    ModeTable table = response_modes(set, options);
    table.origin = "universal file, dataset 58";
    return table;
  }
  throw InvalidInput(fmt::format("has the datasets {:.80}; modes are in 55 or 58", seen));
}

}  // namespace carom
