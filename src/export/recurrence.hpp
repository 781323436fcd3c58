#pragma once

#include <functional>

namespace carom {

/// What a body does in an impact that an engine steps, over all phases between the onset and the
/// time grid.
struct Outcome {
  double restitution = 0;          ///< mean
  double lowest = 0, highest = 0;  ///< of the restitution
  double contact_time = 0;         ///< steps with a force times the step, mean [s]
  double max_compression = 0;      ///< mean [m]; 0 where the engine resolves none
};

/// One step of an engine: compression x [m] (< 0: apart) and its rate v [m/s] at the beginning
/// become those at its end. Returns whether a contact force acted.
using EngineStep = std::function<bool(double& x, double& v)>;

/// Runs the recurrence of an engine with this step [s] for a body that comes with `speed` [m/s].
/// `contact_time` is about how long the contact should last. A body that does not leave within
/// twenty times that has a restitution of 0; one that leaves faster than it came, above 1.
Outcome over_phases(const EngineStep& step, double timestep, double speed, double contact_time);

/// A contact of n steps is simulated at this many phases.
int phases_of(double steps);

/// v' = v - h f, x' = x + h v' with f = K x + B v >= 0 at the beginning of the step, per unit mass:
/// semi-implicit Euler, as MuJoCo, LAMMPS, YADE and Chrono step a contact.
EngineStep explicit_spring(double K, double B, double timestep);

/// The same with f = K x' + B v' at the end of the step: a constraint with ERP and CFM, as ODE,
/// Bullet and PhysX solve it.
EngineStep implicit_spring(double K, double B, double timestep);

/// A restitution typed as a number: where the bodies overlap and approach faster than `threshold`
/// the velocity is turned within the step; slower ones are stopped.
EngineStep impulse(double restitution, double timestep, double threshold = 0);

}  // namespace carom
