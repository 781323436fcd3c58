#pragma once

#include <filesystem>
#include <variant>
#include <vector>

#include <carom/identify/impact_series.hpp>

namespace carom {

/// The force of one impact over time: a CSV file with the columns `time` and `force`.
struct ForceTrace {
  std::vector<double> times, forces;  ///< [s], [N]
};

/// Impacts of the same bodies at several speeds: a CSV file with the columns `speed`, `restitution`
/// and `contact_time`, and their standard deviations `speed_sd`, `restitution_sd`,
/// `contact_time_sd` if they are known.
struct MeasuredSeries {
  std::vector<SeriesImpact> impacts;
};

/// A sound file (WAV, FLAC, AIFF); several channels are averaged.
struct Recording {
  std::vector<double> samples;
  double rate = 0;  ///< [Hz]
};

using Measurements = std::variant<ForceTrace, MeasuredSeries, Recording>;

/// What is in a data file, by its ending and its columns. Throws InvalidInput that names the file
/// when it is none of these, cannot be read, or holds other things than finite numbers.
Measurements read_measurements(const std::filesystem::path& file);

}  // namespace carom
