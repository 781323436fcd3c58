#pragma once

namespace carom {

/// A point mass that meets a wall; for two bodies `mass` is the effective mass m1 m2/(m1 + m2) and
/// `speed` the closing speed.
struct Collision {
  double mass;         ///< m [kg], > 0
  double speed;        ///< closing speed v_in at first touch [m/s], > 0
  double force = 0.0;  ///< constant external force f_e [N]; > 0 pushes into the contact
};

/// What one impact comes to. Speeds are magnitudes; times count from first touch.
struct Impact {
  double rebound_speed;           ///< |v_out| [m/s]; NaN when the body never leaves
  double restitution;             ///< e = rebound_speed / speed; NaN when the body never leaves
  double max_compression;         ///< [m]
  double max_compression_time;    ///< [s]
  double max_force;               ///< [N]
  double max_force_time;          ///< [s]
  double contact_time;            ///< [s]; infinite when the body never leaves
  double separation_compression;  ///< [m]; > 0 only for a damper released at zero force
  double energy_in;               ///< kinetic energy at first touch [J]
  double energy_lost;  ///< energy_in minus kinetic energy at release [J], external work not counted
  bool releases;       ///< false when an external force holds the body down for good
  double equilibrium_compression;  ///< (f_e/k)^(1/n) [m]; 0 without an external force
};

/// The state of an impact at one instant.
struct ImpactState {
  double compression;  ///< x [m]
  double rate;         ///< v = dx/dt [m/s]
  double force;        ///< f [N]
  double energy;       ///< H = m v^2/2 + potential(x) [J]
};

}  // namespace carom
