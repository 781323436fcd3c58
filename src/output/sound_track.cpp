#include <algorithm>
#include <cmath>
#include <numbers>
#include <soxr.h>
#include <utility>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/output/sound_track.hpp>

namespace carom {
namespace {

/// [s]: long enough not to click, short enough to be missed. Attacks that begin at zero are left
/// alone: a fade would take the first contact away.
constexpr double default_fade_in = 0.002, default_fade_out = 0.02;
constexpr double begins_at_zero = 1e-3;  ///< first sample over the largest

double decibels(double ratio) { return 20 * std::log10(ratio); }

class MemoryStore final : public SampleStore {
 public:
  void append(std::span<const double> samples) override {
    all_.insert(all_.end(), samples.begin(), samples.end());
  }
  std::size_t read(std::int64_t first, std::span<double> out) const override {
    const std::size_t begin = std::min(static_cast<std::size_t>(first), all_.size());
    const std::size_t count = std::min(out.size(), all_.size() - begin);
    std::copy_n(all_.data() + begin, count, out.begin());
    return count;
  }

 private:
  std::vector<double> all_;
};

}  // namespace

SoundSettings sound_settings(const Scenario& scenario) {
  SoundSettings settings{.rate = scenario.number("sound.rate"),
                         .bits = static_cast<int>(scenario.whole_number("sound.bits")),
                         .peak = scenario.number("sound.peak"),
                         .gain = scenario.maybe_number("sound.gain"),
                         .channels = scenario.has("sound.right") ? 2 : 1};
  if (scenario.has("sound.fade")) {
    const std::vector<double> fade = scenario.numbers("sound.fade");
    settings.fade = std::array{fade.at(0), fade.at(1)};
  }
  return settings;
}

std::string SoundInfo::text() const {
  return fmt::format("{:.2f} s{}, {}, {}{}", static_cast<double>(frames) / rate,
                     channels == 2 ? ", stereo" : "",
                     loudness ? fmt::format("{:.1f} LUFS", *loudness) : "silent",
                     file_peak() > 0 ? fmt::format("peak {:.1f} dBFS", decibels(file_peak()))
                                     : "no sample above zero",
                     clipped() ? ", clipped" : "");
}

struct SoundTrack::Resampler {
  Resampler(double from, double to, int channels) {
    const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT64_I, SOXR_FLOAT64_I);
    const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_VHQ, 0);
    // One thread: the same bits everywhere.
    const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
    soxr_error_t error = nullptr;
    handle =
        soxr_create(from, to, static_cast<unsigned>(channels), &error, &io, &quality, &runtime);
    if (error != nullptr) throw InvalidInput("cannot resample the sound: " + std::string(error));
    room = static_cast<std::size_t>(std::ceil(double(block) * to / from)) + 4096;
    buffer.resize(room * static_cast<std::size_t>(channels));
  }
  ~Resampler() { soxr_delete(handle); }
  Resampler(const Resampler&) = delete;
  Resampler& operator=(const Resampler&) = delete;

  soxr_t handle;
  std::size_t room;  ///< frames that fit into the buffer
  std::vector<double> buffer;
};

SoundTrack::SoundTrack(const SoundSettings& settings, std::unique_ptr<SampleStore> store)
    : settings_(settings),
      store_(store != nullptr ? std::move(store) : std::make_unique<MemoryStore>()) {}
SoundTrack::~SoundTrack() = default;

void SoundTrack::begin(double rate) {
  begun_ = true;
  info_.rate = settings_.rate;
  info_.bits = settings_.bits;
  info_.channels = settings_.channels;
  info_.source_rate = rate;
  if (rate != settings_.rate)
    resampler_ = std::make_unique<Resampler>(rate, settings_.rate, settings_.channels);
}

void SoundTrack::keep(std::span<const double> samples) {
  store_->append(samples);
  if (info_.frames == 0) {
    for (const double sample :
         samples.first(std::min(samples.size(), static_cast<std::size_t>(info_.channels))))
      first_ = std::max(first_, std::abs(sample));
  }
  for (const double sample : samples) largest_ = std::max(largest_, std::abs(sample));
  info_.frames += static_cast<std::int64_t>(samples.size()) / info_.channels;
}

void SoundTrack::write(std::span<const double> samples) {
  if (resampler_ == nullptr) {
    keep(samples);
    return;
  }
  const auto channels = static_cast<std::size_t>(info_.channels);
  while (!samples.empty()) {
    const std::size_t count = std::min(samples.size() / channels, block);
    std::size_t used = 0, made = 0;
    soxr_process(resampler_->handle, samples.data(), count, &used, resampler_->buffer.data(),
                 resampler_->room, &made);
    keep({resampler_->buffer.data(), made * channels});
    samples = samples.subspan(used * channels);
  }
}

void SoundTrack::finish() {
  if (!begun_) return;
  for (std::size_t made = 1; resampler_ != nullptr && made > 0;) {
    soxr_process(resampler_->handle, nullptr, 0, nullptr, resampler_->buffer.data(),
                 resampler_->room, &made);
    keep({resampler_->buffer.data(), made * static_cast<std::size_t>(info_.channels)});
  }
  choose_fades();
  for (std::int64_t first = 0; first < info_.frames; first += std::int64_t{block}) {
    for (const double sample : interleaved(first, block))
      info_.peak = std::max(info_.peak, std::abs(sample));
  }
  info_.gain = settings_.gain   ? *settings_.gain
               : info_.peak > 0 ? settings_.peak / info_.peak
                                : 1.0;
}

void SoundTrack::choose_fades() {
  const auto whole = static_cast<double>(info_.frames);
  const double tenth = 0.1 * whole / info_.rate;
  const bool from_zero = first_ <= begins_at_zero * largest_;
  const std::array<double, 2> wanted = settings_.fade.value_or(std::array{
      from_zero ? 0.0 : std::min(default_fade_in, tenth), std::min(default_fade_out, tenth)});
  for (std::size_t end = 0; end < 2; ++end) {
    // The two never overlap: how long a run gets is not always known before it.
    fade_frames_[end] =
        static_cast<std::int64_t>(std::min(std::round(wanted[end] * info_.rate), whole / 2));
    info_.fade[end] = static_cast<double>(fade_frames_[end]) / info_.rate;
  }
}

double SoundTrack::weight(std::int64_t frame) const {
  const auto rise = [](std::int64_t from_end, std::int64_t length) {
    return from_end >= length
               ? 1.0
               : 0.5 * (1 - std::cos(std::numbers::pi * static_cast<double>(from_end) /
                                     static_cast<double>(length)));
  };
  return rise(frame, fade_frames_[0]) * rise(info_.frames - 1 - frame, fade_frames_[1]);
}

std::vector<double> SoundTrack::interleaved(std::int64_t first, std::size_t count) const {
  const auto channels = static_cast<std::size_t>(info_.channels);
  std::vector<double> samples(count * channels, 0.0);
  if (!begun_ || first >= info_.frames) return samples;
  const auto skipped = static_cast<std::size_t>(std::max<std::int64_t>(0, -first));
  if (skipped >= count) return samples;
  const auto begin = first + static_cast<std::int64_t>(skipped);
  const std::size_t got =
      store_->read(begin * info_.channels, std::span(samples).subspan(skipped * channels)) /
      channels;  // the rest stays zero
  for (std::size_t i = 0; i < got; ++i) {
    const double factor = weight(begin + static_cast<std::int64_t>(i));
    if (factor == 1) continue;
    for (std::size_t c = 0; c < channels; ++c) samples[(skipped + i) * channels + c] *= factor;
  }
  return samples;
}

std::vector<double> SoundTrack::read(std::int64_t first, std::size_t count) const {
  std::vector<double> samples = interleaved(first, count);
  const auto channels = static_cast<std::size_t>(info_.channels);
  for (std::size_t i = 0; i < count; ++i) samples[i] = samples[i * channels];
  samples.resize(count);
  return samples;
}

}  // namespace carom
