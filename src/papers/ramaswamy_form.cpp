#include <algorithm>
#include <array>
#include <cmath>

#include <boost/numeric/odeint.hpp>

#include <carom/impact/hunt_crossley.hpp>

#include "ramaswamy.hpp"

namespace carom::ramaswamy {

/// Eq. (10) integrated as it stands, with epsilon, omega_i and n as its inputs, against the law
/// with K of (6) and lambda of (8).
void reproduce_form(Reproduction& paper) {
  using State = std::array<double, 2>;  // delta, its rate
  constexpr double omega = 1e4, speed = 2.0;
  double apart = 0, left = 0, by_mass = 0;
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    for (const double n : {1.0, 1.5, 3.0}) {
      const auto law = [&](double mass) {
        const double stiffness = mass * std::pow(omega, n + 1) / std::pow(speed, n - 1);
        return HuntCrossley{.stiffness = stiffness, .exponent = n, .mu = epsilon / speed};
      };
      const Impact hit = impact(law(1), {.mass = 1, .speed = speed});
      State state{0, speed};
      namespace odeint = boost::numeric::odeint;
      odeint::integrate_adaptive(
          odeint::make_controlled<odeint::runge_kutta_fehlberg78<State>>(1e-15, 1e-12),
          [&](const State& s, State& rate, double) {
            rate = {s[1], -std::pow(omega, n + 1) / std::pow(speed, n) *
                              std::pow(std::max(0.0, s[0]), n) * (epsilon * s[1] + speed)};
          },
          state, 0.0, hit.contact_time, 1e-3 * hit.contact_time);
      apart = std::max(apart, std::abs(-state[1] / hit.rebound_speed - 1));
      left = std::max(left, std::abs(state[0]) / hit.max_compression);
      const Impact heavy = impact(law(1000), {.mass = 1000, .speed = speed});
      by_mass = std::max(by_mass, std::abs(heavy.restitution / hit.restitution - 1));
    }
  }
  paper.set("eqs. 6-10", "rebound speed of (10) against the law, largest relative difference",
            apart);
  paper.set("eqs. 6-10", "deformation left in (10) at the end of contact, of the largest", left);
  paper.set("eqs. 6-10", "restitution of 1000 kg against that of 1 kg, relative", by_mass);
}

}  // namespace carom::ramaswamy
