#pragma once

#include <memory>
#include <span>

#include <carom/core/archive.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/steppers/catalogue.hpp>
#include <carom/steppers/contact_flow.hpp>
#include <carom/steppers/corrections.hpp>
#include <carom/steppers/wall_march.hpp>

namespace carom {

/// A body and a wall with everything chosen at run time.
struct WallMarchSettings {
  AnyLaw law = PowerLaw{1.0};
  ContactMethod method = ContactMethod::passive;
  double mass = 1.0;              ///< [kg], > 0
  double force_in_contact = 0.0;  ///< [N], > 0 pushes into the wall
  double force_in_flight = 0.0;   ///< [N]
  Surface surface = Surface::recovers;
  double rate = 44100.0;  ///< [Hz], > 0
  double position = 0.0;  ///< at the start [m], > 0 is inside the wall
  double velocity = 1.0;  ///< at the start [m/s], > 0 approaches
  Events events = Events::subsample;
  Correct correct = Correct::none;
  ExitSpeed exit = ExitSpeed::exact;
  double exit_threshold_percent = 0.1;
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

/// WallMarch behind one virtual call a sample: the loops inside are compiled once for every method
/// and law, whoever runs them.
class AnyWallMarch {
 public:
  /// The state at a sample; as the accessors of WallMarch.
  struct Sample {
    double time, position, velocity, compression, force, stored;
    bool in_contact, converged;
  };

  virtual ~AnyWallMarch() = default;
  AnyWallMarch(const AnyWallMarch&) = delete;
  AnyWallMarch& operator=(const AnyWallMarch&) = delete;

  /// One sample further.
  virtual const Sample& step() noexcept = 0;
  const Sample& now() const noexcept { return now_; }
  /// The contacts that ended within the last step, in order.
  std::span<const ImpactRecord> finished() const noexcept { return finished_; }
  virtual const Ledger& ledger() const noexcept = 0;
  /// Where the method locates them between samples; otherwise nullptr.
  virtual const ContactExtremes* extremes() const noexcept = 0;
  virtual void archive(Archive& state) = 0;
  /// The method is passive and nothing else moves the state.
  bool promises_passivity() const noexcept { return promises_passivity_; }
  /// False: it promised, and gained more than 1e-12 of `energy` in a step.
  bool passive_kept(double energy) const noexcept {
    return !promises_passivity_ || ledger().worst_residual() <= 1e-12 * energy;
  }

 protected:
  explicit AnyWallMarch(bool promises_passivity) noexcept
      : promises_passivity_(promises_passivity) {}

  Sample now_{};
  std::span<const ImpactRecord> finished_;

 private:
  bool promises_passivity_;
};

/// Throws InvalidInput when the method cannot step the law; checks nothing else.
std::unique_ptr<AnyWallMarch> make_wall_march(const WallMarchSettings& settings);

}  // namespace carom
