#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <carom/scenario/run_context.hpp>

namespace carom {

struct SoundSettings {
  double rate = 44100;  ///< of the file [Hz]
  int bits = 24;        ///< 16, 24, or 32 for floating point
  double peak = 0.9;    ///< largest sample of the file, full scale is 1
};

/// What was written, for summary.json and the report.
struct SoundInfo {
  double rate = 0;          ///< [Hz]
  std::int64_t frames = 0;  ///< samples
  int bits = 0;
  double gain = 0;         ///< file sample = gain * simulated quantity
  double peak = 0;         ///< of the simulated quantity, after resampling, in its own unit
  double source_rate = 0;  ///< of the simulation [Hz]
};

/// Turns a simulated quantity into a sound file: band-limited resampling (soxr, 28 bit), then one
/// factor for the whole file so that its peak is where it was asked to be. No fade, no limiter, no
/// dither: what is heard is what was computed, and the same run gives the same bytes. Samples wait
/// on the disk, so that memory does not grow with the length.
class SoundWriter final : public SoundSink {
 public:
  /// `spool` is a scratch file beside the result; it is removed with the writer.
  SoundWriter(const SoundSettings& settings, std::filesystem::path spool);
  ~SoundWriter() override;
  SoundWriter(const SoundWriter&) = delete;
  SoundWriter& operator=(const SoundWriter&) = delete;

  void begin(double rate) override;
  void write(std::span<const double> samples) override;
  /// Ends the resampling; from here on samples can be read.
  void finish();

  const SoundInfo& info() const noexcept { return info_; }
  /// Reads `count` resampled samples from `first` on, zeros beyond the end.
  std::vector<double> read(std::int64_t first, std::size_t count) const;

  /// `comment` goes into the file, for people and programs that ask where it comes from.
  void write_wav(const std::filesystem::path& file, const std::string& comment = {}) const;
  /// At most `seconds` of the sound in 16 bit, losslessly compressed: for the page.
  void write_flac(const std::filesystem::path& file, double seconds) const;

 private:
  struct Resampler;
  void keep(std::span<const double> samples);
  void write_file(const std::filesystem::path& file, int format, std::int64_t frames,
                  const std::string& comment) const;

  SoundSettings settings_;
  SoundInfo info_;
  std::filesystem::path spool_path_;
  std::FILE* spool_ = nullptr;
  std::unique_ptr<Resampler> resampler_;
};

}  // namespace carom
