#pragma once

#include <span>
#include <vector>

#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_recorder.hpp>

namespace carom {

/// A modal body that buzzes on its obstacles, played in real time: built once, then asked for
/// blocks of samples. process() does not allocate, lock, throw or do input or output; its work is
/// bounded by the length of the block, the modes and the contacts.
class ModalVoice {
 public:
  struct Settings {
    int oversampling = 1;     ///< steps per sample of sound, >= 1
    int largest_block = 512;  ///< samples, >= 1
  };

  /// `problem.rate` is the rate of steps: sample rate times oversampling. `point`: shapes at the
  /// point that is heard, one row.
  ModalVoice(const ModalProblem& problem, const ShapeMatrix& point, const Settings& settings);

  /// The displacement [m] of the point at the next samples; at most `largest_block` of them, the
  /// rest of a longer block is left untouched.
  void process(std::span<double> out) noexcept;

  double time() const noexcept { return march_.time(); }
  const ModalMarchStatistics& statistics() const noexcept { return march_.statistics(); }

 private:
  Settings settings_;
  ModalMarch march_;
  ModalRecorder recorder_;
  std::vector<double> samples_;
};

}  // namespace carom
