#pragma once

#include <memory>
#include <span>
#include <vector>

#include <carom/core/archive.hpp>
#include <carom/steppers/modal_problem.hpp>

namespace carom {

/// Displacements of any points of a modal body, at every so many steps, from the impulses alone:
/// once these are known the motion is linear, so it is replayed on its own, four outputs to a pass
/// over the modes, while the march is free to leap. Impulse-free stretches are leapt from output to
/// output.
class ModalRecorder {
 public:
  /// `points`: shapes, one row per point, as in ModalBody. `every`: steps per output, >= 1.
  ModalRecorder(const ModalProblem& problem, const ShapeMatrix& points, int every);
  ~ModalRecorder();
  ModalRecorder(ModalRecorder&&) noexcept;
  ModalRecorder& operator=(ModalRecorder&&) noexcept;

  /// Appends one row of displacements [m] for each step in (step(), until] that is a multiple of
  /// `every`. `impulses`: all of these steps, in order; earlier ones are skipped.
  void record(long long until, std::span<const ContactImpulse> impulses, std::vector<double>& rows);

  /// The displacements now.
  void displacements(std::vector<double>& row) const;

  long long step() const noexcept;
  int every() const noexcept;
  std::size_t point_count() const noexcept;
  void archive(Archive& state);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom
