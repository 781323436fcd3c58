#pragma once

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/wait.h>

namespace support {

/// A folder of its own for one test, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "carom-test-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code code;
    std::filesystem::remove_all(path_, code);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  /// Writes a file and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& contents) const {
    std::ofstream(path_ / name, std::ios::binary) << contents;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Finished {
  int exit_code = -1;  ///< negative: ended by that signal
  bool timed_out = false;
  std::string out, err;
};

/// A program that is running, with its output in files of `scratch`.
class Process {
 public:
  Process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
          const std::filesystem::path& scratch)
      : out_(scratch / "stdout.txt"), err_(scratch / "stderr.txt") {
    child_ = fork();
    if (child_ != 0) return;
    const auto redirect = [](const std::filesystem::path& file, int stream) {
      const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(descriptor, stream);
    };
    redirect(out_, 1);
    redirect(err_, 2);
    if (chdir(folder.c_str()) != 0) _exit(126);
    std::vector<char*> pointers;
    for (const std::string& argument : arguments) {
      pointers.push_back(const_cast<char*>(argument.c_str()));  // NOLINT: execv does not write
    }
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  ~Process() {
    if (child_ > 0 && !done_) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
  }

  void send(int signal) const { kill(child_, signal); }
  pid_t id() const { return child_; }
  bool running() {
    int status = 0;
    if (!done_ && waitpid(child_, &status, WNOHANG) == child_) finish(status);
    return !done_;
  }
  Finished wait(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (running() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (!done_) {
      result_.timed_out = true;
      kill(child_, SIGKILL);
      int status = 0;
      waitpid(child_, &status, 0);
      finish(status);
    }
    result_.out = read_file(out_);
    result_.err = read_file(err_);
    return result_;
  }

 private:
  void finish(int status) {
    done_ = true;
    result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  std::filesystem::path out_, err_;
  pid_t child_ = -1;
  bool done_ = false;
  Finished result_;
};

/// Runs a program to its end, at most `seconds`.
inline Finished run(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                    double seconds = 60) {
  const TemporaryFolder scratch;
  return Process(arguments, folder, scratch.path()).wait(seconds);
}

}  // namespace support
