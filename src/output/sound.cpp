#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ebur128.h>
#include <new>
#include <numbers>
#include <sndfile.h>
#include <soxr.h>
#include <utility>

#include <fmt/format.h>

#include <carom/core/error.hpp>
#include <carom/core/version.hpp>
#include <carom/output/sound.hpp>

namespace carom {
namespace {

constexpr std::size_t block = 1 << 14;
/// [s]: long enough not to click, short enough to be missed. Attacks that begin at zero are left
/// alone: a fade would take the first contact away.
constexpr double default_fade_in = 0.002, default_fade_out = 0.02;
constexpr double begins_at_zero = 1e-3;  ///< first sample over the largest
constexpr double gating_block = 0.4;     ///< [s], of BS.1770
/// libsndfile keeps the head of a file in memory, 100 kB of it at most.
constexpr std::size_t longest_comment = 60'000;

[[noreturn]] void fail(const std::string& what, const std::string& reason) {
  throw InvalidInput("cannot write '" + what + "': " + reason);
}

double decibels(double ratio) { return 20 * std::log10(ratio); }

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
  return fmt::format("{:.2f} s{}, {}, {}", static_cast<double>(frames) / rate,
                     channels == 2 ? ", stereo" : "",
                     loudness ? fmt::format("{:.1f} LUFS", *loudness) : "silent",
                     file_peak() > 0 ? fmt::format("peak {:.1f} dBFS", decibels(file_peak()))
                                     : "no sample above zero");
}

struct SoundWriter::Resampler {
  Resampler(double from, double to, int channels) {
    const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT64_I, SOXR_FLOAT64_I);
    const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_VHQ, 0);
    // One thread: the same bits everywhere.
    const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
    soxr_error_t error = nullptr;
    handle = soxr_create(from, to, static_cast<unsigned>(channels), &error, &io, &quality, &runtime);
    if (error != nullptr) fail("sound.wav", error);
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

SoundWriter::SoundWriter(const SoundSettings& settings, std::filesystem::path spool)
    : settings_(settings), spool_path_(std::move(spool)) {}

SoundWriter::~SoundWriter() {
  if (spool_ == nullptr) return;
  std::fclose(spool_);
  std::error_code code;
  std::filesystem::remove(spool_path_, code);
}

void SoundWriter::begin(double rate) {
  spool_ = std::fopen(spool_path_.c_str(), "w+b");
  if (spool_ == nullptr) fail("sound.wav", std::strerror(errno));
  info_.rate = settings_.rate;
  info_.bits = settings_.bits;
  info_.channels = settings_.channels;
  info_.source_rate = rate;
  if (rate != settings_.rate)
    resampler_ = std::make_unique<Resampler>(rate, settings_.rate, settings_.channels);
}

void SoundWriter::keep(std::span<const double> samples) {
  if (std::fwrite(samples.data(), sizeof(double), samples.size(), spool_) != samples.size()) {
    fail("sound.wav", std::strerror(errno));
  }
  if (info_.frames == 0) {
    for (const double sample : samples.first(
             std::min(samples.size(), static_cast<std::size_t>(info_.channels))))
      first_ = std::max(first_, std::abs(sample));
  }
  for (const double sample : samples) largest_ = std::max(largest_, std::abs(sample));
  info_.frames += static_cast<std::int64_t>(samples.size()) / info_.channels;
}

void SoundWriter::write(std::span<const double> samples) {
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

void SoundWriter::finish() {
  if (spool_ == nullptr) return;
  for (std::size_t made = 1; resampler_ != nullptr && made > 0;) {
    soxr_process(resampler_->handle, nullptr, 0, nullptr, resampler_->buffer.data(),
                 resampler_->room, &made);
    keep({resampler_->buffer.data(), made * static_cast<std::size_t>(info_.channels)});
  }
  if (std::fflush(spool_) != 0) fail("sound.wav", std::strerror(errno));
  choose_fades();
  measure();
}

void SoundWriter::choose_fades() {
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

/// Peak, gain and loudness of what will be in the file.
void SoundWriter::measure() {
  const auto each_block = [&](const auto& visit) {
    for (std::int64_t first = 0; first < info_.frames; first += std::int64_t{block}) {
      visit(interleaved(first, static_cast<std::size_t>(
                              std::min<std::int64_t>(block, info_.frames - first))));
    }
  };
  each_block([&](const std::vector<double>& samples) {
    for (const double sample : samples) info_.peak = std::max(info_.peak, std::abs(sample));
  });
  info_.gain = settings_.gain ? *settings_.gain
               : info_.peak > 0 ? settings_.peak / info_.peak
                                : 1.0;
  const auto close = [](ebur128_state* state) { ebur128_destroy(&state); };
  const std::unique_ptr<ebur128_state, decltype(close)> meter(
      ebur128_init(static_cast<unsigned>(info_.channels),
                   static_cast<unsigned long>(std::lround(info_.rate)), EBUR128_MODE_I),
      close);
  if (meter == nullptr) throw std::bad_alloc();
  const auto channels = static_cast<std::size_t>(info_.channels);
  each_block([&](std::vector<double> samples) {
    for (double& sample : samples) sample *= info_.gain;
    ebur128_add_frames_double(meter.get(), samples.data(), samples.size() / channels);
  });
  const auto whole_block = static_cast<std::int64_t>(std::ceil(gating_block * info_.rate));
  if (info_.frames < whole_block) {
    const auto missing = static_cast<std::size_t>(whole_block - info_.frames);
    const std::vector<double> silence(missing * channels, 0.0);
    ebur128_add_frames_double(meter.get(), silence.data(), missing);
  }
  double loudness = 0;
  ebur128_loudness_global(meter.get(), &loudness);
  if (std::isfinite(loudness)) info_.loudness = loudness;
}

double SoundWriter::weight(std::int64_t frame) const {
  const auto rise = [](std::int64_t from_end, std::int64_t length) {
    return from_end >= length ? 1.0
                              : 0.5 * (1 - std::cos(std::numbers::pi * static_cast<double>(from_end) /
                                                    static_cast<double>(length)));
  };
  return rise(frame, fade_frames_[0]) * rise(info_.frames - 1 - frame, fade_frames_[1]);
}

std::vector<double> SoundWriter::interleaved(std::int64_t first, std::size_t count) const {
  const auto channels = static_cast<std::size_t>(info_.channels);
  std::vector<double> samples(count * channels, 0.0);
  if (spool_ == nullptr || first >= info_.frames) return samples;
  const auto skipped = static_cast<std::size_t>(std::max<std::int64_t>(0, -first));
  if (skipped >= count) return samples;
  const auto begin = first + static_cast<std::int64_t>(skipped);
  std::fseek(spool_, static_cast<long>(begin * std::int64_t{sizeof(double)} * info_.channels),
             SEEK_SET);
  const std::size_t got = std::fread(samples.data() + skipped * channels, sizeof(double),
                                     (count - skipped) * channels, spool_) /
                          channels;  // the rest stays zero
  for (std::size_t i = 0; i < got; ++i) {
    const double factor = weight(begin + static_cast<std::int64_t>(i));
    if (factor == 1) continue;
    for (std::size_t c = 0; c < channels; ++c) samples[(skipped + i) * channels + c] *= factor;
  }
  return samples;
}

std::vector<double> SoundWriter::read(std::int64_t first, std::size_t count) const {
  std::vector<double> samples = interleaved(first, count);
  const auto channels = static_cast<std::size_t>(info_.channels);
  for (std::size_t i = 0; i < count; ++i) samples[i] = samples[i * channels];
  samples.resize(count);
  return samples;
}

void SoundWriter::write_file(const std::filesystem::path& file, int format, std::int64_t frames,
                             const std::string& comment) const {
  SF_INFO info{};
  info.samplerate = static_cast<int>(std::lround(info_.rate));
  info.channels = info_.channels;
  info.format = format;
  SNDFILE* sound = sf_open(file.c_str(), SFM_WRITE, &info);
  const std::string name = file.filename().string();
  if (sound == nullptr) fail(name, sf_strerror(nullptr));
  // That chunk carries a time stamp: it would make two equal runs differ.
  sf_command(sound, SFC_SET_ADD_PEAK_CHUNK, nullptr, SF_FALSE);
  // Beyond full scale, which a fixed gain may reach, samples are cut off and do not wrap around.
  if (info_.file_peak() > 1) sf_command(sound, SFC_SET_CLIPPING, nullptr, SF_TRUE);
  if (!comment.empty()) {
    sf_set_string(sound, SF_STR_SOFTWARE, ("carom " + std::string(version())).c_str());
    sf_set_string(sound, SF_STR_COMMENT, comment.substr(0, longest_comment).c_str());
  }
  for (std::int64_t first = 0; first < frames; first += std::int64_t{block}) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(block, frames - first));
    std::vector<double> samples = interleaved(first, count);
    for (double& sample : samples) sample *= info_.gain;
    if (sf_writef_double(sound, samples.data(), sf_count_t(count)) != sf_count_t(count)) {
      const std::string reason = sf_strerror(sound);
      sf_close(sound);
      fail(name, reason);
    }
  }
  if (sf_close(sound) != 0) fail(name, "closing failed");
}

void SoundWriter::write_wav(const std::filesystem::path& file, const std::string& comment) const {
  const int sample_format = settings_.bits == 16   ? SF_FORMAT_PCM_16
                            : settings_.bits == 24 ? SF_FORMAT_PCM_24
                                                   : SF_FORMAT_FLOAT;
  write_file(file, SF_FORMAT_WAV | sample_format, info_.frames, comment);
}

void SoundWriter::write_flac(const std::filesystem::path& file, double seconds) const {
  const auto frames = static_cast<std::int64_t>(seconds * info_.rate);
  write_file(file, SF_FORMAT_FLAC | SF_FORMAT_PCM_16, std::min(frames, info_.frames), {});
}

}  // namespace carom
