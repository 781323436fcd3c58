#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <span>

namespace carom {

/// Blocks of numbers, one after another in a file that only grows.
class Journal {
 public:
  /// How far it goes, and a checksum of all up to there.
  struct Mark {
    std::uint64_t bytes = 0, sum = 0xcbf29ce484222325u;
    bool operator==(const Mark&) const = default;
  };

  /// Opens the file, creates it when it is not there, and goes on from `mark`; what is beyond is
  /// cut off. Throws InvalidInput when it cannot be written, another run has it, or what is there
  /// is not what the mark says. `each` gets every block up to the mark.
  using Block = std::function<void(std::uint64_t what, std::span<const double> values)>;
  Journal(const std::filesystem::path& file, const Mark& mark, const Block& each);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  void add(std::uint64_t what, std::span<const double> values);
  /// Brings everything to the disk.
  const Mark& sync();

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::FILE* file_;
  Mark mark_;
};

}  // namespace carom
