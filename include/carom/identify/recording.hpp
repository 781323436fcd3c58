#pragma once

#include <span>
#include <vector>

#include <carom/identify/impact_series.hpp>

namespace carom {

/// Times [s] at which something strikes in a recording: where the energy of the differenced signal
/// jumps by 6 dB or more above what it was in the four milliseconds before, to about a sample.
/// Impacts that follow each other within some 5 ms, or are more than 60 dB weaker than the
/// strongest, are not told apart from it.
std::vector<double> impact_times(std::span<const double> samples, double rate);

/// A body bouncing to rest on a floor, from the times of its impacts alone.
struct FittedBounces {
  FittedSeries series;                ///< restitution over speed; status, mu and its uncertainty
  std::vector<double> times;          ///< of the impacts that were used [s]
  std::vector<SeriesImpact> impacts;  ///< all of those but the first and the last, as measured
};

/// Between two impacts the body flies for T, so it lands with g T/2 and leaves with g T'/2 for the
/// next flight T': e = T'/T. The longest run of flights that do not grow is taken; contacts are
/// taken for short beside flights. `timing` is the standard deviation of one time [s]. Throws
/// InvalidInput when there are fewer than four such impacts.
[[nodiscard]] FittedBounces identify_bounces(std::span<const double> times, double timing,
                                             double gravity = 9.81);

}  // namespace carom
