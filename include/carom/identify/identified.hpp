#pragma once

#include <optional>
#include <string>

#include <carom/identify/formula.hpp>
#include <carom/laws/hertz_damper.hpp>
#include <carom/laws/hunt_crossley.hpp>

namespace carom {

/// What is known about one impact, measured or chosen. Speeds are magnitudes, SI units.
struct Measurement {
  std::optional<double> mass{};             ///< m [kg]
  std::optional<double> speed{};            ///< v_in [m/s]
  std::optional<double> restitution{};      ///< e, 0 < e <= 1
  std::optional<double> contact_time{};     ///< [s]
  std::optional<double> max_force{};        ///< [N]
  std::optional<double> max_compression{};  ///< [m]
  std::optional<double> stiffness{};        ///< k [N/m^n]
  std::optional<double> exponent{};         ///< n, 1..20
  std::optional<double> mu{};               ///< [s/m], instead of a restitution
  std::optional<double> lambda{};  ///< [N s/m^(n+1)] with a stiffness, instead of a restitution
};

/// What follows from a measurement. A number is missing only where the problem does not determine
/// it: the exponent for (e, v, k), the stiffness where the mass was not given.
struct Identified {
  std::optional<double> stiffness{};
  std::optional<double> exponent{};
  std::optional<double> mu{};       ///< Hunt-Crossley
  std::optional<double> lambda{};   ///< Hunt-Crossley
  std::optional<double> damping{};  ///< Hertz-damper: c
  double epsilon = 0;               ///< mu v_in; for the Hertz-damper c/(m omega_i)
  std::optional<double> omega{};    ///< omega_i [rad/s]
  std::optional<double> mass{};
  std::optional<double> speed{};
  Release release = Release::zero_force;  ///< Hertz-damper
  Formula formula = Formula::exact;
  std::string problem;  ///< which of the well-posed problems this was, in words

  /// What the identified law gives back in an impact at that speed.
  struct Check {
    std::optional<double> restitution{};
    std::optional<double> contact_time{};
    std::optional<double> max_force{};
    std::optional<double> max_compression{};
  };
  Check check;

  /// The law; InvalidInput names what is missing.
  HuntCrossley hunt_crossley() const;
  HertzDamper hertz_damper() const;
};

}  // namespace carom
