#pragma once

#include <span>

#include <carom/contacts/contact_march.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// A body that strikes a resonator at its hit point.
struct Striker {
  double mass;         ///< [kg], > 0
  double speed;        ///< towards the resonator at the start [m/s]
  double gap = 0.0;    ///< to the resonator at rest, at the start [m], >= 0
  double force = 0.0;  ///< constant external force [N], > 0 towards the resonator
};

/// How a strike is stepped.
struct StrikeSettings {
  double rate = 44100.0;      ///< [Hz], > 0
  double tolerance = 1e-10;   ///< of one step in contact, relative; 1e-14..1e-3
  bool closes_energy = true;  ///< passive; false: event-driven, the reference
};

/// Throws InvalidInput unless a strike can be made of these.
void validate(const Striker& striker, const ModalBody& resonator, const StrikeSettings& settings);

/// A body and a modal resonator in compliant contact, sample by sample: the case papetti2011 leaves
/// open. A ContactMarch of the modes and of one rigid body, with names for what is heard.
class Strike {
 public:
  static constexpr StepperTraits traits{
      .name = "passive", .order = 2 * Collocation::nodes, .passive = true};

  /// `resonator.shapes` row 0 is the hit point, row 1 the heard point; it is at rest unless `start`
  /// says how it moves. Throws InvalidInput.
  Strike(const AnyLaw& law, const Striker& striker, const ModalBody& resonator,
         const StrikeSettings& settings, const ModalState& start = {});

  void step();
  /// A part of a step where contacts make it long: false, and called again until it is done.
  bool step_partly();
  /// The external force on the body until the next sample [N], in place of the constant one. Call
  /// it before every step or never.
  void push(double force);
  /// Closes the ledger at the present sample, which a step in contact may have passed.
  void finish() { march_.finish(); }
  double time() const noexcept { return march_.time(); }
  const Ledger& ledger() const noexcept { return march_.ledger(); }
  double position() const noexcept;  ///< of the body [m], > 0 beyond the resonator at rest
  double velocity() const noexcept;  ///< of the body [m/s]
  double compression() const noexcept { return march_.compression(0); }  ///< [m], < 0 apart
  double mean_force() const noexcept { return march_.mean_force(0); }    ///< of the sample [N]
  double hit() const noexcept { return position() - compression(); }     ///< displacement [m]
  double heard() const noexcept { return march_.displacement(0); }       ///< likewise
  double heard_velocity() const noexcept { return march_.point_velocity(0); }  ///< [m/s]
  double kinetic_energy() const noexcept;                                      ///< of the body [J]
  double stored() const noexcept;  ///< in body, modes and contact [J]
  /// By the external force so far, and lost in contact and modes, now [J]. The ledger is closed at
  /// the ends of steps; in between the loss is what their balance leaves.
  double injected() const noexcept {
    return pushed_ ? ledger().injected() : force_ * (position() + gap_);
  }
  double dissipated() const noexcept { return ledger().initial() + injected() - stored(); }
  bool converged() const noexcept { return march_.converged(); }
  long long steps() const noexcept { return march_.steps(); }  ///< internal ones so far
  /// The contacts that ended within the last step; speeds are relative ones.
  std::span<const FinishedImpact> finished() const noexcept { return march_.finished(); }
  ModalState modes() const;
  void archive(Archive& state) { state(march_); }

 private:
  double mass_, gap_, force_;
  bool pushed_ = false;  ///< by a force that varies: steps end on samples, so does the ledger
  std::vector<char> vibrates_;  ///< each mode of the resonator
  ContactMarch march_;
};

}  // namespace carom
