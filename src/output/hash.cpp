#include "hash.hpp"

#include <array>
#include <fstream>

#include <fmt/format.h>

namespace carom {

void Hash::add(std::string_view bytes) {
  const auto mix = [this](std::uint64_t byte) { state_ = (state_ ^ byte) * 0x100000001b3u; };
  for (const char letter : bytes) mix(static_cast<unsigned char>(letter));
  mix(0x100);  // no byte: "ab" + "c" differs from "a" + "bc"
}

void Hash::add_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 1 << 14> buffer{};
  while (file) {
    file.read(buffer.data(), buffer.size());
    add({buffer.data(), static_cast<std::size_t>(file.gcount())});
  }
}

std::string Hash::text() const { return fmt::format("{:016x}", state_); }

}  // namespace carom
