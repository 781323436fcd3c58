#pragma once

#include <utility>

#include <carom/steppers/impact_contacts.hpp>
#include <carom/steppers/impact_reader.hpp>

namespace carom {

/// A nonsmooth scheme (MoreauJean, PaoliSchatzman) on a system of its own, used as a SystemMarch
/// is: every step is a sample, and impacts are records.
template <SystemWithGaps S, class Scheme>
class NonsmoothMarch {
 public:
  template <class Settings>
  NonsmoothMarch(S system, const NewtonRestitution& law, const MotionState& start, double step,
                 const Settings& settings)
      : system_(std::move(system)),
        step_(step),
        scheme_(system_, {law}, start, settings),
        impacts_(system_, start) {
    impacts_.read(scheme_, step_);
  }
  NonsmoothMarch(const NonsmoothMarch&) = delete;  // the scheme refers to the system
  NonsmoothMarch& operator=(const NonsmoothMarch&) = delete;

  void step() {
    scheme_.step();
    impacts_.read(scheme_, step_);
  }
  void end_at(double time) { scheme_.end_at(time); }
  static bool sampled() noexcept { return true; }
  double time() const noexcept { return scheme_.time(); }
  const Ledger& ledger() const noexcept { return scheme_.ledger(); }
  const Eigen::VectorXd& position() const noexcept { return scheme_.position(); }
  const Eigen::VectorXd& velocity() const noexcept { return scheme_.velocity(); }
  /// Mean over the last step [N].
  double force(int contact) const noexcept { return scheme_.impulses()[contact] / step_; }
  double impulse() const noexcept { return impacts_.impulse(); }  ///< of all contacts so far [N s]
  double kinetic_energy() const noexcept { return scheme_.kinetic_energy(); }  ///< [J]
  double stored_energy() const noexcept { return scheme_.energy(); }           ///< [J]
  std::span<const SystemImpact> finished() const noexcept { return impacts_.finished(); }
  bool held(int contact) const noexcept { return impacts_.held(contact); }
  MarchStatus status() const noexcept {
    const StepStatus status = scheme_.report().status;
    return status == StepStatus::ok           ? MarchStatus::going
           : status == StepStatus::not_finite ? MarchStatus::not_finite
                                              : MarchStatus::not_converged;
  }
  static bool passive() noexcept { return false; }
  void finish() noexcept {}  ///< the ledger is closed after every step
  void archive(Archive& state) { state(scheme_, impacts_); }

 private:
  S system_;
  double step_;
  Scheme scheme_;
  ImpactReader<S> impacts_;
};

}  // namespace carom
