#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace carom {

/// FNV-1a, 64 bits: tells plans apart. It is no protection against somebody who wants to deceive.
class Hash {
 public:
  void add(std::string_view bytes);
  /// The contents of a file; one that is no regular file counts as an empty one.
  void add_file(const std::filesystem::path& file);
  std::string text() const;  ///< sixteen hexadecimal digits

 private:
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

/// SHA-256 in hexadecimal digits, as sha256sum prints it.
std::string sha256(std::string_view bytes);
/// Throws InvalidInput when it cannot be read.
std::string sha256_of_file(const std::filesystem::path& file);

}  // namespace carom
