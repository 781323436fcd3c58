#include <algorithm>
#include <cstdlib>
#include <signal.h>
#include <unistd.h>

#include <carom/core/error.hpp>
#include <carom/output/folder.hpp>

namespace carom {
namespace {

constexpr const char* prefix = ".carom-partial-";

/// What runs that were killed have left. A folder of a process that lives is not touched.
void remove_leftovers(const std::filesystem::path& folder) {
  std::error_code code;
  std::vector<std::filesystem::path> leftovers;
  for (const auto& entry : std::filesystem::directory_iterator(folder, code)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const long process = std::strtol(name.c_str() + std::string(prefix).size(), nullptr, 10);
    if (process > 0 && kill(static_cast<pid_t>(process), 0) == 0) continue;
    leftovers.push_back(entry.path());
  }
  for (const auto& leftover : leftovers) std::filesystem::remove_all(leftover, code);
}

}  // namespace

OutputFolder::OutputFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
  const auto refuse = [&](const std::string& reason) {
    throw InvalidInput("cannot write into '" + folder_.string() + "': " + reason);
  };
  std::error_code code;
  if (std::filesystem::exists(folder_, code) && !std::filesystem::is_directory(folder_, code)) {
    refuse("it is a file, a folder is needed");
  }
  made_ = std::filesystem::create_directories(folder_, code);
  if (code) refuse(code.message());
  remove_leftovers(folder_);
  // A counter keeps two runs of one process apart.
  for (int number = 0;; ++number) {
    partial_ = folder_ / (prefix + std::to_string(getpid()) + "-" + std::to_string(number));
    if (std::filesystem::create_directory(partial_, code)) return;
    if (code || number > 1000) {
      const std::string reason = code ? code.message() : "too many runs at once";
      if (made_) std::filesystem::remove(folder_, code);
      refuse(reason);
    }
  }
}

OutputFolder::~OutputFolder() {
  std::error_code code;
  std::filesystem::remove_all(partial_, code);
  if (made_ && !committed_) std::filesystem::remove(folder_, code);  // only when empty
}

std::filesystem::path OutputFolder::add(const std::string& name) {
  if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  return partial_ / name;
}

void OutputFolder::commit() {
  for (const std::string& name : names_) {
    std::error_code code;
    std::filesystem::rename(partial_ / name, folder_ / name, code);
    if (code) {
      throw InvalidInput("cannot write '" + (folder_ / name).string() + "': " + code.message());
    }
  }
  committed_ = true;
}

}  // namespace carom
