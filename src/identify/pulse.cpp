#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <carom/core/error.hpp>
#include <carom/identify/pulse.hpp>

namespace carom {
namespace {

constexpr double foot = 0.05;        ///< of the peak: where a pulse is said to begin and end
constexpr double least_event = 0.2;  ///< of the largest
constexpr std::size_t least_samples = 8, max_samples = 400;
constexpr double margin = 0.15;  ///< of the contact, kept on either side

double median(std::vector<double> values) {
  const auto half = values.begin() + long(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  return *half;
}

double median_of_three(std::span<const double> v, std::size_t i) {
  const double a = v[i > 0 ? i - 1 : i], b = v[i], c = v[i + 1 < v.size() ? i + 1 : i];
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

/// Baseline at time 0 and slope, sign, and the extent of the largest event.
struct Outline {
  double offset = 0, drift = 0, sign = 1, peak = 0;
  std::size_t top = 0, left = 0, right = 0;

  double above(double t, double value) const { return sign * (value - offset - drift * t); }
};

void require_trace(std::span<const double> times, std::span<const double> values) {
  if (times.size() != values.size()) {
    throw InvalidInput("times and values must have the same length (got " +
                       std::to_string(times.size()) + " and " + std::to_string(values.size()) +
                       ")");
  }
  for (std::size_t i = 0; i < times.size(); ++i) {
    require_finite("time", times[i]);
    require_finite("value", values[i]);
    if (i > 0 && !(times[i] > times[i - 1])) {
      throw InvalidInput("times must increase (got " + number_text(times[i]) + " after " +
                         number_text(times[i - 1]) + ")");
    }
  }
  if (times.size() < least_samples) {
    throw InvalidInput("the trace needs at least 8 samples in contact (got " +
                       std::to_string(times.size()) + " samples in all)");
  }
}

void find_event(std::span<const double> t, std::span<const double> v, Outline& out) {
  double largest = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    const double height = median_of_three(v, i) - out.offset - out.drift * t[i];
    if (std::abs(height) <= largest) continue;
    largest = std::abs(height);
    out.top = i;
    out.sign = height < 0 ? -1 : 1;
  }
  out.peak = largest;
  out.left = out.right = out.top;
  while (out.left > 0 && out.above(t[out.left - 1], v[out.left - 1]) > foot * largest) --out.left;
  while (out.right + 1 < v.size() && out.above(t[out.right + 1], v[out.right + 1]) > foot * largest)
    ++out.right;
}

/// Slope between the medians of the first and the second half.
double slope_of_halves(const std::vector<double>& t, const std::vector<double>& v) {
  const auto half = long(v.size() / 2);
  return (median({v.begin() + half, v.end()}) - median({v.begin(), v.begin() + half})) /
         (median({t.begin() + half, t.end()}) - median({t.begin(), t.begin() + half}));
}

/// Baseline through what lies outside the event; nothing changes where there is too little of it.
/// A slope is believed when it is larger than the noise and a two-hundredth of the peak.
struct Baseline {
  double noise;         ///< of the samples; NaN where there are too few
  std::size_t samples;  ///< that it was found from
};
Baseline find_baseline(std::span<const double> t, std::span<const double> v, Outline& out) {
  const std::size_t width = (out.right - out.left) / 2 + 1;
  std::vector<double> before, after, before_times, after_times;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (i + width < out.left) {
      before.push_back(v[i]);
      before_times.push_back(t[i]);
    } else if (i > out.right + width) {
      after.push_back(v[i]);
      after_times.push_back(t[i]);
    }
  }
  std::vector<double> all = before;
  all.insert(all.end(), after.begin(), after.end());
  if (all.size() < least_samples) return {std::nan(""), 0};
  out.drift = 0;
  out.offset = median(all);
  std::sort(all.begin(), all.end());
  // Half of what holds 68 %: samples of few bits have a median deviation of zero.
  const double noise = (all[all.size() * 84 / 100] - all[all.size() * 16 / 100]) / 2;
  if (before.size() >= least_samples && after.size() >= least_samples) {
    const double first = median(before), second = median(after),
                 step = median(after_times) - median(before_times);
    // Within the longer part the same slope must be seen: else it is an offset or ringing.
    const bool later = after.size() > before.size();
    const double own = slope_of_halves(later ? after_times : before_times, later ? after : before),
                 slope = (second - first) / step;
    if (std::abs(second - first) > std::max(3 * noise, 0.005 * out.peak) &&
        std::abs(own - slope) < 0.5 * std::abs(slope)) {
      out.drift = slope;
      out.offset = first - slope * median(before_times);
    }
  }
  return {noise, all.size()};
}

/// Events of the same sign as the pulse.
std::vector<TraceEvent> events_of(std::span<const double> t, std::span<const double> v,
                                  const Outline& line) {
  std::vector<TraceEvent> events;
  std::size_t inside = 0;
  TraceEvent now{0, 0};
  for (std::size_t i = 0; i <= v.size(); ++i) {
    const double height = i < v.size() ? line.above(t[i], median_of_three(v, i)) : 0;
    if (height > foot * line.peak) {
      ++inside;
      if (height > now.peak) now = {t[i], height};
      continue;
    }
    if (inside >= 3 && now.peak > least_event * line.peak)
      events.push_back({now.time, line.sign * now.peak});
    inside = 0;
    now = {0, 0};
  }
  return events;
}

}  // namespace

Pulse find_pulse(std::span<const double> times, std::span<const double> values) {
  require_trace(times, values);
  // The ends of a trace are quiet before anything else is known about it.
  const std::size_t end = std::max<std::size_t>(2, times.size() / 30);
  std::vector<double> ends(values.begin(), values.begin() + long(end));
  ends.insert(ends.end(), values.end() - long(end), values.end());
  Outline line{.offset = median(ends)};
  find_event(times, values, line);
  Baseline baseline{std::nan(""), 0};
  for (int pass = 0; pass < 2 && line.peak > 0; ++pass) {
    baseline = find_baseline(times, values, line);
    find_event(times, values, line);
  }
  Pulse out;
  out.noise = baseline.noise;
  if (!(line.peak > 0)) throw InvalidInput("the trace has no force: it does not change");
  const std::size_t inside = line.right - line.left + 1;
  if (inside < least_samples) {
    throw InvalidInput("the trace needs at least 8 samples in contact (got " +
                       std::to_string(inside) + ")");
  }
  out.sign = line.sign;
  out.drift = line.drift;
  out.offset = line.offset + line.drift * times[line.top];
  out.begin = times[line.left];
  out.end = times[line.right];
  out.events = events_of(times, values, line);
  const std::size_t beside =
      std::max<std::size_t>(3, static_cast<std::size_t>(margin * static_cast<double>(inside)));
  const std::size_t first = line.left > beside ? line.left - beside : 0,
                    last = std::min(times.size() - 1, line.right + beside);
  // Many samples say no more about the shape than some hundred means of neighbours.
  const std::size_t count = last - first + 1, block = (count + max_samples - 1) / max_samples;
  out.averaged = static_cast<int>(block);
  constexpr double median_efficiency = 0.64;  // 2/pi, against the mean
  out.baseline_worth = median_efficiency * double(baseline.samples) / double(block);
  for (std::size_t i = first; i + block <= last + 1; i += block) {
    double t = 0, v = 0;
    for (std::size_t j = i; j < i + block; ++j) {
      t += times[j];
      v += line.above(times[j], values[j]);
    }
    out.times.push_back(t / static_cast<double>(block));
    out.values.push_back(v / static_cast<double>(block));
  }
  for (std::size_t i = 0; i < out.values.size(); ++i)
    out.peak = std::max(out.peak, median_of_three(out.values, i));
  return out;
}

}  // namespace carom
