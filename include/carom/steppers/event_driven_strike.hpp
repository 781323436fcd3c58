#pragma once

#include <memory>
#include <span>

#include <carom/energy/ledger.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/modal_bank.hpp>
#include <carom/steppers/strike_march.hpp>

namespace carom {

/// The reference of StrikeMarch, with nothing in common with it but the laws. Apart, body and modes
/// are read from their closed forms; a contact begins where they first meet, found by steps that
/// cannot pass it: no step is longer than the gap allows at the largest relative acceleration that
/// the energy of the modes admits. In contact the equations of body and modes are one system,
/// solved by Runge-Kutta-Fehlberg of order eight with step control; the release is located. Slow,
/// and not for real time: step() allocates.
class EventDrivenStrike {
 public:
  static constexpr StepperTraits traits{.name = "event-driven", .order = 8, .passive = false};

  /// `resonator.shapes` row 0 is the hit point, row 1 the heard point.
  EventDrivenStrike(const AnyLaw& law, const Striker& striker, const ModalBody& resonator,
                    const StrikeSettings& settings);
  ~EventDrivenStrike();
  EventDrivenStrike(EventDrivenStrike&&) noexcept;
  EventDrivenStrike& operator=(EventDrivenStrike&&) noexcept;

  void set_resonator(const ModalState& state);
  void step();

  // As of StrikeMarch.
  double time() const noexcept;
  const Ledger& ledger() const noexcept;
  double position() const noexcept;
  double velocity() const noexcept;
  double compression() const noexcept;
  double mean_force() const noexcept;
  const ModalBank::Sums& resonator() const noexcept;
  bool in_contact() const noexcept;
  bool converged() const noexcept;
  double stored() const noexcept;
  std::span<const ImpactRecord> finished() const noexcept;
  ModalState modes() const;
  void archive(Archive& state);

 private:
  class Motion;
  std::unique_ptr<Motion> motion_;
};

}  // namespace carom
