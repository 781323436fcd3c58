#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <carom/identify/impact_series.hpp>
#include <carom/records/record.hpp>

namespace carom {

/// Force [N] or acceleration [m/s^2] over time: the columns `time` and `force` or `acceleration`.
struct TraceRecord {
  std::vector<double> times, values;
  bool acceleration = false;
};

/// Impacts of the same bodies: `speed` with one or more of `restitution` (or `rebound_speed`),
/// `contact_time`, `max_force`; `mass`; standard deviations as `..._sd`. Or `drop_height` with
/// `rebound_height`.
struct SeriesRecord {
  std::vector<SeriesImpact> impacts;
};

/// When a body bounces: a column `time`, or the `interval`s between.
struct TimesRecord {
  std::vector<double> times;
  double resolution;  ///< the last digit that is written [s]
};

/// `time` and `height` of a body that bounces.
struct TrackRecord {
  std::vector<double> times, heights;
};

/// A sound file; several channels are averaged.
struct SoundRecord {
  std::vector<double> samples;
  double rate = 0;  ///< [Hz]
};

using MeasuredData = std::variant<TraceRecord, SeriesRecord, TimesRecord, TrackRecord, SoundRecord>;

struct MeasuredRun {
  std::string label;
  std::vector<RecordColumn> columns;  ///< that were used, without their values
  MeasuredData data;
};

struct Measurements {
  std::string format;
  std::vector<MeasuredRun> runs;
};

/// What is in a data file. `gravity` [m/s^2] turns heights into speeds. Throws InvalidInput that
/// names the file, and what is in it, when it is none of these.
Measurements read_measurements(const std::filesystem::path& file, const ReadOptions& options = {},
                               double gravity = 9.81);

/// The same from bytes; of sound files only WAV is read without libsndfile.
Measurements measurements_of(const std::filesystem::path& file, const std::string& bytes,
                             const ReadOptions& options = {}, double gravity = 9.81);

/// Whether the name of a file says that it is a recording.
bool is_sound(const std::filesystem::path& file);

/// The samples of a WAV file: 8 to 32 bits, whole numbers or floating point, any channels.
SoundRecord wav_of(const std::filesystem::path& file, const std::string& bytes);

/// The samples of a WAV, FLAC, OGG, AIFF or MP3 file.
SoundRecord read_sound(const std::filesystem::path& file);

}  // namespace carom
