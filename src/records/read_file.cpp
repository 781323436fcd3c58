#include <carom/records/identify_file.hpp>

#include "fit_json.hpp"

// What is identified from files on the disk.
namespace carom {
namespace {

Measurements measurements_in(const std::filesystem::path& file,
                             const IdentifyFileOptions& options) {
  return read_measurements(file, options.read, options.fit.gravity.value_or(9.81));
}

}  // namespace

IdentifiedFile identify_file(const std::filesystem::path& file,
                             const IdentifyFileOptions& options) {
  return identify_measurements(file, measurements_in(file, options), options);
}

Json described_file(const std::filesystem::path& file, const IdentifyFileOptions& options) {
  const Measurements measured = measurements_in(file, options);
  Json runs = Json::array();
  for (const MeasuredRun& run : measured.runs) {
    Json read = read_json(measured.format, run);
    const auto about = [&](const char* kind, std::size_t count) {
      read["kind"] = kind;
      read["rows"] = count;
    };
    if (const auto* trace = std::get_if<TraceRecord>(&run.data)) {
      about(trace->acceleration ? "acceleration trace" : "force trace", trace->times.size());
    } else if (const auto* series = std::get_if<SeriesRecord>(&run.data)) {
      about("impacts", series->impacts.size());
    } else if (const auto* times = std::get_if<TimesRecord>(&run.data)) {
      about("times of bounces", times->times.size());
    } else if (const auto* track = std::get_if<TrackRecord>(&run.data)) {
      about("track", track->times.size());
    } else if (const auto* sound = std::get_if<SoundRecord>(&run.data)) {
      about("recording", sound->samples.size());
      read["rate"] = sound->rate;
    }
    runs.push_back(std::move(read));
  }
  return {{"file", file.string()}, {"runs", std::move(runs)}};
}

}  // namespace carom
