#include <cmath>
#include <numbers>
#include <string>

#include <carom/core/error.hpp>
#include <carom/steppers/theta_scheme.hpp>

namespace carom {

using std::numbers::pi;

ModalBody theta_scheme(const ModalBody& body, double rate, double theta) {
  require_within("theta", theta, 0.5, 1);
  ModalBody stepped = body;
  for (std::size_t j = 0; j < stepped.modes.size(); ++j) {
    Mode& mode = stepped.modes[j];
    const double dt = 1 / rate, omega = 2 * pi * mode.frequency, x = omega * dt;
    const double s = mode.damping * dt, rest = 1 - theta;
    const double denominator = 1 + 2 * theta * s + theta * theta * x * x;
    const double e = (1 - 2 * rest * s + rest * rest * x * x) / denominator,
                 d = x * x / denominator;
    // r+ = A r - e r^-, A = 1 + e - d = 2 exp(-sigma' dt) cos(sqrt(omega'^2 - sigma'^2) dt)
    const double cosine = e > 0 ? (1 + e - d) / (2 * std::sqrt(e)) : -2;
    if (!(cosine > -1)) {
      throw InvalidInput("mode " + std::to_string(j + 1) + " (damping " +
                         number_text(mode.damping) +
                         " 1/s) alternates from step to step by the theta-scheme at " +
                         number_text(rate) + " Hz: raise the rate");
    }
    const double sigma = -std::log(e) / 2;  // times dt
    // Next to 1 the arc cosine loses half of the digits; 1 - cosine is known better, because
    // 1 + e - 2 sqrt(e) = (1 - sqrt(e))^2.
    const double root = std::sqrt(e), less = 1 - root;
    const double half = (d - less * less) / (4 * root);  // (1 - cosine)/2 = sin^2(turn/2)
    const double turn2 = half >= 0 ? std::pow(2 * std::asin(std::sqrt(half)), 2)
                                   : -std::pow(2 * std::asinh(std::sqrt(-half)), 2);
    const double omega2 = turn2 + sigma * sigma;
    mode.damping = sigma / dt;
    if (x > 0) {
      mode.frequency = std::sqrt(omega2) / (2 * pi * dt);
      mode.mass *= x * x / omega2;
    } else if (sigma > 0) {  // a rigid body in a viscous medium
      mode.mass *= denominator * (1 - e) / (2 * sigma);
    }
  }
  return stepped;
}

double theta_frequency(double frequency, double rate, double theta) {
  const Mode stepped =
      theta_scheme({.modes = {{.frequency = frequency}}, .shapes = {}}, rate, theta).modes.front();
  const double omega = 2 * pi * stepped.frequency;  // of the decaying oscillation:
  return std::sqrt(omega * omega - stepped.damping * stepped.damping) / (2 * pi);
}

}  // namespace carom
