#pragma once

#include <span>
#include <vector>

#include <carom/identify/impact_series.hpp>

namespace carom {

/// Something that begins suddenly in a recording.
struct Onset {
  double time;          ///< [s]
  double strength = 1;  ///< of the attack; only ratios count
};

/// Where something strikes in a recording: the energy of the differenced signal jumps by 6 dB or
/// more above what it was in the four milliseconds before; to about a sample. Impacts that follow
/// each other within some 5 ms, or are more than 60 dB weaker than the strongest, are not told
/// apart from it.
std::vector<Onset> impact_onsets(std::span<const double> samples, double rate);

/// The bounces of one body among onsets that may be echoes, noise or other bodies.
struct BounceChain {
  std::vector<double> times;    ///< [s]
  std::vector<bool> after_gap;  ///< a bounce between this one and the one before went unnoticed
  std::size_t onsets = 0;       ///< that there were to choose from
};

/// The chain of onsets in which every flight is a little shorter than the one before, by a ratio
/// that changes little from bounce to bounce; strays are left out and single bounces may be
/// missing. Of all such chains the one with most and strongest onsets. `timing` is the standard
/// deviation of one time [s]. Throws InvalidInput when there are fewer than four.
BounceChain find_bounces(std::span<const Onset> onsets, double timing);

/// A body bouncing to rest on a floor, from the times of its impacts alone.
struct FittedBounces {
  Identification laws;
  BounceChain chain;
  std::vector<double> impact_times;   ///< of the impacts below [s]
  std::vector<SeriesImpact> impacts;  ///< those with a whole flight before and behind them
  double restitution;                 ///< mean
};

/// Between two impacts the body flies for T, so it lands with g T/2 and leaves with g T'/2 for the
/// next flight T': e = T'/T. Contacts are assumed short compared with flights. How
/// certain a time is follows from how the restitutions scatter over the flights. `settings.gravity`
/// is 9.81 m/s^2 where it is not given.
[[nodiscard]] FittedBounces identify_bounces(const BounceChain& chain, double timing,
                                             const FitSettings& settings = {});

/// When a body that bounces touches the floor, from its height over time: where the parabolas of
/// its flights meet the lowest height. Throws InvalidInput when there are fewer than four.
std::vector<Onset> track_bounces(std::span<const double> times, std::span<const double> heights);

}  // namespace carom
