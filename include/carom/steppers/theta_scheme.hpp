#pragma once

#include <carom/systems/modal_body.hpp>

namespace carom {

/// The theta-scheme that Moreau-Jean time stepping is generally used with for stiffness and
/// damping, which issanchou2018 Sect. III replaces by an exact one because of its dispersion:
///   w+ - w + dt omega^2 q* + 2 dt sigma w* = p/m,   q+ = q + dt w*,
///   q* = theta q+ + (1 - theta) q,   w* = theta w+ + (1 - theta) w.
/// In r = q + (1 - theta) dt w it is the recursion of ModeStep, r+ = r + dt w+, with
///   e = (1 - 2 (1-theta) s + (1-theta)^2 x^2)/D,  d = x^2/D,  D = 1 + 2 theta s + theta^2 x^2,
/// x = omega dt, s = sigma dt: the exact motion of another mode, of another frequency, damping and
/// (for the same response to an impulse) mass. Returned are these modes, so that every method for
/// modal bodies steps the theta-scheme when it is given them; its displacement is r.
/// theta: 1/2..1, below 1/2 the scheme is not stable. Throws InvalidInput for another theta, and
/// where a mode is damped so much that the scheme makes it alternate from step to step.
ModalBody theta_scheme(const ModalBody& body, double rate, double theta);

/// The frequency that the theta-scheme gives a mode without losses [Hz]; for theta = 1/2
/// tan(pi f'/rate) = pi f/rate.
double theta_frequency(double frequency, double rate, double theta);

}  // namespace carom
