#include "process.hpp"

#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <signal.h>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

namespace support {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = std::filesystem::temp_directory_path() / "carom-test-XXXXXX";
  path_ = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code code;
  std::filesystem::remove_all(path_, code);
}

std::filesystem::path TemporaryFolder::write(const std::string& name,
                                             const std::string& contents) const {
  std::ofstream(path_ / name, std::ios::binary) << contents;
  return path_ / name;
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Process::Process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
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

Process::~Process() {
  if (child_ > 0 && !done_) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
}

void Process::send(int signal) const { kill(child_, signal); }

bool Process::running() {
  int status = 0;
  if (!done_ && waitpid(child_, &status, WNOHANG) == child_) finish(status);
  return !done_;
}

Finished Process::wait(double seconds) {
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

void Process::finish(int status) {
  done_ = true;
  result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

Finished run(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
             double seconds) {
  const TemporaryFolder scratch;
  return Process(arguments, folder, scratch.path()).wait(seconds);
}

}  // namespace support
