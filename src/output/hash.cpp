#include "hash.hpp"

#include <array>
#include <fstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nettle/sha2.h>

#include <carom/core/error.hpp>

namespace carom {

void Hash::add(std::string_view bytes) {
  const auto mix = [this](std::uint64_t byte) { state_ = (state_ ^ byte) * 0x100000001b3u; };
  for (const char letter : bytes) mix(static_cast<unsigned char>(letter));
  mix(0x100);  // no byte: "ab" + "c" differs from "a" + "bc"
}

void Hash::add_file(const std::filesystem::path& path) {
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) return;  // a device or a pipe may never end
  std::ifstream file(path, std::ios::binary);
  std::array<char, 1 << 14> buffer{};
  while (file) {
    file.read(buffer.data(), buffer.size());
    add({buffer.data(), static_cast<std::size_t>(file.gcount())});
  }
}

std::string Hash::text() const { return fmt::format("{:016x}", state_); }

namespace {

std::string digest_text(sha256_ctx& context) {
  std::array<std::uint8_t, SHA256_DIGEST_SIZE> digest{};
  sha256_digest(&context, digest.size(), digest.data());
  return fmt::format("{:02x}", fmt::join(digest, ""));
}

void update(sha256_ctx& context, std::string_view bytes) {
  sha256_update(&context, bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

}  // namespace

std::string sha256(std::string_view bytes) {
  sha256_ctx context;
  sha256_init(&context);
  update(context, bytes);
  return digest_text(context);
}

std::string sha256_of_file(const std::filesystem::path& path) {
  std::error_code code;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, code)) file.open(path, std::ios::binary);
  if (!file.is_open()) throw InvalidInput("cannot read '" + path.string() + "'");
  sha256_ctx context;
  sha256_init(&context);
  std::array<char, 1 << 14> buffer{};
  while (file) {
    file.read(buffer.data(), buffer.size());
    update(context, {buffer.data(), static_cast<std::size_t>(file.gcount())});
  }
  return digest_text(context);
}

}  // namespace carom
