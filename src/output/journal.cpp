#include "journal.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/file.h>
#include <sys/stat.h>

#include <carom/core/error.hpp>

namespace carom {
namespace {

/// FNV-1a by words, with a turn: every bit of the word reaches every bit of the sum.
void add_words(std::uint64_t& sum, const void* data, std::size_t bytes) {
  const auto* next = static_cast<const char*>(data);
  for (; bytes >= sizeof sum; bytes -= sizeof sum, next += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, next, sizeof word);
    sum = (sum ^ word) * 0x100000001b3u;
    sum ^= sum >> 32;
  }
}

}  // namespace

void Journal::fail() const {
  throw InvalidInput("cannot write '" + path_.string() + "': " + std::strerror(errno));
}

Journal::Journal(const std::filesystem::path& file, const Mark& mark, const Block& each)
    : path_(file), file_(nullptr) {
  // Not blocking: a pipe in its place would wait for ever.
  const int descriptor =
      open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW, 0666);
  if (descriptor < 0) fail();
  file_ = fdopen(descriptor, "r+b");
  const auto refuse = [&](const std::string& reason) {
    std::fclose(file_);
    throw InvalidInput("'" + path_.string() + "' " + reason);
  };
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) refuse("is not a regular file");
  if (mark.bytes > static_cast<std::uint64_t>(status.st_size)) {
    refuse(
        "is damaged: it is shorter than its checkpoint says; remove it and checkpoint.state to "
        "start over");
  }
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) refuse("belongs to a run that is under way");
  std::vector<double> values;
  while (mark_.bytes < mark.bytes) {
    std::array<std::uint64_t, 2> head{};
    const std::uint64_t left = mark.bytes - mark_.bytes;
    const bool whole = left >= sizeof head && std::fread(head.data(), sizeof head, 1, file_) == 1 &&
                       head[1] <= (left - sizeof head) / sizeof(double);
    if (whole) values.resize(head[1]);
    if (!whole || std::fread(values.data(), sizeof(double), head[1], file_) != head[1]) {
      refuse(
          "is damaged: it is shorter than its checkpoint says; remove it and checkpoint.state "
          "to start over");
    }
    add_words(mark_.sum, head.data(), sizeof head);
    add_words(mark_.sum, values.data(), values.size() * sizeof(double));
    mark_.bytes += sizeof head + values.size() * sizeof(double);
    each(head[0], values);
  }
  if (mark_ != mark) {
    refuse("is damaged: its checksum is wrong; remove it and checkpoint.state to start over");
  }
  std::fflush(file_);
  if (ftruncate(descriptor, static_cast<off_t>(mark.bytes)) != 0 ||
      std::fseek(file_, static_cast<long>(mark.bytes), SEEK_SET) != 0) {
    refuse(std::string("cannot be written: ") + std::strerror(errno));
  }
}

Journal::~Journal() { std::fclose(file_); }

void Journal::add(std::uint64_t what, std::span<const double> values) {
  const std::array<std::uint64_t, 2> head{what, values.size()};
  if (std::fwrite(head.data(), sizeof head, 1, file_) != 1 ||
      std::fwrite(values.data(), sizeof(double), values.size(), file_) != values.size()) {
    fail();
  }
  add_words(mark_.sum, head.data(), sizeof head);
  add_words(mark_.sum, values.data(), values.size_bytes());
  mark_.bytes += sizeof head + values.size_bytes();
}

const Journal::Mark& Journal::sync() {
  if (std::fflush(file_) != 0 || fdatasync(fileno(file_)) != 0) fail();
  return mark_;
}

}  // namespace carom
