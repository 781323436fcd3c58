#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include <carom/laws/fields.hpp>
#include <carom/laws/law.hpp>

namespace carom {

/// Adhesive contact of elastic spheres.  [JKR1971]
///   f = 4 E* a^3/(3 R) - sqrt(8 pi w E* a^3),   x = a^2/R - sqrt(2 pi w a/E*)
/// with the contact radius a, k = 4/3 E* sqrt(R) and the work of adhesion w. Bodies snap into
/// contact at x = 0, where f = -4/3 pi w R, and hold on to the fold x_c = -3 a_c^2/R of x(a), with
/// a pull of up to 3/2 pi w R on the way. Both jumps lose energy: V(0) < 0 < V(x_c), apart V = 0.
/// A body with less than what they take sticks.
///
/// In units of a_c = (pi w R^2/(8 E*))^(1/3), with a = a_c (1 + y)^2:
///   x = (a_c^2/R) (y^4 + 4 y^3 + 6 y^2 - 3),
/// one positive root y for every x above the fold.
struct JKR {
  double stiffness;  ///< k = 4/3 E* sqrt(R) [N/m^1.5], > 0
  double radius;     ///< R = R1 R2/(R1 + R2) [m], > 0
  double adhesion;   ///< w [J/m^2], > 0

  static constexpr LawText text{
      "jkr", "JKR", "adhesive elastic spheres: snap in, pull, let go",
      "f = 4 E* a^3/(3 R) - sqrt(8 pi w E* a^3)",
      "Johnson, Kendall and Roberts, Proc. R. Soc. Lond. A 324 (1971) 301"};
  static constexpr std::tuple fields{
      NumberField("stiffness", &JKR::stiffness, "k", "N/m^1.5",
                  "4/3 E* sqrt(R) of the Hertz contact")
          .positive()
          .starts_with(1e5),
      FixedField("exponent", "n", 1.5),
      NumberField("radius", &JKR::radius, "R", "m",
                  "radius of the sphere, or R1 R2/(R1 + R2) of a pair")
          .positive()
          .starts_with(0.01),
      NumberField("adhesion", &JKR::adhesion, "w", "J/m^2", "work of adhesion")
          .positive()
          .starts_with(0.5)};

  bool operator==(const JKR&) const = default;

  double modulus() const noexcept { return 0.75 * stiffness / std::sqrt(radius); }  ///< E* [Pa]
  double smallest_contact_radius() const noexcept {                                 ///< a_c [m]
    return std::cbrt(std::numbers::pi * adhesion * radius * radius / (8 * modulus()));
  }

  // While bodies touch.
  Force force(double x, double v, const ContactMemory& m) const noexcept {
    return prepared().force(x, v, m);
  }
  double potential(double x, const ContactMemory&) const noexcept {
    const Scales scales = prepared();
    const double u = 1 + scales.excess(x), u2 = u * u, u4 = u2 * u2;
    const double unit = scales.force_unit * scales.length / radius;
    return unit * u4 * (8.0 / 15 * u4 * u2 - 16.0 / 3 * u2 * u + 8);
  }
  int grade() const noexcept { return 2; }
  double length_of_energy(double energy) const noexcept {
    return std::max(std::pow(2.5 * energy / stiffness, 0.4), -edge({}));
  }
  double edge(const ContactMemory&) const noexcept { return -3 * prepared().length / radius; }

  /// What does not change with the compression.
  struct Scales {
    double radius, length, force_unit;  ///< R, a_c^2 [m^2], E* a_c^3/R [N]

    Force force(double x, double /*v*/, const ContactMemory&) const noexcept {
      const double u = 1 + excess(x), cube = u * u * u;
      return {force_unit * (4.0 / 3 * cube * cube - 8 * cube), 0.0};
    }
    /// y of the comment above, by Halley's method; 0 beyond the fold. In w = 1 + y the equation is
    /// w^4 - 4 w = h - 3 with h = x R/a_c^2 + 3: w = (h - 3)^(1/4) + (h - 3)^(-1/2) + ... for large
    /// h, y = s - s^2/3 + ... with s = sqrt(h/6) for small ones. The error of a step is about the
    /// cube of its length.
    double excess(double x) const noexcept {
      const double height = x * radius / length + 3;
      if (!(height > 0)) return 0.0;
      const double s = std::sqrt(height > 7 ? height - 3 : height / 6);
      double y = height > 7 ? std::sqrt(s) + 1 / s - 1 : s / (1 + s / 3);
      for (int i = 0; i < 30; ++i) {
        const double value = y * y * (6 + y * (4 + y)) - height,
                     slope = y * (12 + y * (12 + 4 * y)), bend = 12 + y * (24 + 12 * y);
        const double step = 2 * value * slope / (2 * slope * slope - value * bend);
        y -= step;
        if (!(std::abs(step) > 1e-6 * y)) break;
      }
      return y;
    }
  };
  Scales prepared() const noexcept {
    const double a_c = smallest_contact_radius(), square = a_c * a_c;
    return {radius, square, modulus() * square * a_c / radius};
  }
};
static_assert(ContactLaw<JKR>);

}  // namespace carom
