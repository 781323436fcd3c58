#pragma once

#include <array>
#include <cmath>

namespace carom {

/// The clock of a step from time 0 to h: t = h g(sigma), 0 <= sigma <= 1. A contact force is
/// singular where bodies begin or cease to touch (x^1.5, sqrt(x) v, the fold of an adhesive
/// contact); run through at g = sigma^p from there, or towards it at g = 1 - (1 - sigma)^p, every
/// such power becomes a polynomial in sigma, or nearly one. No series at the edge is needed.
enum class ClockKind {
  plain,    ///< g = sigma
  onset,    ///< g = sigma^p: bodies touch where the step begins
  release,  ///< g = 1 - (1 - sigma)^p: they part where it ends
};

/// Whether there is a table for it.
constexpr bool is_clock(ClockKind kind, int power) noexcept {
  if (kind == ClockKind::plain) return power >= 1 && power <= 4;
  return (kind == ClockKind::onset || kind == ClockKind::release) && (power == 2 || power == 4);
}

/// Gauss-Legendre collocation with ten nodes under a clock. The unknown is a force f, known at the
/// nodes; psi = f g' is taken for the polynomial of degree nine through them. What the force does
/// to rates and positions is then
///   h int psi,    h^2 int g' int psi:
/// as sums over the nodes at the nodes themselves (rate, place), at the end (end_rate, end_place),
/// and as polynomials in between.
struct Collocation {
  static constexpr int nodes = 10, max_power = 4;
  using Nodes = std::array<double, nodes>;

  ClockKind kind;
  int power;
  Nodes sigma;   ///< Gauss nodes on 0..1
  Nodes time;    ///< g there
  Nodes weight;  ///< of int f dt over the step, in units of h: b g', all positive
  std::array<Nodes, nodes> rate, place;  ///< [node of f][node]: column by column
  Nodes end_place;                       ///< (end_rate is `weight`)
  Nodes slope;                           ///< g' at the nodes
  std::array<Nodes, 3> tail;             ///< [k][node]: the last three Legendre coefficients of psi
  /// Coefficients in powers of u = 2 sigma - 1 of int psi and int g' int psi: [power][node].
  std::array<Nodes, nodes + 1> dense_rate;
  std::array<Nodes, nodes + max_power + 1> dense_place;

  /// The tables, made once. `power` is 1 for plain, else 2 or 4.
  static const Collocation& of(ClockKind kind, int power);

  Nodes barycentric;  ///< of the nodes: 1/prod_(k != j) (sigma_j - sigma_k)

  /// Lagrange's polynomials of the nodes at sigma.
  Nodes basis_at(double s) const noexcept {
    Nodes values;
    double sum = 0;
    for (int j = 0; j < nodes; ++j) {
      if (s == sigma[j]) {
        values.fill(0);
        values[j] = 1;
        return values;
      }
      values[j] = barycentric[j] / (s - sigma[j]);
      sum += values[j];
    }
    for (double& value : values) value /= sum;
    return values;
  }
  /// Their derivatives at sigma.
  Nodes basis_slope_at(double s) const noexcept {
    Nodes slopes;
    slopes.fill(0);
    for (int j = 0; j < nodes; ++j) {
      for (int left = 0; left < nodes; ++left) {
        if (left == j) continue;
        double product = barycentric[j];
        for (int k = 0; k < nodes; ++k) {
          if (k != j && k != left) product *= s - sigma[k];
        }
        slopes[j] += product;
      }
    }
    return slopes;
  }
  /// g'(sigma).
  double slope_at(double s) const noexcept {
    const auto of_power = [this](double y) { return power == 4 ? 4 * y * y * y : 2 * y; };
    switch (kind) {
      case ClockKind::plain:
        break;
      case ClockKind::onset:
        return of_power(s);
      case ClockKind::release:
        return of_power(1 - s);
    }
    return 1.0;
  }
  /// g(sigma).
  double time_at(double s) const noexcept {
    const auto to_power = [this](double y) { return power == 4 ? y * y * (y * y) : y * y; };
    switch (kind) {
      case ClockKind::plain:
        break;
      case ClockKind::onset:
        return to_power(s);
      case ClockKind::release:
        return 1 - to_power(1 - s);
    }
    return s;
  }
  /// sigma at the time t = h * fraction.
  double sigma_at(double fraction) const noexcept {
    const auto root = [this](double y) {
      return power == 4 ? std::sqrt(std::sqrt(y)) : std::sqrt(y);
    };
    switch (kind) {
      case ClockKind::plain:
        break;
      case ClockKind::onset:
        return root(std::fmax(0.0, fraction));
      case ClockKind::release:
        return 1 - root(std::fmax(0.0, 1 - fraction));
    }
    return fraction;
  }
};

}  // namespace carom
