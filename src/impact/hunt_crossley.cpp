#include <algorithm>
#include <cmath>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/impact/hunt_crossley.hpp>

#include "hunt_crossley_path.hpp"
#include "langevin.hpp"
#include "scales.hpp"

namespace carom {

using detail::HuntCrossleyEnds;
using detail::HuntCrossleyPath;
using detail::Scales;
using detail::TaylorPath;

double restitution_of_epsilon(double epsilon) {
  require_not_negative("epsilon", epsilon);
  return detail::restitution_of(epsilon);
}

double epsilon_of_restitution(double e) {
  require_within("restitution", e, 0x1p-1022, 1);
  // L(h) = (1-e)/(1+e), eps = h (1 + L) = 2h/(1+e); below e = 0.012 eps = 1/e to all digits.
  return 2 * detail::inverse_langevin((1 - e) / (1 + e), 2 * e / (1 + e)) / (1 + e);
}

double rebound_speed(double mu, double speed) {
  require_not_negative("mu", mu);
  require_positive("speed", speed);
  const double epsilon = mu * speed;
  if (epsilon > 80) return 1 / mu;  // 1 - eps e < exp(-80)
  return speed * detail::restitution_of(epsilon);
}

double published_rebound_speed(double mu, double speed, int order) {
  require_not_negative("mu", mu);
  require_positive("speed", speed);
  require_within("order", order, 1, 40);
  const double u = detail::epsilon_of(mu, speed);
  if (u == 0) return speed;
  // Coefficients for mu = 1. y = -v_out(u) obeys y y' (1 + u) = u (1 - y), the derivative of (6),
  // so with y = sum of y_j u^j the a_j = -y_j of (30) follow one by one.
  std::vector<double> y(order + 1, 0.0), b(order + 1, 0.0);
  y[1] = 1;
  for (int j = 2; j <= order; ++j) {
    // Coefficient of u^j in y y' (1+u) = u - u y; the unknown y_j enters as (1 + j) y_1 y_j.
    double sum = -y[j - 1];
    for (int i = 1; i < j; ++i) sum -= i * y[i] * y[j - i];      // y y' at u^(j-1)
    for (int i = 2; i < j; ++i) sum -= i * y[i] * y[j + 1 - i];  // known part at u^j
    y[j] = sum / (1 + j);
  }
  b[0] = 1;
  for (int j = 1; j <= order; ++j) {
    b[j] = -y[j];
    double c = 1;  // (-2)^i/i!
    for (int i = 1; i <= j; ++i) {
      c *= -2.0 / i;
      b[j] -= b[j - i] * c;
    }
  }
  double above_one = 0;  // the polynomial of (7) without its leading 1, to keep digits at small u
  for (int j = order; j >= 1; --j) above_one = (above_one + b[j]) * u;
  return (-std::expm1(-2 * u) - above_one * std::exp(-2 * u)) / mu;
}

double max_compression(const HuntCrossley& law, const Collision& collision) {
  validate(law);
  detail::require_no_force("max_compression", collision);
  const Scales s(law.stiffness, law.exponent, collision);
  const double epsilon = detail::epsilon_of(law.mu, s.speed);
  return s.length * detail::hunt_crossley_max_compression(epsilon, law.exponent);
}

double contact_time(const HuntCrossley& law, const Collision& collision) {
  validate(law);
  detail::require_no_force("contact_time", collision);
  const Scales s(law.stiffness, law.exponent, collision);
  return HuntCrossleyPath(detail::epsilon_of(law.mu, s.speed), law.exponent).contact_time() /
         s.omega;
}

namespace {

/// phi(eps) - phi(mu v) over eps^2, that is X^(n+1)/(n+1) at the rate v.
double level_at_rate(const HuntCrossleyEnds& ends, double mu, double speed, double rate) {
  const double eps = ends.epsilon;
  const double v = rate / speed;
  constexpr double rounding = 1 + 4e-16;
  if (!(v <= rounding && v >= -ends.restitution * rounding)) {
    throw InvalidInput("rate must lie between -rebound speed " +
                       number_text(-ends.restitution * speed) + " and speed " + number_text(speed) +
                       " (got " + number_text(rate) + ")");
  }
  if (v < 0 && eps > 1) {
    // Towards -1/mu everything depends on s = 1 + mu v against its value B at release:
    // eps^2 level = ln(s/B) - (s - B), where ln B is known also when B underflows.
    const double s = std::fma(mu, rate, 1.0);
    const double b = ends.release;
    const double apart = (s - b) / b;
    const double level = apart < 0.5 ? (1 - b) * apart - detail::phi(apart)
                                     : std::log(s) + eps * ends.release_span - (s - b);
    return std::max(0.0, level / eps / eps);
  }
  // Measured from the nearer end, both terms are positive: phi(a) - phi(b) = b r + phi(r) with
  // r = (a - b)/(1 + b).
  const double from = v >= 0 ? 1 : -ends.restitution;
  const double r = (from - v) / (1 + eps * v);  // over eps
  const double z = eps * r;
  const double phi_over_eps2 =
      std::abs(z) < 1e-9 ? r * r * (0.5 - z / 3) : detail::phi(z) / eps / eps;
  return std::max(0.0, v * r + phi_over_eps2);
}

}  // namespace

double compression_at_rate(const HuntCrossley& law, const Collision& collision, double rate) {
  validate(law);
  detail::require_no_force("compression_at_rate", collision);
  require_finite("rate", rate);
  const Scales s(law.stiffness, law.exponent, collision);
  const double n1 = law.exponent + 1;
  const HuntCrossleyEnds ends(detail::epsilon_of(law.mu, s.speed));
  return s.length * std::pow(n1 * level_at_rate(ends, law.mu, s.speed, rate), 1 / n1);
}

double energy_at_rate(const HuntCrossley& law, const Collision& collision, double rate) {
  validate(law);
  detail::require_no_force("energy_at_rate", collision);
  require_finite("rate", rate);
  const Scales s(law.stiffness, law.exponent, collision);
  const HuntCrossleyEnds ends(detail::epsilon_of(law.mu, s.speed));
  const double v = rate / s.speed;
  return s.energy_in() * (v * v + 2 * level_at_rate(ends, law.mu, s.speed, rate));
}

DimensionlessImpact dimensionless_impact(double epsilon, double exponent) {
  require_within("epsilon", epsilon, 0, 1e150);
  require_within("exponent", exponent, 1, 20);
  return HuntCrossleyPath(epsilon, exponent).summary();
}

Impact impact(const HuntCrossley& law, const Collision& collision) {
  validate(law);
  const Scales s(law.stiffness, law.exponent, collision);
  const double epsilon = detail::epsilon_of(law.mu, s.speed);
  if (s.push == 0) return to_impact(s, HuntCrossleyPath(epsilon, law.exponent));
  return to_impact(s, TaylorPath({.n = law.exponent, .epsilon = epsilon, .push = s.push},
                                 TaylorPath::Keep::outcome));
}

}  // namespace carom
