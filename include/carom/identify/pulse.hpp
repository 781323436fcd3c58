#pragma once

#include <span>
#include <vector>

namespace carom {

/// One event of a trace that rises above its baseline.
struct TraceEvent {
  double time;  ///< of its largest sample [s]
  double peak;  ///< above the baseline; the sign is that of the trace
};

/// The pulse of an impact as it was found in a trace of force or acceleration.
struct Pulse {
  std::vector<double> times;   ///< a little more than the contact [s]
  std::vector<double> values;  ///< baseline removed, positive where the bodies push
  double sign = 1;             ///< of a push in the trace
  double offset = 0;           ///< baseline at the pulse
  double drift = 0;            ///< of the baseline [1/s]
  double baseline_worth =
      0;             ///< values that say as much about the offset as the samples outside do
  double noise = 0;  ///< standard deviation of the samples outside; NaN where there are none
  double peak = 0;   ///< of the values, a median of neighbours: no single sample decides
  double begin = 0, end = 0;            ///< rough contact [s]
  int averaged = 1;                     ///< samples of the trace in one of these
  std::vector<TraceEvent> events = {};  ///< all of them, in time; the largest is the pulse
};

/// Sign, baseline and drift are found from the trace itself. Throws InvalidInput when the times do
/// not increase, nothing rises above the baseline, or fewer than 8 samples are in contact.
Pulse find_pulse(std::span<const double> times, std::span<const double> values);

}  // namespace carom
