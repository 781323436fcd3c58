#pragma once

/// A sphere that hits a plane, in Simbody's parameters. C++17: Simbody's headers do not compile as
/// C++20, so this is where the two meet.
struct SimbodySphere {
  double mass;         ///< [kg]
  double speed;        ///< [m/s]
  double radius;       ///< [m]
  double stiffness;    ///< of each body's material, Simbody's parameter
  double dissipation;  ///< Simbody's c [s/m]
};

/// Rebound speed [m/s] at time `until` [s] after touch.
double rebound_by_simbody(const SimbodySphere& sphere, double accuracy, double until);
