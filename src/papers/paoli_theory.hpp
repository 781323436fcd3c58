#pragma once

#include <carom/systems/bar.hpp>

namespace carom::paoli2007 {

/// The rebound of a slender bar as a continuous medium: what curve (f) of Fig. 7 is about. Its
/// formula is in reference [5] of the paper, which is not available; this is derived here.
///
/// A uniform bar of length l = length - R and mass m falls with v at the angle theta; its tip
/// carries the vertical contact force F, F sin(theta) along the bar and F cos(theta) across. Along
/// the bar waves run with c = sqrt(E/rho) against the impedance Z = rho c A and come back after
/// 2 l/c; across it bends as a free Euler-Bernoulli beam. The tip moves up with
///   y'(t) = -v + sin^2/Z [F(t) + 2 sum_j F(t - 2 j l/c)]
///           + cos^2/m int_0^t [4 + 4 sum_k cos(omega_k (t - s))] F(s) ds,
/// omega_k = (c R/2) (x_k/l)^2, cos(x_k) cosh(x_k) = 1, and F >= 0, y >= 0, F y = 0. There is no
/// restitution to choose: the wave takes up the impact. Gravity, rotary inertia, shear and the
/// hemisphere are left out, which is right as R/l goes to 0.
struct SlenderSettings {
  int steps = 256;  ///< in 2 l/c, in each of which F is constant
  int modes = 60;   ///< of bending; the last turns by more than pi in a step
};
struct SlenderRebound {
  double restitution = 0;   ///< mean velocity of the tip after the last contact over v
  int intervals = 0;        ///< contact intervals
  double contact_time = 0;  ///< until the last contact ends [s]
};
/// speed v [m/s], angle to the floor [degrees], averaging [s].
SlenderRebound slender_rebound(const BarSettings& bar, double speed, double angle, double averaging,
                               const SlenderSettings& settings = {});

}  // namespace carom::paoli2007
