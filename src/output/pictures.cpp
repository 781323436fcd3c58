#include "pictures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <carom/scenario/note.hpp>
#include <carom/scenario/spectrum.hpp>

#include "report_plot.hpp"
#include "units.hpp"

namespace carom {
namespace {

constexpr int page_width = 920;  ///< [px]
constexpr std::size_t spectrum_length = 1 << 14;
constexpr std::size_t spectrogram_columns = 240, spectrogram_rows = 128;
constexpr double dynamic_range = 80;  ///< [dB] shown

/// Through the lowest and highest value of each span, so that short peaks keep their height; the
/// one first that is nearer to where the curve comes from, so that a slope stays a line.
Series line(const EnvelopeSignals& envelope, std::size_t k, double unit, double time_unit) {
  Series series;
  double before = 0;  // the middle of the last span
  for (const auto& span : envelope.spans) {
    const double low = span.low[k] / unit, high = span.high[k] / unit, middle = (low + high) / 2;
    const bool falls = !series.y.empty() && middle < before;
    before = middle;
    series.x.push_back(span.time / time_unit);
    series.y.push_back(falls ? high : low);
    if (high == low) continue;
    series.x.push_back(span.last_time / time_unit);
    series.y.push_back(falls ? low : high);
  }
  return series;
}

Range range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double margin = 0.06 * (*high - *low);
  return margin > 0 ? Range{*low - margin, *high + margin} : Range{*low - 1, *high + 1};
}

double largest(const EnvelopeSignals& envelope, std::size_t k) {
  double size = 0;
  for (const auto& span : envelope.spans) {
    size = std::max({size, std::abs(span.low[k]), std::abs(span.high[k])});
  }
  return size;
}

Figure full_width(Panel panel, int height) {
  Figure figure;
  figure.columns = 1;
  figure.panel_width = page_width;
  figure.panel_height = height;
  figure.panels.push_back(std::move(panel));
  return figure;
}

double band_limit(const SoundWriter& sound) {
  return 0.5 * std::min(sound.info().rate, sound.info().source_rate);
}

}  // namespace

std::optional<Figure> time_history(const EnvelopeSignals& whole, const std::string& main_signal) {
  const EnvelopeSignals envelope = whole.coarse(EnvelopeSignals::few);
  if (envelope.spans.size() < 2) return {};
  const std::vector<ShownPanel> panels = shown_panels(envelope, main_signal);
  Figure figure;
  figure.columns = 1;
  figure.panel_width = page_width;
  figure.panel_height = panels.size() > 2 ? 200 : 250;
  const ScaledUnit time_unit = unit_for(envelope.spans.back().last_time, "s");
  int colour = 0;
  for (const ShownPanel& shown : panels) {
    double size = 0;
    for (const std::size_t k : shown.signals) size = std::max(size, largest(envelope, k));
    const ScaledUnit unit = unit_for(size, envelope.signals[shown.signals.front()].unit);
    Panel panel;
    panel.title = shown.title;
    panel.x_label = &shown == &panels.back() ? "time [" + time_unit.name + "]" : "";
    panel.y_label = unit.name.empty() ? "" : "[" + unit.name + "]";
    panel.key = shown.signals.size() > 1 ? Panel::Key::right : Panel::Key::off;
    if (shown.signals.size() > 1) colour = 0;
    std::vector<double> values;
    for (const std::size_t k : shown.signals) {
      Series series = line(envelope, k, unit.factor, time_unit.factor);
      series.label = shown.label(envelope, k);
      series.colour = colour++;
      values.insert(values.end(), series.y.begin(), series.y.end());
      panel.series.push_back(std::move(series));
    }
    panel.y_range = range_of(values);
    panel.y_tick = round_tick(panel.y_range->second - panel.y_range->first, 6);
    panel.x_range = {envelope.spans.front().time / time_unit.factor,
                     envelope.spans.back().last_time / time_unit.factor};
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

std::optional<Figure> energy_ledger(const std::vector<EnergySample>& samples) {
  if (samples.size() < 2) return {};
  Series kinetic{.label = "kinetic", .x = {}, .y = {}, .style = Series::Style::filled, .colour = 0};
  Series elastic{.label = "stored", .x = {}, .y = {}, .style = Series::Style::filled, .colour = 2};
  Series lost{.label = "dissipated", .x = {}, .y = {}, .style = Series::Style::filled, .colour = 1};
  Series budget{.label = "budget: initial + injected",
                .x = {},
                .y = {},
                .style = Series::Style::dashes,
                .colour = 5};
  const double initial = samples.front().kinetic + samples.front().elastic +
                         samples.front().dissipated - samples.front().injected;
  for (const EnergySample& sample : samples) {
    const double levels[] = {0, sample.kinetic, sample.kinetic + sample.elastic,
                             sample.kinetic + sample.elastic + sample.dissipated};
    int level = 0;
    for (Series* series : {&kinetic, &elastic, &lost}) {
      series->x.push_back(sample.time);
      series->low.push_back(levels[level]);
      series->y.push_back(levels[++level]);
    }
    budget.x.push_back(sample.time);
    budget.y.push_back(initial + sample.injected);
  }
  double largest = 0;
  for (const double energy : lost.y) largest = std::max(largest, energy);
  const ScaledUnit unit = unit_for(largest, "J"), time_unit = unit_for(samples.back().time, "s");
  for (Series* series : {&kinetic, &elastic, &lost, &budget}) {
    for (double& level : series->y) level /= unit.factor;
    for (double& level : series->low) level /= unit.factor;
    for (double& time : series->x) time /= time_unit.factor;
  }
  Panel panel;
  panel.x_label = "time [" + time_unit.name + "]";
  panel.y_label = "energy [" + unit.name + "]";
  panel.y_tick = round_tick(largest / unit.factor, 6);
  panel.x_range = {samples.front().time / time_unit.factor, samples.back().time / time_unit.factor};
  panel.series = {std::move(lost), std::move(elastic), std::move(kinetic), std::move(budget)};
  return full_width(std::move(panel), 320);
}

std::optional<Figure> spectrum(const SoundWriter& sound) {
  const SoundInfo& info = sound.info();
  if (info.frames < 256 || !(info.peak > 0)) return {};
  std::size_t length = spectrum_length;
  while (length > 256 && static_cast<std::int64_t>(length) > info.frames) length /= 2;
  // The mean power over up to 64 segments spread over the whole sound.
  const std::int64_t room = info.frames - static_cast<std::int64_t>(length);
  const std::int64_t segments =
      std::clamp<std::int64_t>(2 * info.frames / static_cast<std::int64_t>(length) - 1, 1, 64);
  std::vector<double> power(length / 2 + 1, 0.0);
  for (std::int64_t i = 0; i < segments; ++i) {
    const std::int64_t first = segments > 1 ? room * i / (segments - 1) : 0;
    const std::vector<double> levels = spectrum_db(sound.read(first, length));
    for (std::size_t k = 0; k < power.size(); ++k) power[k] += std::pow(10, levels[k] / 10);
  }
  const double highest = *std::max_element(power.begin() + 1, power.end());
  Series series;
  for (std::size_t k = 1; k < power.size(); ++k) {
    const double frequency = static_cast<double>(k) * info.rate / static_cast<double>(length);
    if (frequency > band_limit(sound)) break;
    series.x.push_back(frequency / 1000);
    series.y.push_back(std::max(10 * std::log10(power[k] / highest + 1e-30), -dynamic_range));
  }
  Panel panel;
  panel.x_label = "frequency [kHz]";
  panel.y_label = "level [dB]";
  panel.key = Panel::Key::off;
  panel.x_range = {0, series.x.back()};
  panel.y_range = {-dynamic_range, 5};
  panel.series.push_back(std::move(series));
  return full_width(std::move(panel), 280);
}

std::optional<Figure> spectrogram(const SoundWriter& sound) {
  const SoundInfo& info = sound.info();
  if (info.frames < 4096 || !(info.peak > 0)) return {};
  const std::size_t length = info.frames > 60000 ? 2048 : 512;
  HeatMap map;
  map.label = "dB";
  map.contours = false;  // around a partial they are a tangle
  const double step = static_cast<double>(info.frames) / double(spectrogram_columns);
  const double top = std::min(band_limit(sound), 20000.0);
  for (std::size_t i = 0; i < spectrogram_columns; ++i) {
    map.x.push_back((static_cast<double>(i) + 0.5) * step / info.rate);
  }
  for (std::size_t j = 0; j < spectrogram_rows; ++j) {
    map.y.push_back((static_cast<double>(j) + 0.5) * top / double(spectrogram_rows) / 1000);
  }
  map.z.assign(spectrogram_columns * spectrogram_rows, 0.0);
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < spectrogram_columns; ++i) {
    const auto centre = static_cast<std::int64_t>((static_cast<double>(i) + 0.5) * step);
    const std::vector<double> levels =
        spectrum_db(sound.read(centre - static_cast<std::int64_t>(length / 2), length));
    for (std::size_t j = 0; j < spectrogram_rows; ++j) {
      // The strongest bin of a row: a thin partial must not fall between rows.
      const double bins = top / double(spectrogram_rows) * double(length) / info.rate;
      const auto first = static_cast<std::size_t>(std::floor(static_cast<double>(j) * bins));
      const auto last = static_cast<std::size_t>(std::ceil(static_cast<double>(j + 1) * bins));
      double level = -300;
      for (std::size_t k = first; k <= std::min(last, levels.size() - 1); ++k) {
        level = std::max(level, levels[k]);
      }
      map.z[j * spectrogram_columns + i] = level;
      highest = std::max(highest, level);
    }
  }
  for (double& level : map.z) level = std::max(level - highest, -dynamic_range);
  Panel panel;
  panel.x_label = "time [s]";
  panel.y_label = "frequency [kHz]";
  panel.key = Panel::Key::off;
  panel.x_range = {0, static_cast<double>(info.frames) / info.rate};
  panel.y_range = {0, top / 1000};
  panel.heat_map = std::move(map);
  return full_width(std::move(panel), 320);
}

std::vector<KeyNumber> heard_numbers(const SoundWriter& sound) {
  const SoundInfo& info = sound.info();
  std::vector<KeyNumber> numbers;
  bool harmonic = false;
  if (info.frames < 4096 || !(info.peak > 0)) return numbers;
  // The strongest partial of the first two seconds, if it has a tenth of their power.
  const auto length =
      static_cast<std::size_t>(std::min(static_cast<double>(info.frames), 2 * info.rate)) / 2 * 2;
  const std::vector<double> samples = sound.read(0, length);
  std::vector<SpectralPeak> peaks = spectral_peaks(samples, info.rate, 16, -40);
  // Where the others are multiples of the lowest, as of a string, that one is the pitch.
  const auto lowest = std::min_element(
      peaks.begin(), peaks.end(),
      [](const SpectralPeak& a, const SpectralPeak& b) { return a.frequency < b.frequency; });
  if (peaks.size() > 4) {
    const auto multiples = std::count_if(peaks.begin(), peaks.end(), [&](const SpectralPeak& peak) {
      const double ratio = peak.frequency / lowest->frequency;
      return std::abs(ratio - std::round(ratio)) < 0.05 + 0.01 * ratio;  // strings are stiff
    });
    harmonic = multiples * 5 >= static_cast<std::ptrdiff_t>(peaks.size()) * 4;
    if (harmonic) std::iter_swap(peaks.begin(), lowest);
  }
  if (!peaks.empty()) {
    const std::vector<double> levels = spectrum_db(samples);
    const double bin = peaks.front().frequency * static_cast<double>(length) / info.rate;
    double whole = 0, near = 0;
    for (std::size_t k = 1; k < levels.size(); ++k) {
      const double power = std::pow(10, levels[k] / 10);
      whole += power;
      if (std::abs(static_cast<double>(k) - bin) <= 6) near += power;
    }
    const double key = key_of_frequency(peaks.front().frequency);
    if ((harmonic || near > 0.1 * whole) && key > -0.5 && key < 127.5) {
      const int nearest = static_cast<int>(std::lround(key));
      numbers.push_back(
          {"pitch", peaks.front().frequency, "Hz",
           fmt::format("{} {:+.0f} cents, {}", note_name(nearest), 100 * (key - nearest),
                       harmonic ? "of harmonic partials" : "the strongest partial")});
    }
  }
  // Backward integration (Schroeder): the energy still to come, from 5 to 25 dB below all of it.
  constexpr std::int64_t longest = 1 << 22;
  const std::vector<double> all =
      sound.read(0, static_cast<std::size_t>(std::min(info.frames, longest)));
  double whole = 0;
  for (const double sample : all) whole += sample * sample;
  double left = whole, from = -1, to = -1;
  for (std::size_t i = 0; i < all.size() && to < 0; ++i) {
    left -= all[i] * all[i];
    if (from < 0 && left < whole * std::pow(10, -0.5)) from = static_cast<double>(i);
    if (left < whole * std::pow(10, -2.5)) to = static_cast<double>(i);
  }
  if (to > from && from > 0 && to < 0.95 * static_cast<double>(all.size()))
    numbers.push_back({"decay", 3 * (to - from) / info.rate, "s", "to fall by 60 dB"});
  return numbers;
}

}  // namespace carom
