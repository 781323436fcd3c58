#pragma once

#include <carom/laws/hunt_crossley.hpp>

namespace carom {

// The parameterisations of Hunt-Crossley damping that people use, all the same force
//     f = k x^n (1 + mu v).
// papetti2011 eq. (1): mu = lambda/k [s/m]. ramaswamy eqs. (1), (8): lambda, and eps = mu v_in.
// Simbody: f = k x^n (1 + 3/2 c v). Drake: f = k x^n (1 + d v), there with n = 1.

double mu_of_lambda(double lambda, double stiffness);  ///< lambda [N s/m^(n+1)] -> mu [s/m]
double lambda_of_mu(double mu, double stiffness);      ///< mu [s/m] -> lambda [N s/m^(n+1)]
double mu_of_simbody_dissipation(double c);            ///< c [s/m] -> mu = 3/2 c
double simbody_dissipation_of_mu(double mu);           ///< mu -> c = 2/3 mu
double mu_of_drake_dissipation(double d);              ///< d [s/m] -> mu = d
double drake_dissipation_of_mu(double mu);             ///< mu -> d
double mu_of_epsilon(double epsilon, double speed);    ///< eps = mu v_in, ramaswamy eq. (8)
double epsilon_of_mu(double mu, double speed);         ///< the same, the other way

/// omega_i = (k v^(n-1)/m)^(1/(n+1)) [rad/s], ramaswamy eq. (6), and k from it.
double impact_frequency(double stiffness, double exponent, double mass, double speed);
double stiffness_of_impact_frequency(double omega, double exponent, double mass, double speed);

/// The acceleration form, ramaswamy eq. (10): a = -(omega_i^(n+1)/v_in^n) x^n (eps v + v_in). It
/// needs neither mass nor stiffness; it is the same motion as HuntCrossley's for that v_in.
struct AccelerationForm {
  double omega;     ///< omega_i [rad/s], > 0
  double epsilon;   ///< hysteresis damping ratio, >= 0
  double exponent;  ///< n, >= 1
  double speed;     ///< v_in [m/s], > 0

  bool operator==(const AccelerationForm&) const = default;

  double acceleration(double x, double v) const noexcept;  ///< [m/s^2], 0 for x <= 0
};

AccelerationForm acceleration_form(const HuntCrossley& law, double mass, double speed);
HuntCrossley hunt_crossley_of(const AccelerationForm& form, double mass);

}  // namespace carom
