#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <unistd.h>

#include <carom/core/error.hpp>
#include <carom/output/files.hpp>

namespace carom {

std::FILE* create_new(const std::filesystem::path& path) {
  unlink(path.c_str());
  const int descriptor =
      open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  return descriptor < 0 ? nullptr : fdopen(descriptor, "wb");
}

void write_file(const std::filesystem::path& path, std::string_view contents) {
  const std::string temporary = path.string() + ".part" + std::to_string(getpid());
  const auto fail = [&](int reason) {
    std::remove(temporary.c_str());
    throw InvalidInput("cannot write '" + path.string() + "': " + std::strerror(reason));
  };
  std::FILE* file = create_new(temporary);
  if (file == nullptr) fail(errno);
  const bool written = std::fwrite(contents.data(), 1, contents.size(), file) == contents.size();
  const int reason = errno;
  if (std::fclose(file) != 0 || !written) fail(written ? errno : reason);
  if (std::rename(temporary.c_str(), path.c_str()) != 0) fail(errno);
}

}  // namespace carom
