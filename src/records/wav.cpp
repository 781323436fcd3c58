#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include <carom/records/measurements.hpp>

#include "text_file.hpp"

namespace carom {
namespace {

/// A whole number of `size` bytes, the lowest first.
std::uint32_t whole(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i)
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  return value;
}

struct WavFormat {
  bool floating = false;
  std::size_t channels = 0, bytes = 0;  ///< bytes of one sample
  double rate = 0;

  double sample(std::string_view data, std::size_t at) const {
    if (floating && bytes == 8) {
      double value = 0;
      std::memcpy(&value, data.data() + at, 8);
      return value;
    }
    const std::uint32_t bits = whole(data, at, bytes);
    if (floating) {
      float value = 0;
      std::memcpy(&value, &bits, 4);
      return static_cast<double>(value);
    }
    if (bytes == 1) return (static_cast<double>(bits) - 128) / 128;  // the one unsigned format
    const auto shift = static_cast<int>(32 - 8 * bytes);
    return static_cast<std::int32_t>(bits << shift) / 2147483648.0;
  }
};

}  // namespace

SoundRecord wav_of(const std::filesystem::path& file, const std::string& bytes) {
  constexpr std::size_t header = 12, chunk_header = 8;
  const std::string_view all(bytes);
  if (all.size() < header || all.substr(0, 4) != "RIFF" || all.substr(8, 4) != "WAVE")
    refuse_file(file, "is not a WAV file");
  WavFormat format;
  for (std::size_t at = header; at + chunk_header <= all.size();) {
    const std::string_view name = all.substr(at, 4);
    const std::size_t size = whole(all, at + 4, 4);
    // A recorder that was stopped hard leaves a length that is larger than the file.
    const std::string_view body = all.substr(at + chunk_header, size);
    if (name == "fmt ") {
      if (body.size() < 16) refuse_file(file, "is not a WAV file: its format is cut off");
      std::uint32_t tag = whole(body, 0, 2);
      if (tag == 0xFFFE && body.size() >= 26) tag = whole(body, 24, 2);  // extensible
      format = {tag == 3, whole(body, 2, 2), whole(body, 14, 2) / 8,
                static_cast<double>(whole(body, 4, 4))};
      const bool known = tag == 1   ? format.bytes >= 1 && format.bytes <= 4
                         : tag == 3 ? format.bytes == 4 || format.bytes == 8
                                    : false;
      if (!known || format.channels == 0 || !(format.rate > 0)) {
        refuse_file(file, fmt::format("WAV format {} with {} bits cannot be read; whole numbers of "
                                      "8 to 32 bits and floating point can",
                                      tag, 8 * format.bytes));
      }
    } else if (name == "data") {
      if (format.channels == 0) refuse_file(file, "is not a WAV file: samples before the format");
      const std::size_t frame = format.channels * format.bytes, frames = body.size() / frame;
      if (frames == 0) refuse_file(file, "has no samples");
      SoundRecord out{.samples = std::vector<double>(frames, 0.0), .rate = format.rate};
      for (std::size_t i = 0; i < frames; ++i) {
        for (std::size_t c = 0; c < format.channels; ++c) {
          out.samples[i] += format.sample(body, i * frame + c * format.bytes) /
                            static_cast<double>(format.channels);
        }
      }
      return out;
    }
    at += chunk_header + size + size % 2;
  }
  refuse_file(file, "has no samples");
}

}  // namespace carom
