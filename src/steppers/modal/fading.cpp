#include "fading.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "track.hpp"

namespace carom::modal {
namespace {

constexpr int longest_memory = 1024;
constexpr double forgotten = 0x1p-60;
// Measured: a mode costs about as much in a step as this many taps of the convolution.
constexpr int taps_per_mode = 4;

/// The number of steps after which nothing is left of a mode's state, for each mode and all above
/// it; beyond longest_memory: more than that.
std::vector<int> memories(const Modes& modes) {
  std::vector<int> memory(static_cast<std::size_t>(modes.count), 0);
  std::vector<double> last(memory.size(), 0.0), largest(memory.size(), 0.0);
  impulse_responses(modes, longest_memory + 1, [&](int k, const auto& u, const auto&) {
    for (std::size_t j = 0; j < memory.size(); ++j) {
      // Two values in a row are a state: once both are gone, all later ones are.
      const double state = std::max(std::abs(u[j]), last[j]);
      last[j] = std::abs(u[j]);
      largest[j] = std::max(largest[j], state);
      if (state > forgotten * largest[j]) memory[j] = k + 1;
    }
  });
  for (std::size_t j = memory.size(); j-- > 1;) memory[j - 1] = std::max(memory[j - 1], memory[j]);
  return memory;
}

}  // namespace

Fading::Fading(const Modes& modes) {
  const std::vector<int> memory = memories(modes);
  int covered = modes.n, taps = 0;
  for (int length = 16; length <= longest_memory; length *= 2) {
    const auto first =
        std::find_if(memory.begin(), memory.end(), [&](int m) { return m <= length; });
    const int from = padded(static_cast<int>(first - memory.begin()));
    if ((covered - from) * taps_per_mode <= length - taps) continue;
    stages_.push_back({.memory = length,
                       .from = from,
                       .response = Array(static_cast<std::size_t>(length + 16), 0.0)});
    covered = from;
    taps = length;
  }
  impulse_responses(modes, longest() + 1, [&](int k, const auto&, const auto& weights) {
    if (k == 0) return;
    for (Stage& stage : stages_) {
      if (k > stage.memory) continue;
      double sum = 0;
      for (int j = stage.from; j < modes.count; ++j) sum += weights[static_cast<std::size_t>(j)];
      stage.response[static_cast<std::size_t>(k - 1)] = sum;
    }
  });
}

}  // namespace carom::modal
