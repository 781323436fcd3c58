#include <algorithm>
#include <cmath>

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

std::vector<Onset> impact_onsets(std::span<const double> samples, double rate) {
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

  std::vector<Onset> onsets;
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
    onsets.push_back({static_cast<double>(at) / rate, peak});
    next = k + looked_back;
  }
  return onsets;
}

}  // namespace carom
