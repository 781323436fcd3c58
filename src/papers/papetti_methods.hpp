#pragma once

#include <array>
#include <string_view>
#include <vector>

#include <carom/steppers/wall_problem.hpp>

#include "papetti_model.hpp"

/// The four methods of papetti2011 Section III-A and its two corrections: carom's steppers, run as
/// the paper runs them, onset on a sample and release seen on samples only.
namespace carom::papetti {

enum class Method { am1, verlet, heun, rk4 };
inline constexpr std::array methods{Method::am1, Method::verlet, Method::heun, Method::rk4};
inline constexpr std::array<std::string_view, 4> method_names{"AM1", "Verlet", "Heun", "RK4"};

/// One sample further by the stepper of that name. The force of `state` is the carried value f_n of
/// eqs. (23)-(25), which for Verlet and Heun was evaluated with the predicted velocity and is not
/// evaluated again.
ContactPoint step(const Case& impact, Method method, const ContactPoint& state, double h);

struct Corrections {
  bool hybrid = false;  ///< Section IV-A1: x_n := x(v_n) by eq. (3)
  bool exit = false;    ///< Section IV-A2: at release v := eq. (7), x := 0
};

struct Sample {
  double x, v;
};

struct Contact {
  std::vector<Sample> samples;  ///< from first touch (x = 0) to the first sample with x <= 0
  double predicted_exit = 0.0;  ///< Heun's predictor at that last sample (else the velocity itself)

  double exit() const { return samples.back().v; }
  int steps() const { return int(samples.size()) - 1; }
};

/// One impact that starts on a sample with x = 0. At most `step_limit` samples.
Contact simulate(const Case& impact, Method method, double rate,
                 const Corrections& corrections = {}, int step_limit = 1'000'000);

/// Eqs. (28) and (27): largest deviation while x_n > 0, in percent of x_max and of |Delta H_tau|.
/// `exit_velocity` is the one Delta H_tau is built with.
double deviation_x(const Case& impact, const Contact& contact);
double deviation_energy(const Case& impact, const Contact& contact, double exit_velocity);

}  // namespace carom::papetti
