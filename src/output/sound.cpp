#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <sndfile.h>
#include <soxr.h>
#include <utility>

#include <carom/core/error.hpp>
#include <carom/core/version.hpp>
#include <carom/output/sound.hpp>

namespace carom {
namespace {

constexpr std::size_t block = 1 << 14;
/// libsndfile keeps the head of a file in memory, 100 kB of it at most.
constexpr std::size_t longest_comment = 60'000;

[[noreturn]] void fail(const std::string& what, const std::string& reason) {
  throw InvalidInput("cannot write '" + what + "': " + reason);
}

}  // namespace

struct SoundWriter::Resampler {
  Resampler(double from, double to) {
    const soxr_io_spec_t io = soxr_io_spec(SOXR_FLOAT64_I, SOXR_FLOAT64_I);
    const soxr_quality_spec_t quality = soxr_quality_spec(SOXR_VHQ, 0);
    // One thread: the same bits everywhere.
    const soxr_runtime_spec_t runtime = soxr_runtime_spec(1);
    soxr_error_t error = nullptr;
    handle = soxr_create(from, to, 1, &error, &io, &quality, &runtime);
    if (error != nullptr) fail("sound.wav", error);
    buffer.resize(static_cast<std::size_t>(std::ceil(double(block) * to / from)) + 4096);
  }
  ~Resampler() { soxr_delete(handle); }
  Resampler(const Resampler&) = delete;
  Resampler& operator=(const Resampler&) = delete;

  soxr_t handle;
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
  info_.source_rate = rate;
  if (rate != settings_.rate) resampler_ = std::make_unique<Resampler>(rate, settings_.rate);
}

void SoundWriter::keep(std::span<const double> samples) {
  for (const double sample : samples) info_.peak = std::max(info_.peak, std::abs(sample));
  if (std::fwrite(samples.data(), sizeof(double), samples.size(), spool_) != samples.size()) {
    fail("sound.wav", std::strerror(errno));
  }
  info_.frames += static_cast<std::int64_t>(samples.size());
}

void SoundWriter::write(std::span<const double> samples) {
  if (resampler_ == nullptr) {
    keep(samples);
    return;
  }
  while (!samples.empty()) {
    const std::size_t count = std::min(samples.size(), block);
    std::size_t used = 0, made = 0;
    soxr_process(resampler_->handle, samples.data(), count, &used, resampler_->buffer.data(),
                 resampler_->buffer.size(), &made);
    keep({resampler_->buffer.data(), made});
    samples = samples.subspan(used);
  }
}

void SoundWriter::finish() {
  if (spool_ == nullptr) return;
  for (std::size_t made = 1; resampler_ != nullptr && made > 0;) {
    soxr_process(resampler_->handle, nullptr, 0, nullptr, resampler_->buffer.data(),
                 resampler_->buffer.size(), &made);
    keep({resampler_->buffer.data(), made});
  }
  if (std::fflush(spool_) != 0) fail("sound.wav", std::strerror(errno));
  info_.gain = info_.peak > 0 ? settings_.peak / info_.peak : 1.0;
}

std::vector<double> SoundWriter::read(std::int64_t first, std::size_t count) const {
  std::vector<double> samples(count, 0.0);
  if (spool_ == nullptr || first >= info_.frames) return samples;
  const std::int64_t skipped = std::max<std::int64_t>(0, -first);
  if (skipped >= static_cast<std::int64_t>(count)) return samples;
  std::fseek(spool_, static_cast<long>((first + skipped) * std::int64_t{sizeof(double)}), SEEK_SET);
  const std::size_t got = std::fread(samples.data() + skipped, sizeof(double),
                                     count - static_cast<std::size_t>(skipped), spool_);
  static_cast<void>(got);  // the rest stays zero
  return samples;
}

void SoundWriter::write_file(const std::filesystem::path& file, int format, std::int64_t frames,
                             const std::string& comment) const {
  SF_INFO info{};
  info.samplerate = static_cast<int>(std::lround(info_.rate));
  info.channels = 1;
  info.format = format;
  SNDFILE* sound = sf_open(file.c_str(), SFM_WRITE, &info);
  const std::string name = file.filename().string();
  if (sound == nullptr) fail(name, sf_strerror(nullptr));
  // That chunk carries a time stamp: it would make two equal runs differ.
  sf_command(sound, SFC_SET_ADD_PEAK_CHUNK, nullptr, SF_FALSE);
  if (!comment.empty()) {
    sf_set_string(sound, SF_STR_SOFTWARE, ("carom " + std::string(version())).c_str());
    sf_set_string(sound, SF_STR_COMMENT, comment.substr(0, longest_comment).c_str());
  }
  for (std::int64_t first = 0; first < frames; first += std::int64_t{block}) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(block, frames - first));
    std::vector<double> samples = read(first, count);
    for (double& sample : samples) sample *= info_.gain;
    if (sf_write_double(sound, samples.data(), sf_count_t(count)) != sf_count_t(count)) {
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
