#pragma once

#include <vector>

#include <carom/energy/ledger.hpp>
#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/steppers/catalogue.hpp>
#include <carom/steppers/corrections.hpp>
#include <carom/steppers/wall_march.hpp>

namespace carom {

/// How one impact is simulated.
///   const SimulatedImpact s = simulate_impact(
///       HuntCrossley{.stiffness = 1e9, .exponent = 1.5, .mu = 0.5}, {.mass = 0.01, .speed = 1.0},
///       {.method = contact_method("verlet"), .rate = 44100, .correct = Correct::both});
struct ImpactSettings {
  ContactMethod method = ContactMethod::passive;
  double rate = 44100.0;  ///< [Hz], > 0
  double phase = 0.0;     ///< where in the first sample contact starts, 0..1
  Events events = Events::subsample;
  Correct correct = Correct::none;
  ExitSpeed exit = ExitSpeed::exact;    ///< of the exit correction
  double exit_threshold_percent = 0.1;  ///< of the published exit speed
  int max_samples = 2'000'000;          ///< a body that has not left by then is said not to leave
  bool keep_samples = true;
};

/// The simulation against the exact trajectory.
struct ImpactErrors {
  double rebound_speed_percent = 0.0;  ///< signed, positive = too fast; NaN if either never leaves
  /// papetti2011 eqs (28), (27), max of the absolute value over samples with x > 0: distance from
  /// the exact x(v) over x_max, and from H(v) over the energy lost (NaN when nothing is lost). NaN
  /// for a body that swings until it rests: there x is no function of v.
  double dev_x_percent = 0.0;
  double dev_energy_percent = 0.0;
  double waveform_percent = 0.0;  ///< max |x_n - x(t_n)|/x_max, apart counting as 0
  int samples_in_contact = 0;     ///< with x > 0, before the release
};

/// One sample of the simulation; time counts from sample 0, first touch is at phase/rate.
struct ImpactSample {
  double time, compression, rate, force, energy;  ///< [s], [m], [m/s], [N], [J]
};

struct SimulatedImpact {
  Impact result;     ///< as simulated
  Impact reference;  ///< event-driven to 1e-14: what the errors are measured against
  ImpactErrors error;
  Ledger ledger;
  bool converged = true;     ///< every iteration stayed within its bound
  bool passive_kept = true;  ///< false: a passive method gained more than 1e-12 of its energy
  std::vector<ImpactSample> samples;
};

/// Simulates one impact on a wall. Throws InvalidInput for parameters outside their range or a
/// method that cannot step the law.
SimulatedImpact simulate_impact(const AnyLaw& law, const Collision& collision,
                                const ImpactSettings& settings);

}  // namespace carom
