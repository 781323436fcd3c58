#include <algorithm>
#include <cctype>
#include <memory>
#include <sndfile.h>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/scenario/measurements.hpp>

#include "table_file.hpp"

namespace carom {
namespace {

constexpr sf_count_t max_samples = 100'000'000;  ///< of all channels: forty minutes at 44.1 kHz

Recording read_recording(const std::filesystem::path& file) {
  const std::string name = file.string();
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    throw InvalidInput(fmt::format("file '{}': cannot be read; it must be a sound file", name));
  }
  SF_INFO info{};
  const auto close = [](SNDFILE* sound) { sf_close(sound); };
  const std::unique_ptr<SNDFILE, decltype(close)> sound(sf_open(file.c_str(), SFM_READ, &info),
                                                        close);
  if (sound == nullptr) {
    throw InvalidInput(fmt::format("file '{}': is not a sound file that can be read ({})", name,
                                   sf_strerror(nullptr)));
  }
  if (info.frames < 1) throw InvalidInput(fmt::format("file '{}': has no samples", name));
  if (info.frames > max_samples / info.channels) {
    throw InvalidInput(fmt::format("file '{}': longer than {} samples", name, max_samples));
  }
  const auto channels = static_cast<std::size_t>(info.channels);
  std::vector<double> block(channels * static_cast<std::size_t>(info.frames));
  const auto frames =
      static_cast<std::size_t>(sf_readf_double(sound.get(), block.data(), info.frames));
  Recording recording{.samples = std::vector<double>(frames, 0.0),
                      .rate = static_cast<double>(info.samplerate)};
  for (std::size_t i = 0; i < frames; ++i) {
    for (std::size_t c = 0; c < channels; ++c) {
      recording.samples[i] += block[i * channels + c] / static_cast<double>(channels);
    }
  }
  return recording;
}

MeasuredSeries read_series(const TableFile& table) {
  MeasuredSeries series;
  for (const double speed : table.column("speed")) {
    series.impacts.push_back({.speed = speed, .restitution = 0});
  }
  const auto each = [&](const char* name, auto assign) {
    const std::vector<double> values = table.column(name);
    for (std::size_t i = 0; i < values.size(); ++i) assign(series.impacts[i], values[i]);
  };
  each("restitution", [](SeriesImpact& one, double value) { one.restitution = value; });
  each("contact_time", [](SeriesImpact& one, double value) { one.contact_time = value; });
  if (table.has("speed_sd")) {
    each("speed_sd", [](SeriesImpact& one, double value) { one.speed_sd = value; });
  }
  if (table.has("restitution_sd")) {
    each("restitution_sd", [](SeriesImpact& one, double value) { one.restitution_sd = value; });
  }
  if (table.has("contact_time_sd")) {
    each("contact_time_sd", [](SeriesImpact& one, double value) { one.contact_time_sd = value; });
  }
  return series;
}

std::string ending_of(const std::filesystem::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return ending;
}

}  // namespace

Measurements read_measurements(const std::filesystem::path& file) {
  const std::string ending = ending_of(file);
  for (const char* sound : {".wav", ".flac", ".aif", ".aiff"}) {
    if (ending == sound) return read_recording(file);
  }
  if (ending != ".csv") {
    throw InvalidInput(
        fmt::format("file '{}': must end in .csv (a table of numbers) or in .wav, .flac, .aiff (a "
                    "recording)",
                    file.string()));
  }
  const TableFile table(file);
  if (table.has("force")) return ForceTrace{table.column("time"), table.column("force")};
  if (table.has("speed") || table.has("restitution")) return read_series(table);
  throw InvalidInput(
      fmt::format("file '{}': must have the columns time, force (one impact) or speed, "
                  "restitution, contact_time (several impacts)",
                  file.string()));
}

}  // namespace carom
