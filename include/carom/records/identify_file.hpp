#pragma once

#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include <carom/identify/force_trace.hpp>
#include <carom/identify/recording.hpp>
#include <carom/records/measurements.hpp>
#include <carom/scenario/json.hpp>

namespace carom {

struct IdentifyFileOptions {
  ReadOptions read = {};
  FitSettings fit = {};
};

/// Laws fitted to a series of impacts.
struct FittedSeries {
  Identification laws;
  std::vector<SeriesImpact> impacts;
};

/// One run of a file, with what was found in it.
struct IdentifiedRun {
  MeasuredRun measured;
  std::variant<FittedTrace, FittedSeries, FittedBounces> result;
  Json document;  ///< law, check, uncertainty, verdict, candidates, read, data

  const Identification& laws() const;
};

struct IdentifiedFile {
  std::vector<IdentifiedRun> runs;
  Json document;         ///< that of the only run, or {"file", "runs": [...]}
  bool accepted = true;  ///< the law of every run
};

/// From a file of measurements to laws. Throws InvalidInput that names the file.
IdentifiedFile identify_file(const std::filesystem::path& file, const IdentifyFileOptions& options);

/// The same for what has been read already, and for bytes; `file` is used in messages.
IdentifiedFile identify_measurements(const std::filesystem::path& file,
                                     const Measurements& measured,
                                     const IdentifyFileOptions& options);
IdentifiedFile identify_bytes(const std::filesystem::path& file, const std::string& bytes,
                              const IdentifyFileOptions& options);

/// What was understood of a file, without fitting anything.
Json described_file(const std::filesystem::path& file, const IdentifyFileOptions& options);

}  // namespace carom
