#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <carom/scenario/run_context.hpp>
#include <carom/scenario/scenario.hpp>

namespace carom {

struct SoundSettings {
  double rate = 44100;              ///< of the file [Hz]
  int bits = 24;                    ///< 16, 24, or 32 for floating point
  double peak = 0.9;                ///< largest sample of the file, full scale is 1
  std::optional<double> gain = {};  ///< file sample = gain * quantity, in place of `peak`
  /// Fade in and out [s]; if left out 2 ms where the sound does not begin at zero, and 20 ms; a
  /// tenth of the sound at most.
  std::optional<std::array<double, 2>> fade = {};
  int channels = 1;  ///< 2: samples come in pairs, left and right
};

/// What the table [sound] of a scenario asks for.
SoundSettings sound_settings(const Scenario& scenario);

/// What was written, for summary.json and the report.
struct SoundInfo {
  double rate = 0;          ///< [Hz]
  std::int64_t frames = 0;  ///< samples of each channel
  int channels = 1;
  int bits = 0;
  double gain = 0;               ///< file sample = gain * simulated quantity
  double peak = 0;               ///< of the simulated quantity, after resampling, in its own unit
  double source_rate = 0;        ///< of the simulation [Hz]
  std::array<double, 2> fade{};  ///< in and out, as applied [s]
  /// Integrated loudness of the file [LUFS], ITU-R BS.1770-4; none: below its gate of -70. A sound
  /// of less than one block of 0.4 s is followed by silence.
  std::optional<double> loudness = {};

  double wanted_peak() const noexcept { return peak * gain; }  ///< full scale is 1
  bool clipped() const noexcept { return bits < 32 && wanted_peak() > 1; }
  double file_peak() const noexcept { return clipped() ? 1.0 : wanted_peak(); }
  /// "1.00 s, -19.3 LUFS, peak -0.9 dBFS"
  std::string text() const;
};

/// Where samples wait until the whole of a sound is known.
class SampleStore {
 public:
  virtual ~SampleStore() = default;
  virtual void append(std::span<const double> samples) = 0;
  /// From sample `first` on; how many there were.
  virtual std::size_t read(std::int64_t first, std::span<double> out) const = 0;
};

/// Turns a simulated quantity into what is heard: band-limited resampling (soxr, 28 bit), raised
/// cosines at the ends, then one factor for all of it: as given, or so that its peak is where it
/// was asked to be. No limiter, no dither: what is heard is what was computed.
class SoundTrack : public SoundSink {
 public:
  /// Without a store samples wait in memory.
  explicit SoundTrack(const SoundSettings& settings, std::unique_ptr<SampleStore> store = nullptr);
  ~SoundTrack() override;

  void begin(double rate) override;
  void write(std::span<const double> samples) override;
  /// Ends the resampling; from here on samples can be read.
  void finish();

  const SoundInfo& info() const noexcept { return info_; }
  /// `count` frames from `first` on, resampled and faded, without the gain; zeros beyond the ends;
  /// channels interleaved.
  std::vector<double> interleaved(std::int64_t first, std::size_t count) const;
  /// The first channel of them.
  std::vector<double> read(std::int64_t first, std::size_t count) const;

 protected:
  static constexpr std::size_t block = 1 << 14;  ///< frames that are handled at a time

  SoundSettings settings_;
  SoundInfo info_;

 private:
  struct Resampler;
  void keep(std::span<const double> samples);
  void choose_fades();
  double weight(std::int64_t frame) const;

  double first_ = 0, largest_ = 0;  ///< samples before the fades, of all channels
  std::array<std::int64_t, 2> fade_frames_{};
  bool begun_ = false;
  std::unique_ptr<SampleStore> store_;
  std::unique_ptr<Resampler> resampler_;
};

}  // namespace carom
