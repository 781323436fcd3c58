#include "play.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>
#include <unistd.h>

#include <sys/wait.h>

#include <carom/core/error.hpp>

namespace carom::cli {
namespace {

bool on_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> find_player() {
  // ALSA, PulseAudio (and PipeWire in its place), SoX.
  using Words = std::vector<std::string>;
  for (const Words& player : {Words{"aplay", "-q"}, Words{"paplay"}, Words{"play", "-q"}}) {
    if (on_path(player.front())) return player;
  }
  throw InvalidInput("--play: none of aplay, paplay, play is on the PATH");
}

bool play(std::vector<std::string> player, const std::filesystem::path& file,
          const std::atomic<bool>& interrupt) {
  player.push_back(file.string());
  std::vector<char*> arguments;
  for (std::string& argument : player) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw InvalidInput("--play: " + player.front() + " could not be started");
  if (child == 0) {
    execvp(arguments.front(), arguments.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (interrupt.load()) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace carom::cli
