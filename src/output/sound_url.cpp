#include "sound_url.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <carom/core/error.hpp>
#include <carom/output/sound.hpp>

#include "report.hpp"

namespace carom {

std::string sound_url(std::span<const double> samples, double rate) {
  namespace fs = std::filesystem;
  std::string name = (fs::temp_directory_path() / "carom_sound_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw InvalidInput("folder for temporary files: cannot be written to");
  }
  const fs::path folder = name;
  std::string url;
  {
    SoundWriter sound({.rate = 44100, .bits = 16}, folder / "spool");
    sound.begin(rate);
    sound.write(samples);
    sound.finish();
    sound.write_flac(folder / "sound.flac", static_cast<double>(samples.size()) / rate);
    std::ifstream bytes(folder / "sound.flac", std::ios::binary);
    url = data_url("audio/flac", std::string{std::istreambuf_iterator<char>(bytes), {}});
  }
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return url;
}

}  // namespace carom
