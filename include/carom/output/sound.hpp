#pragma once

#include <filesystem>
#include <string>

#include <carom/output/sound_track.hpp>

namespace carom {

/// A sound as a file. The same run gives the same bytes. Samples wait on the disk, so that memory
/// does not grow with the length.
class SoundWriter final : public SoundTrack {
 public:
  /// `spool` is a scratch file beside the result; it is removed with the writer.
  SoundWriter(const SoundSettings& settings, std::filesystem::path spool);

  /// Ends the resampling and measures the loudness; from here on samples can be read.
  void finish();

  /// `comment` goes into the file, for people and programs that ask where it comes from.
  void write_wav(const std::filesystem::path& file, const std::string& comment = {}) const;
  /// At most `seconds` of the sound in 16 bit, losslessly compressed: for the page.
  void write_flac(const std::filesystem::path& file, double seconds) const;

 private:
  void measure_loudness();
  void write_file(const std::filesystem::path& file, int format, std::int64_t frames,
                  const std::string& comment) const;
};

}  // namespace carom
