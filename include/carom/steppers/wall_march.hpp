#pragma once

#include <memory>
#include <span>

#include <carom/contacts/contact.hpp>
#include <carom/core/archive.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/steppers/catalogue.hpp>
#include <carom/steppers/corrections.hpp>

namespace carom {

/// How a simulation sees the beginning and the end of a contact.
enum class Events {
  subsample,  ///< located inside the step: the result does not depend on the sample grid
  sample,     ///< seen on samples only, as the papers do; no matter to passive and event-driven
};

/// A point mass and a wall with everything chosen at run time.
struct WallMarchSettings {
  AnyLaw law = PowerLaw{1.0};
  ContactMethod method = ContactMethod::passive;
  double mass = 1.0;              ///< [kg], > 0
  double force_in_contact = 0.0;  ///< [N], > 0 pushes into the wall
  double force_in_flight = 0.0;   ///< [N]; papetti2011 Sect. IV-B suspends gravity in contact
  Surface surface = Surface::recovers;
  double rate = 44100.0;  ///< [Hz], > 0
  double position = 0.0;  ///< at the start [m], > 0 is inside the wall
  double velocity = 1.0;  ///< at the start [m/s], > 0 approaches
  Events events = Events::subsample;
  Correct correct = Correct::none;
  ExitSpeed exit = ExitSpeed::exact;
  double exit_threshold_percent = 0.1;
  /// Of one step of passive and event-driven, relative to the energy that is left; 1e-10 takes half
  /// the time and is good to 1e-9.
  double tolerance = 1e-13;
};

/// Settings of a march from the choices of one who has a law, a mass and members of the same names
/// (rate, events, correct; exit and its threshold where there are any): ImpactSettings,
/// BounceSettings and others. Start and forces are left to the caller.
template <class Choices>
WallMarchSettings wall_march_settings(const AnyLaw& law, ContactMethod method, double mass,
                                      const Choices& choices) {
  WallMarchSettings settings{.law = law,
                             .method = method,
                             .mass = mass,
                             .rate = choices.rate,
                             .events = choices.events,
                             .correct = choices.correct};
  if constexpr (requires { choices.exit_threshold_percent; }) {
    settings.exit = choices.exit;
    settings.exit_threshold_percent = choices.exit_threshold_percent;
  }
  return settings;
}

/// A point mass on a wall, sample by sample, by any method. Passive and event-driven are the
/// contact march (contacts/contact_march.hpp); the others take one step a sample, cut at events.
class WallMarch {
 public:
  /// The state at a sample. `position` x > 0 is inside the undeformed wall, `velocity` v > 0
  /// approaches it.
  struct Sample {
    double time, position, velocity, compression, force, stored;
    bool in_contact, converged;
  };

  virtual ~WallMarch() = default;
  WallMarch(const WallMarch&) = delete;
  WallMarch& operator=(const WallMarch&) = delete;

  /// One sample further.
  virtual void step() = 0;
  const Sample& now() const noexcept { return now_; }
  double time() const noexcept { return now_.time; }
  /// The contacts that ended within the last step, in order.
  std::span<const ImpactRecord> finished() const noexcept { return finished_; }
  virtual const Ledger& ledger() const noexcept = 0;
  /// Closes the ledger at the present sample, where a method's own steps have gone beyond it.
  virtual void finish() {}
  /// Of the contact under way or just ended, where the method locates its largest compression and
  /// force between samples; otherwise nullptr.
  virtual const ImpactRecord* record() const noexcept { return nullptr; }
  /// Times of these after first touch [s].
  virtual double max_compression_time() const noexcept { return 0.0; }
  virtual double max_force_time() const noexcept { return 0.0; }
  /// The body will not leave the wall any more: it lies still, or has too little energy to.
  virtual bool held() const noexcept = 0;
  virtual double dent() const noexcept = 0;  ///< kept from earlier contacts [m]
  virtual void archive(Archive& state) = 0;
  /// The method is passive and nothing else moves the state.
  bool promises_passivity() const noexcept { return promises_passivity_; }
  /// False: it promised, and gained more than the tolerance of the promise in a step.
  bool passive_kept(double energy) const noexcept {
    return !promises_passivity_ || ledger().worst_residual() <= passive_tolerance * energy;
  }

 protected:
  explicit WallMarch(bool promises_passivity) noexcept : promises_passivity_(promises_passivity) {}

  Sample now_{};
  std::span<const ImpactRecord> finished_;

 private:
  bool promises_passivity_;
};

/// Throws InvalidInput when the method cannot step the law; checks nothing else.
std::unique_ptr<WallMarch> make_wall_march(const WallMarchSettings& settings);

}  // namespace carom
