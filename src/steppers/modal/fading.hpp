#pragma once

#include <vector>

#include "modes.hpp"

namespace carom::modal {

/// Modes that forget. A heavily damped mode owes its motion to the impulses of its last few steps
/// alone. Its share of the displacement of a single contact is then a convolution of those impulses
/// with its own response, and the responses of all such modes add up to one, whose cost does not
/// depend on how many they are.
///
/// Stage s covers the modes from `from` on, all of which keep less than 2^-60 of any state after
/// `memory` steps. Stages are in order of memory; each includes the modes of the ones before.
class Fading {
 public:
  struct Stage {
    int memory;      ///< [steps], a multiple of 4
    int from;        ///< first mode covered, a multiple of the lanes
    Array response;  ///< G_1..G_memory of these modes, then zeros
  };

  Fading() = default;
  /// Needs modes in which the shape of the contact is 1.
  explicit Fading(const Modes& modes);

  const std::vector<Stage>& stages() const { return stages_; }
  int longest() const { return stages_.empty() ? 0 : stages_.back().memory; }

 private:
  std::vector<Stage> stages_;
};

}  // namespace carom::modal
