#include "issanchou_signals.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <carom/scenario/spectrum.hpp>

namespace carom::issanchou {

ModalProblem with(const ModalProblem& problem, double rate, ModalContactLaw law) {
  ModalProblem changed = problem;
  changed.rate = rate;
  changed.law = law;
  return changed;
}

PowerLaw stiff_contact(const Case& string) {
  const double share = string.model.length / (string.model.modes + 1);  // N = N_m + 1 [m]
  return {.stiffness = 1e13 * share, .exponent = 1.5};
}

Series curve(const std::string& label, const Signal& signal, double from, double to,
             Series::Style style, double unit) {
  Series series{.label = label, .x = {}, .y = {}, .style = style};
  const auto within = [&](std::size_t i) { return signal.time[i] >= from && signal.time[i] <= to; };
  std::size_t count = 0;
  for (std::size_t i = 0; i < signal.time.size(); ++i) count += within(i);
  const std::size_t stride = std::max<std::size_t>(1, count / 3000);
  for (std::size_t i = 0; i < signal.time.size(); i += stride) {
    if (!within(i)) continue;
    series.x.push_back(1e3 * signal.time[i]);
    series.y.push_back(unit * signal.value[i]);
  }
  return series;
}

Signal minus(Signal a, const Signal& b) {
  for (std::size_t i = 0; i < a.value.size(); ++i) a.value[i] -= b.value[i];
  return a;
}

Panel time_panel(const std::string& title, double unit) {
  return {.title = title,
          .x_label = "time [ms]",
          .y_label = unit == millimetres ? "displacement [mm]" : "displacement [µm]"};
}

std::vector<double> contact_edges(const Signal& signal) {
  std::vector<double> edges;
  double last = -1;
  for (const double t : signal.contact_times) {
    if (t - last > 1e-3) {
      if (last >= 0) edges.push_back(last);
      edges.push_back(t);
    }
    last = t;
  }
  if (last >= 0) edges.push_back(last);
  return edges;
}

double second_partial(const Signal& signal, double fundamental) {
  const auto count = static_cast<std::size_t>(std::lround(0.1 * signal.rate)) * 2;
  const std::vector<double> level =
      spectrum_db(std::span(signal.value).subspan(signal.value.size() - count, count));
  const auto near = [&](double frequency) {
    const double bin = signal.rate / static_cast<double>(count);
    const auto middle = static_cast<std::size_t>(frequency / bin),
               half = static_cast<std::size_t>(40 / bin);
    return *std::max_element(level.begin() + static_cast<std::ptrdiff_t>(middle - half),
                             level.begin() + static_cast<std::ptrdiff_t>(middle + half));
  };
  return near(2 * fundamental) - near(fundamental);
}

double band_level(const Signal& signal, double from_time, double to_time, double low, double high) {
  constexpr std::size_t window = 2048;
  const double bin = signal.rate / window;
  double power = 0;
  int count = 0;
  for (auto from = static_cast<std::size_t>(from_time * signal.rate);
       from + window <=
       std::min(signal.value.size(), static_cast<std::size_t>(to_time * signal.rate));
       from += window / 2) {
    const std::vector<double> level = spectrum_db(std::span(signal.value).subspan(from, window));
    for (auto k = static_cast<std::size_t>(low / bin); k < static_cast<std::size_t>(high / bin);
         ++k) {
      power += std::pow(10, level[k] / 10);
      ++count;
    }
  }
  return 10 * std::log10(power / count);
}

Panel spectrogram(const std::string& title, const Signal& signal, double highest) {
  constexpr std::size_t window = 4096;
  const double bin = signal.rate / window;
  const auto rows = static_cast<std::size_t>(highest / bin) + 1;
  const std::size_t hop = std::max<std::size_t>(1, (signal.value.size() - window) / 120);
  HeatMap map{.x = {}, .y = {}, .z = {}, .label = "level [dB]", .contours = false};
  std::vector<std::vector<double>> columns;
  double strongest = -std::numeric_limits<double>::infinity();
  for (std::size_t from = 0; from + window <= signal.value.size(); from += hop) {
    columns.push_back(spectrum_db(std::span(signal.value).subspan(from, window)));
    map.x.push_back(signal.time[from + window / 2]);
    strongest = std::max(
        strongest, *std::max_element(columns.back().begin() + 1,
                                     columns.back().begin() + static_cast<std::ptrdiff_t>(rows)));
  }
  for (std::size_t k = 0; k < rows; ++k) {
    map.y.push_back(static_cast<double>(k) * bin / 1e3);
    for (const auto& column : columns) map.z.push_back(std::max(column[k] - strongest, -70.0));
  }
  return {.title = title,
          .x_label = "time [s]",
          .y_label = "frequency [kHz]",
          .heat_map = std::move(map)};
}

}  // namespace carom::issanchou
