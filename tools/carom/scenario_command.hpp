#pragma once

#include <atomic>
#include <string>
#include <vector>

#include <carom/scenario/scenario.hpp>

namespace carom::cli {

/// The scenario with its --set overrides.
Scenario load(const std::string& file, const std::vector<std::string>& sets);

/// `body.mass=`, `run.rate=`, ...: every key of every kind, for the completion of --set.
std::vector<std::string> all_keys();

/// "a,b,c" of a flag in its parts.
std::vector<std::string> parts_of(const std::string& list);

/// Ctrl-C and SIGTERM set the flag while this lives; the second one ends the program at once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  const std::atomic<bool>* flag() const noexcept;
};

constexpr int exit_interrupted = 130;

}  // namespace carom::cli
