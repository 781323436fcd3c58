#pragma once

#include <complex>

#include <carom/impact/impact.hpp>
#include <carom/laws/hunt_crossley.hpp>

/// The formulas papetti2011 prints, as printed (with the slips of papers/papetti2011/README.md put
/// right), for one mass on one wall. They are kept apart from carom's own answers, to be compared.
namespace carom::papetti {

struct Case {
  HuntCrossley law;
  double mass = 1e-2;  ///< [kg], the same throughout the paper
  double speed = 1.0;  ///< v_in [m/s]
};

inline constexpr double audio_rate = 44100.0;  ///< F_s [Hz], Section III-B

inline constexpr Case noncritical{{.stiffness = 1e3, .exponent = 1.5, .mu = 0.5}, 1e-2, 0.5};
inline constexpr Case case_1{{.stiffness = 1e7, .exponent = 1.3, .mu = 0.01}, 1e-2, 0.5};
inline constexpr Case case_2{{.stiffness = 1e9, .exponent = 1.5, .mu = 0.5}, 1e-2, 1.0};

/// Eq. (3), x(v), where it is real; 0 beyond the end of the contact.
double compression(const Case& impact, double velocity);
/// Eq. (3) beyond the end of the contact, where the bracket is negative and its power complex: what
/// a program computes that does not look.
std::complex<double> complex_compression(const Case& impact, double velocity);
/// Eq. (4).
double max_compression(const Case& impact);
/// Eq. (6), its nonzero root, by carom's closed form. Negative, as in the paper.
double exit_velocity(const Case& impact);
/// Eqs. (7), (8): the fourth-order approximation of exit_velocity.
double approximate_exit_velocity(const Case& impact);
/// Eq. (13), H of a state; Eq. (20), H(v) on the exact path.
double energy(const Case& impact, double compression, double velocity);
double energy_on_path(const Case& impact, double velocity);

}  // namespace carom::papetti
