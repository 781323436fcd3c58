#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "judge.hpp"
#include "setup.hpp"

/// Set-ups in processes of their own, so that a crash or an endless loop of one is found and the
/// others go on.
namespace carom::torture {

struct Limits {
  double cpu = 30;           ///< [s] of one set-up, on a machine that may be busy
  double max_samples = 2e4;  ///< of one set-up
  double wall = 600;         ///< [s] of one set-up: something waits for ever
};

/// What happened so far, in memory that all processes share.
struct Tally {
  std::atomic<std::uint64_t> count[endings];  ///< by Ending
  std::atomic<double> ledger, gain, disagreement, cpu;
};

/// One judgement in a process of its own: also a crash and an endless loop are answers.
Judgement judge_apart(const std::string& text, const std::filesystem::path& folder,
                      const Limits& limits);

/// Judges set-ups 0..count-1 of the seed by `jobs` processes until all are done or `seconds` are
/// over. What is too large is thinned out. `failed` is called with the set-up and the complaint for
/// each failure, broken promise and lateness, while the others go on.
void judge_all(std::uint64_t seed, std::uint64_t count, double seconds, int jobs,
               const std::filesystem::path& folder, const Limits& limits, Tally& tally,
               const std::function<void(std::uint64_t, Setup, const std::string&)>& failed);

}  // namespace carom::torture
