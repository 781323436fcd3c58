#pragma once

#include <functional>
#include <limits>
#include <vector>

#include <carom/energy/ledger.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/steppers/catalogue.hpp>
#include <carom/steppers/corrections.hpp>
#include <carom/steppers/wall_march.hpp>

namespace carom {

/// A body bouncing on a floor, in contact and in flight.
///   const Bounces b = simulate_bounces(law, {.mass = 0.01, .speed = 1.0}, {.impacts = 100});
struct BouncingBody {
  double mass;            ///< [kg], > 0
  double speed;           ///< downward at the start [m/s], > 0, or 0 with a height
  double height = 0.0;    ///< above the floor at the start [m], >= 0
  double gravity = 9.81;  ///< [m/s^2], > 0
};

struct BounceSettings {
  ContactMethod method = ContactMethod::passive;
  double rate = 44100.0;  ///< [Hz], > 0
  Events events = Events::subsample;
  Correct correct = Correct::none;
  ExitSpeed exit = ExitSpeed::exact;
  double exit_threshold_percent = 0.1;
  /// false: gravity is suspended during contact, as in papetti2011 Sect. IV-B; true: it acts
  /// throughout, and the body comes to rest on the floor in the end.
  bool gravity_in_contact = false;
  Surface surface = Surface::recovers;
  int impacts = 100;                                          ///< stop after so many
  double duration = std::numeric_limits<double>::infinity();  ///< or after so long [s]
  int keep_every = 0;                                         ///< samples; 0 keeps none
  /// Asked now and then; false ends the run where it is.
  std::function<bool()> keep_going = {};
};

struct BounceSample {
  double time, height, velocity, force;  ///< [s], [m] (< 0 in contact), [m/s] upward, [N]
};

struct Bounces {
  std::vector<ImpactRecord> impacts;
  std::vector<BounceSample> samples;
  Ledger ledger;
  double end_time = 0.0;
  bool at_rest = false;  ///< ended before the asked number: the body no longer leaves the floor
  bool converged = true;
  bool passive_kept = true;  ///< false: a passive method gained more than 1e-12 of its energy
};

/// Throws InvalidInput for parameters outside their range or a method that cannot step the law.
Bounces simulate_bounces(const AnyLaw& law, const BouncingBody& body,
                         const BounceSettings& settings);

}  // namespace carom
