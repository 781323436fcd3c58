#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ebur128.h>
#include <new>
#include <sndfile.h>
#include <utility>

#include <carom/core/error.hpp>
#include <carom/core/version.hpp>
#include <carom/output/sound.hpp>

namespace carom {
namespace {

constexpr double gating_block = 0.4;  ///< [s], of BS.1770
/// libsndfile keeps the head of a file in memory, 100 kB of it at most.
constexpr std::size_t longest_comment = 60'000;

[[noreturn]] void fail(const std::string& what, const std::string& reason) {
  throw InvalidInput("cannot write '" + what + "': " + reason);
}

/// A scratch file, made with the first samples.
class FileStore final : public SampleStore {
 public:
  explicit FileStore(std::filesystem::path path) : path_(std::move(path)) {}
  ~FileStore() override {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::error_code code;
    std::filesystem::remove(path_, code);
  }
  FileStore(const FileStore&) = delete;
  FileStore& operator=(const FileStore&) = delete;

  void append(std::span<const double> samples) override {
    if (file_ == nullptr) file_ = std::fopen(path_.c_str(), "w+b");
    if (file_ == nullptr ||
        std::fwrite(samples.data(), sizeof(double), samples.size(), file_) != samples.size())
      fail("sound.wav", std::strerror(errno));
  }
  std::size_t read(std::int64_t first, std::span<double> out) const override {
    if (file_ == nullptr) return 0;
    // Seeking writes what waits in the buffer.
    if (std::fseek(file_, static_cast<long>(first * std::int64_t{sizeof(double)}), SEEK_SET) != 0)
      fail("sound.wav", std::strerror(errno));
    return std::fread(out.data(), sizeof(double), out.size(), file_);
  }

 private:
  std::filesystem::path path_;
  std::FILE* file_ = nullptr;
};

}  // namespace

SoundWriter::SoundWriter(const SoundSettings& settings, std::filesystem::path spool)
    : SoundTrack(settings, std::make_unique<FileStore>(std::move(spool))) {}

void SoundWriter::finish() {
  SoundTrack::finish();
  if (info_.rate > 0) measure_loudness();
}

void SoundWriter::measure_loudness() {
  const auto close = [](ebur128_state* state) { ebur128_destroy(&state); };
  const std::unique_ptr<ebur128_state, decltype(close)> meter(
      ebur128_init(static_cast<unsigned>(info_.channels),
                   static_cast<unsigned long>(std::lround(info_.rate)), EBUR128_MODE_I),
      close);
  if (meter == nullptr) throw std::bad_alloc();
  const auto channels = static_cast<std::size_t>(info_.channels);
  for (std::int64_t first = 0; first < info_.frames; first += std::int64_t{block}) {
    std::vector<double> samples = interleaved(
        first, static_cast<std::size_t>(std::min<std::int64_t>(block, info_.frames - first)));
    for (double& sample : samples) {
      sample *= info_.gain;
      if (info_.clipped()) sample = std::clamp(sample, -1.0, 1.0);
    }
    ebur128_add_frames_double(meter.get(), samples.data(), samples.size() / channels);
  }
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
  if (info_.clipped()) sf_command(sound, SFC_SET_CLIPPING, nullptr, SF_TRUE);
  if (!comment.empty()) {
    sf_set_string(sound, SF_STR_SOFTWARE, ("carom " + std::string(version())).c_str());
    sf_set_string(sound, SF_STR_COMMENT, comment.substr(0, longest_comment).c_str());
  }
  for (std::int64_t first = 0; first < frames; first += std::int64_t{block}) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(block, frames - first));
    std::vector<double> samples = interleaved(first, count);
    for (double& sample : samples) {
      sample *= info_.gain;
      if (info_.clipped()) sample = std::clamp(sample, -1.0, 1.0);
    }
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
