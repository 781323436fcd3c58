#pragma once

#include <carom/impact/impact.hpp>
#include <carom/laws/power_law.hpp>

namespace carom {

/// Contact time [s] of the lossless law without external force: omega_i t =
/// 2 ((n+1)/2)^(1/(n+1)) sqrt(pi)/(n+1) Gamma(1/(n+1))/Gamma(1/(n+1) + 1/2).
double contact_time(const PowerLaw& law, const Collision& collision);

/// One impact under f = k x^n: restitution 1, the rest in closed form; under a constant external
/// force by the exact motion. Same accuracy and range as Hunt-Crossley.
Impact impact(const PowerLaw& law, const Collision& collision);

}  // namespace carom
