#pragma once

#include <limits>
#include <span>
#include <variant>
#include <vector>

#include <Eigen/Core>

#include <carom/core/archive.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/modal_march.hpp>
#include <carom/steppers/modal_plain.hpp>

namespace carom {

/// A modal body as march() steps it: by ModalMarch, or by ModalPlain for reference, many steps of
/// the scheme to a stretch, after which the impulses of the stretch are there to be read.
class ModalEngine {
 public:
  enum class Kind { fast, plain };

  ModalEngine(const ModalProblem& problem, Kind kind);

  /// How many steps of the scheme the next stretches have, >= 1.
  void set_stretch(long long steps) noexcept { stretch_ = steps; }
  void end_at(double time) noexcept;

  void step();  ///< one stretch, shortened where the run ends
  double time() const noexcept { return static_cast<double>(steps()) / rate_; }
  long long steps() const noexcept;
  const Ledger& ledger() const noexcept;
  /// Closes the ledger at the present step.
  void finish();

  /// Of the last stretch, in order of steps.
  std::span<const ContactImpulse> impulses() const noexcept;
  Eigen::VectorXd position() const;  ///< q, in the order of the problem
  double kinetic_energy() const;     ///< of the scheme (ModeStep) [J]
  /// Of the plain engine `steps`, `impulses` and `unsolved` alone; it audits every step.
  ModalMarchStatistics statistics() const;
  bool fast() const noexcept { return std::holds_alternative<ModalMarch>(engine_); }
  void archive(Archive& state);

 private:
  double rate_;
  std::variant<ModalMarch, ModalPlain> engine_;
  std::vector<double> inertia_;
  long long stretch_ = 4096, end_ = std::numeric_limits<long long>::max();
  std::vector<ContactImpulse> impulses_;  // of the plain engine
  long long impulse_count_ = 0;           // likewise, of all stretches
};
static_assert(Stepper<ModalEngine>);

}  // namespace carom
