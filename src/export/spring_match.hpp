#pragma once

#include <functional>

#include "recurrence.hpp"

namespace carom {

/// A linear spring with a damper, per unit of mass: f/m = K x + B v >= 0.
struct UnitSpring {
  double K = 0;  ///< [1/s^2]
  double B = 0;  ///< [1/s]
};

/// How an engine steps such a spring.
enum class Scheme { at_begin, at_end };

/// The spring with this restitution and contact time in continuous time: Kelvin-Voigt that lets go
/// when its force is zero (poursina2020 eq. 55 solved for the damping).
UnitSpring continuous_spring(double restitution, double contact_time);

/// The textbook's, which would have the contact pull: x = 0 ends it. K = (pi^2 + L^2)/T^2,
/// B = 2 L/T with L = ln(1/e).
UnitSpring textbook_spring(double restitution, double contact_time);

/// The spring whose *steps* have this restitution, in the mean over phases, and contact time: the
/// poles of the recurrence are placed on those of the continuous motion, and one number, the
/// restitution they are placed for, is then searched so that the mean comes out.
UnitSpring discrete_spring(Scheme scheme, double restitution, double contact_time, double timestep);

EngineStep spring_step(Scheme scheme, const UnitSpring& spring, double timestep);

/// The value of a number >= 0 at which the mean restitution is `wanted`, where it falls with that
/// number; 0 where even 0 loses too much. `start` > 0 is a first guess.
double loss_with_restitution(const std::function<double(double)>& restitution_of, double wanted,
                             double start);

}  // namespace carom
