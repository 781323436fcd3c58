#include <algorithm>
#include <cmath>
#include <string>

#include <carom/core/error.hpp>
#include <carom/identify/recording.hpp>

namespace carom {
namespace {

constexpr double hop_time = 1e-3;       ///< [s], over which energy is summed
constexpr std::size_t looked_back = 4;  ///< hops that a jump is compared with
constexpr double least_jump = 4;        ///< of energy: 6 dB
constexpr double weakest = 1e-6;        ///< of the strongest hop: -60 dB
constexpr double attack = 0.3;          ///< of the local peak: where an impact is said to begin

}  // namespace

std::vector<double> impact_times(std::span<const double> samples, double rate) {
  require_positive("rate", rate);
  for (const double sample : samples) require_finite("sample", sample);
  if (samples.size() < 2) return {};
  // Differencing keeps the click and takes out hum and the weight of a slow signal.
  const auto change = [&](std::size_t i) {
    return i == 0 ? samples[0] : samples[i] - samples[i - 1];
  };
  const auto hop = std::max<std::size_t>(1, static_cast<std::size_t>(hop_time * rate));
  std::vector<double> energy((samples.size() + hop - 1) / hop, 0.0);
  for (std::size_t i = 0; i < samples.size(); ++i) energy[i / hop] += change(i) * change(i);
  std::vector<double> sorted = energy;
  std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2, sorted.end());
  const double strongest = *std::max_element(energy.begin(), energy.end());
  const double floor = std::max(weakest * strongest, least_jump * sorted[sorted.size() / 2]);

  std::vector<double> times;
  std::size_t next = 0;  // no new impact before this hop
  for (std::size_t k = 0; k < energy.size(); ++k) {
    if (k < next || !(energy[k] > floor)) continue;
    double before = 0;
    for (std::size_t j = k > looked_back ? k - looked_back : 0; j < k; ++j) {
      before = std::max(before, energy[j]);
    }
    if (energy[k] < least_jump * before) continue;
    // The attack may run on into the hops that follow.
    const std::size_t begin = k * hop, end = std::min(samples.size(), begin + 3 * hop);
    double peak = 0;
    for (std::size_t i = begin; i < end; ++i) peak = std::max(peak, std::abs(change(i)));
    std::size_t at = begin;
    while (std::abs(change(at)) < attack * peak) ++at;
    times.push_back(static_cast<double>(at) / rate);
    next = k + looked_back;
  }
  return times;
}

FittedBounces identify_bounces(std::span<const double> times, double timing, double gravity) {
  require_positive("timing", timing);
  require_positive("gravity", gravity);
  for (std::size_t i = 0; i < times.size(); ++i) {
    require_finite("time", times[i]);
    if (i > 0 && !(times[i] > times[i - 1])) throw InvalidInput("times must increase");
  }
  // The longest stretch in which no flight is longer than the one before it.
  std::size_t best_begin = 0, best_count = 0, begin = 0;
  const auto flight = [&](std::size_t i) { return times[i + 1] - times[i]; };
  for (std::size_t i = 0; i + 1 < times.size(); ++i) {
    if (i > begin && flight(i) > flight(i - 1) + 4 * timing) begin = i;
    if (i + 2 - begin > best_count) {
      best_begin = begin;
      best_count = i + 2 - begin;
    }
  }
  if (best_count < 4) {
    throw InvalidInput("found " + std::to_string(times.size()) +
                       " impacts, none of which follow each other at least four times in flights "
                       "that do not grow: is this a body bouncing to rest?");
  }
  FittedBounces out;
  for (std::size_t i = best_begin; i < best_begin + best_count; ++i) out.times.push_back(times[i]);
  for (std::size_t i = best_begin; i + 2 < best_begin + best_count; ++i) {
    const double first = flight(i), second = flight(i + 1);
    const double e = std::min(second / first, 1.0);
    // Both flights share the impact between them: their errors are opposite there.
    const double spread = timing / first * std::sqrt(2 * (1 + e + e * e));
    out.impacts.push_back({.speed = gravity * first / 2,
                           .restitution = e,
                           .contact_time = {},
                           .speed_sd = gravity * timing / std::sqrt(2.0),
                           .restitution_sd = spread});
  }
  out.series = identify_series(out.impacts, SeriesLaw::hunt_crossley);
  // Where the flights scatter more than the timing explains, that scatter is the uncertainty.
  const double wider = std::max(1.0, out.series.misfit);
  for (std::optional<double>* width :
       {&out.series.uncertainty.mu, &out.series.uncertainty.epsilon}) {
    if (*width) **width *= wider;
  }
  return out;
}

}  // namespace carom
