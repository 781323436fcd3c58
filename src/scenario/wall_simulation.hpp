#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <carom/core/archive.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/steppers/corrections.hpp>
#include <carom/steppers/wall_march.hpp>

namespace carom {

/// The exact answer for one impact under any of them.
Impact exact_impact(const LawChoice& law, const Collision& collision);

struct WallSettings {
  LawChoice law = AnyLaw(PowerLaw{1.0});
  std::string method = "passive";
  double mass = 1;              ///< [kg]
  double rate = 44100;          ///< samples per second [Hz]
  double position = 0;          ///< at the start [m], < 0 outside the wall
  double velocity = 1;          ///< at the start [m/s], > 0 approaches
  double force_in_flight = 0;   ///< [N], > 0 pushes towards the wall
  double force_in_contact = 0;  ///< [N]
  Events events = Events::subsample;
  Correct correct = Correct::none;
};

/// The state at one sample. Signs as everywhere: position > 0 is compression.
struct WallSample {
  double time, position, velocity, force;
  double kinetic, elastic, dissipated, injected;  ///< [J]
};

/// One point mass and a wall by any method: a stepper of one sample a step.
class WallSimulation {
 public:
  virtual ~WallSimulation() = default;
  virtual void step() = 0;
  virtual WallSample now() const = 0;
  double time() const noexcept { return now().time; }
  /// The impacts that ended within the last step, in order.
  virtual std::span<const ImpactRecord> finished() const = 0;
  virtual const Ledger& ledger() const noexcept = 0;
  /// Closes the ledger at the present sample.
  virtual void finish() {}
  /// The body will not leave the wall any more.
  virtual bool held() const = 0;
  virtual bool passive() const = 0;    ///< the method promises never to gain energy
  virtual bool converged() const = 0;  ///< every iteration so far has
  virtual void archive(Archive& state) = 0;
};

/// The methods there are, the exact one first.
const std::vector<std::string>& wall_methods();
/// Kind::refusal of the kinds with one contact.
std::string wall_refusal(std::string_view law, std::string_view method);
/// Throws InvalidInput when the method does not fit the law or the correction.
std::unique_ptr<WallSimulation> make_wall_simulation(const WallSettings& settings);

}  // namespace carom
