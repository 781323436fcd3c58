#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/identify/recording.hpp>

namespace carom {
namespace {

constexpr double shortest_flight = 8e-3, longest_flight = 20;  ///< [s]
constexpr double least_ratio = 0.2;                            ///< of a flight to the one before
constexpr double change_of_ratio = 0.1;  ///< in its logarithm: costs half an onset
constexpr double cost_of_gap = 1.0;      ///< in onsets
constexpr std::size_t max_onsets = 300, least_bounces = 4;

/// The best chain that ends with the flight from one onset to another.
struct Flight {
  double score = 0, length = 0, log_ratio = 0;
  int before = -1;  ///< the onset that the flight before came from
  bool has_ratio = false, gap = false;
};

/// Longer recordings are judged by their strongest onsets.
std::vector<Onset> strongest(std::span<const Onset> onsets) {
  std::vector<Onset> kept(onsets.begin(), onsets.end());
  if (kept.size() > max_onsets) {
    std::nth_element(kept.begin(), kept.begin() + max_onsets, kept.end(),
                     [](const Onset& a, const Onset& b) { return a.strength > b.strength; });
    kept.resize(max_onsets);
    std::sort(kept.begin(), kept.end(),
              [](const Onset& a, const Onset& b) { return a.time < b.time; });
  }
  return kept;
}

class ChainSearch {
 public:
  ChainSearch(std::vector<Onset> onsets, double timing)
      : onsets_(std::move(onsets)), timing_(timing), n_(onsets_.size()), flights_(n_ * n_) {
    double top = 0;
    for (const Onset& one : onsets_) top = std::max(top, one.strength);
    // Every onset counts; one 40 dB below the strongest hardly.
    for (const Onset& one : onsets_)
      worth_.push_back(std::clamp(1 + 0.5 * std::log10(one.strength / top), 0.1, 1.0));
  }

  BounceChain best() {
    std::size_t last_i = 0, last_j = 0;
    double top = 0;
    for (std::size_t j = 1; j < n_; ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        extend(i, j);
        if (at(i, j).score > top) {
          top = at(i, j).score;
          last_i = i;
          last_j = j;
        }
      }
    }
    BounceChain chain;
    chain.onsets = n_;
    if (top > 0) {
      std::size_t i = last_i, j = last_j;
      while (true) {
        const Flight& flight = at(i, j);
        chain.times.push_back(onsets_[j].time);
        chain.after_gap.push_back(flight.gap);
        if (flight.before < 0) break;
        j = i;
        i = static_cast<std::size_t>(flight.before);
      }
      chain.times.push_back(onsets_[i].time);
      chain.after_gap.push_back(false);
      std::reverse(chain.times.begin(), chain.times.end());
      std::reverse(chain.after_gap.begin(), chain.after_gap.end());
    }
    return chain;
  }

 private:
  Flight& at(std::size_t i, std::size_t j) { return flights_[i * n_ + j]; }

  void extend(std::size_t i, std::size_t j) {
    const double length = onsets_[j].time - onsets_[i].time;
    Flight& flight = at(i, j);
    if (length < shortest_flight || length > longest_flight) {
      flight.score = -1;
      return;
    }
    flight = {.score = worth_[i] + worth_[j], .length = length};
    for (std::size_t h = 0; h < i; ++h) {
      const Flight& before = at(h, i);
      if (before.score < 0) continue;
      try_after(before, h, j, length, flight);
      if (before.has_ratio) try_over_gap(before, h, j, length, flight);
    }
  }

  void try_after(const Flight& before, std::size_t h, std::size_t j, double length,
                 Flight& flight) const {
    const double ratio = length / before.length, slack = 5 * timing_ / before.length + 0.02;
    if (ratio < least_ratio || ratio > 1 + slack) return;
    const double log_ratio = std::log(ratio);
    double score = before.score + worth_[j];
    if (before.has_ratio) score -= cost(log_ratio - before.log_ratio, slack);
    if (score > flight.score) flight = {score, length, log_ratio, static_cast<int>(h), true, false};
  }

  /// A bounce went unnoticed: two flights e T and e^2 T stand for one.
  void try_over_gap(const Flight& before, std::size_t h, std::size_t j, double length,
                    Flight& flight) const {
    const double ratio = (std::sqrt(1 + 4 * length / before.length) - 1) / 2,
                 slack = 5 * timing_ / before.length + 0.02;
    if (ratio < least_ratio || ratio > 1 + slack) return;
    const double log_ratio = std::log(ratio);
    const double score =
        before.score + worth_[j] - cost_of_gap - cost(log_ratio - before.log_ratio, slack);
    if (score > flight.score)
      flight = {score, before.length * ratio * ratio, log_ratio, static_cast<int>(h), true, true};
  }

  /// What a change of the ratio costs: nothing that the timing explains, at most two onsets.
  static double cost(double change, double slack) {
    const double beyond = change / (change_of_ratio + slack);
    return std::min(0.5 * beyond * beyond, 2.0);
  }

  std::vector<Onset> onsets_;
  double timing_;
  std::size_t n_;
  std::vector<Flight> flights_;
  std::vector<double> worth_;
};

}  // namespace

BounceChain find_bounces(std::span<const Onset> onsets, double timing) {
  require_positive("timing", timing);
  for (std::size_t i = 0; i < onsets.size(); ++i) {
    require_finite("time", onsets[i].time);
    require_positive("strength", onsets[i].strength);
    if (i > 0 && !(onsets[i].time > onsets[i - 1].time)) throw InvalidInput("times must increase");
  }
  BounceChain chain = ChainSearch(strongest(onsets), timing).best();
  chain.onsets = onsets.size();
  if (chain.times.size() < least_bounces) {
    throw InvalidInput("found " + std::to_string(onsets.size()) +
                       " impacts, no four of which follow each other in flights that do not grow: "
                       "is this a body bouncing to rest?");
  }
  return chain;
}

}  // namespace carom
