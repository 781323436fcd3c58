#pragma once

#include "recurrence.hpp"
#include "spring_match.hpp"

namespace carom {

/// How constraint solvers spell a spring: the share of the overlap that a step removes, and the
/// constraint force mixing [m/(N s)].
struct ErrorReduction {
  double erp, cfm;
};
ErrorReduction error_reduction(const UnitSpring& spring, double mass, double timestep);

/// A bounce of ODE: the overlap pushes apart with `erp` of itself within the step, if that is more.
EngineStep bounce(double restitution, double erp, double timestep);

}  // namespace carom
