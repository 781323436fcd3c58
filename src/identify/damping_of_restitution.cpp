#include <algorithm>
#include <cmath>
#include <numbers>

#include <carom/core/error.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/impact/hertz_damper.hpp>

#include "root.hpp"

namespace carom {
namespace {

/// Zero where the rebound has restitution e; smooth and nearly linear in ln(damping) at both ends:
/// the logarithm of the loss where it is small, of the restitution where that is.
double misfit(const DimensionlessRebound& r, double e) {
  return e > 0.5 ? std::log(r.loss / ((1 - e) * (1 + e))) : std::log(e / r.restitution);
}

struct Zero {
  double x, slope;
};

/// Secant iteration on a function that is smooth, increasing and nearly linear. The error after a
/// step is about the product of the last two steps times f''/(2 f'), which is below one here.
template <class Function>
Zero secant(Function f, Zero start, double enough) {
  double x0 = start.x, f0 = f(x0), slope = start.slope;
  if (f0 == 0) return start;
  double x1 = x0 - std::clamp(f0 / slope, -0.7, 0.7);
  for (int i = 0; i < 40; ++i) {
    const double f1 = f(x1);
    if (f1 == 0 || f1 == f0) break;
    slope = (f1 - f0) / (x1 - x0);
    const double next = x1 - std::clamp(f1 / slope, -0.7, 0.7);
    if (std::abs((next - x1) * (x1 - x0)) < enough) return {next, slope};
    x0 = x1;
    f0 = f1;
    x1 = next;
  }
  return {x1, slope};
}

constexpr double last_digit = 1e-17;

}  // namespace

double damping_ratio_of_restitution(double e, Release release) {
  if (!(e > 0)) require_positive("restitution", e);
  require_within("restitution", e, 0, 1);
  if (e == 1) return 0;
  if (release == Release::zero_compression) {
    const double decay = -std::log(e);
    return decay / std::hypot(std::numbers::pi, decay);
  }
  // e = exp(-pi xi) for small xi, 1/(4 xi^2) for large.
  const double start = std::min(-std::log(e) / std::numbers::pi, 0.5 / std::sqrt(e) + 0.5);
  return std::exp(
      secant([&](double log_xi) { return misfit(kelvin_voigt_rebound(std::exp(log_xi)), e); },
             {std::log(start), e > 0.5 ? 1.0 : 2.0}, last_digit)
          .x);
}

double damping_of_restitution(double e, double n, Release release) {
  if (!(e > 0)) require_positive("restitution", e);
  require_within("restitution", e, 0, 1);
  require_within("exponent", n, 1, 20);
  if (e == 1) return 0;
  if (n == 1) return 2 * damping_ratio_of_restitution(e, release);
  // Both limits are known (errata of poursina2020): c -> slope (1 - e), c -> e^(-1/(n+1)).
  const double a = 1 / (n + 1);
  const double beta = std::tgamma(a) * std::tgamma(1.5) / std::tgamma(a + 1.5);
  const double slope = 1 / (2 * a * std::pow((n + 1) / 2, a) * beta);
  if (release == Release::zero_force) {
    const double start = (1 - e) * (slope * e + 1 - e) * std::pow(e, -a);
    const auto misfit_to = [&](double tolerance) {
      return [&, tolerance](double log_c) {
        return misfit(hertz_damper_rebound(std::exp(log_c), n, release, tolerance), e);
      };
    };
    // Coarse paths, at half the price, lead as near as they can; the slope they leave is good
    // enough for two fine ones to reach the last digit.
    const Zero near = secant(misfit_to(1e-7), {std::log(start), e > 0.5 ? 1 : n + 1}, 1e-7);
    return std::exp(secant(misfit_to(0), near, last_digit).x);
  }
  // The restitution falls to zero at a finite damping and then there is no release: bracket.
  const auto excess = [&](double c) {
    const DimensionlessRebound r = hertz_damper_rebound(c, n, release);
    return r.releases ? (e > 0.5 ? (1 - e) * (1 + e) - r.loss : r.restitution - e) : -e;
  };
  double high = slope * (1 - e);
  while (excess(high) > 0) high *= 2;
  return detail::bracketed_root(excess, 0, high).value_or(high);
}

}  // namespace carom
