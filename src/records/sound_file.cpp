#include <memory>
#include <sndfile.h>

#include <fmt/format.h>

#include <carom/records/measurements.hpp>

#include "measured.hpp"
#include "text_file.hpp"

namespace carom {

SoundRecord read_sound(const std::filesystem::path& file) {
  constexpr sf_count_t max_samples = 100'000'000;  // of all channels: forty minutes at 44.1 kHz
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) {
    refuse_file(file, "cannot be read; it must be a sound file");
  }
  SF_INFO info{};
  const auto close = [](SNDFILE* sound) { sf_close(sound); };
  const std::unique_ptr<SNDFILE, decltype(close)> sound(sf_open(file.c_str(), SFM_READ, &info),
                                                        close);
  if (sound == nullptr) {
    refuse_file(file,
                fmt::format("is not a sound file that can be read ({})", sf_strerror(nullptr)));
  }
  if (info.frames < 1) refuse_file(file, "has no samples");
  if (info.frames > max_samples / info.channels) {
    refuse_file(file, fmt::format("longer than {} samples", max_samples));
  }
  const auto channels = static_cast<std::size_t>(info.channels);
  std::vector<double> block(channels * static_cast<std::size_t>(info.frames));
  const auto frames =
      static_cast<std::size_t>(sf_readf_double(sound.get(), block.data(), info.frames));
  SoundRecord out{.samples = std::vector<double>(frames, 0.0),
                  .rate = static_cast<double>(info.samplerate)};
  for (std::size_t i = 0; i < frames; ++i) {
    for (std::size_t c = 0; c < channels; ++c)
      out.samples[i] += block[i * channels + c] / static_cast<double>(channels);
  }
  return out;
}

Measurements read_measurements(const std::filesystem::path& file, const ReadOptions& options,
                               double gravity) {
  if (is_sound(file)) return measured_sound(file, options, read_sound(file));
  return measured_runs(file, read_record(file, options), gravity);
}

}  // namespace carom
