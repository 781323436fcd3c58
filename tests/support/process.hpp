#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <sys/types.h>

namespace support {

/// A folder of its own for one test, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Writes a file and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& contents) const;

 private:
  std::filesystem::path path_;
};

std::string read_file(const std::filesystem::path& path);

struct Finished {
  int exit_code = -1;  ///< negative: ended by that signal
  bool timed_out = false;
  std::string out, err;
};

/// A program that is running, with its output in files of `scratch`.
class Process {
 public:
  Process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
          const std::filesystem::path& scratch);
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process();

  void send(int signal) const;
  pid_t id() const { return child_; }
  bool running();
  Finished wait(double seconds);

 private:
  void finish(int status);
  std::filesystem::path out_, err_;
  pid_t child_ = -1;
  bool done_ = false;
  Finished result_;
};

/// Runs a program to its end, at most `seconds`.
Finished run(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
             double seconds = 60);

}  // namespace support
