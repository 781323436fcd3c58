#pragma once

#include <carom/laws/power_damper.hpp>

namespace carom {

/// f = k x^n + c x^((n-1)/2) v.  [Tsuji1992]
///
/// With y ~ x^((n+1)/2) the path in the phase plane is that of a linear oscillator, v dv/dy = -y -
/// 2 xi v with xi = c/sqrt(2 (n+1) k m) [AntypovElliott2011]: the restitution is Kelvin-Voigt's at
/// this damping ratio, whatever the speed. Lets go as soon as the force would pull.
struct Tsuji {
  double stiffness;       ///< k [N/m^n], > 0
  double exponent = 1.5;  ///< n, 1..20
  double damping = 0.0;   ///< c [N s/m^((n+1)/2)], >= 0

  static constexpr LawText text{
      "tsuji", "Tsuji", "spring whose damper makes the restitution the same at every speed",
      "f = k x^n + c x^((n-1)/2) v", "Tsuji, Tanaka and Ishida, Powder Technol. 71 (1992) 239"};
  static constexpr std::tuple fields{
      stiffness_field(&Tsuji::stiffness), exponent_field(&Tsuji::exponent),
      damping_field(&Tsuji::damping, "N s/m^((n+1)/2)", "c in the formula of the law")};

  bool operator==(const Tsuji&) const = default;

  PowerDamper as_power_damper() const noexcept {
    return {stiffness, exponent, damping, (exponent - 1) / 2};
  }

  // While bodies touch.
  Force force(double x, double v, const ContactMemory& m) const noexcept {
    return as_power_damper().force(x, v, m);
  }
  double potential(double x, const ContactMemory& m) const noexcept {
    return as_power_damper().potential(x, m);
  }
  int grade() const noexcept { return as_power_damper().grade(); }
  double length_of_energy(double energy) const noexcept {
    return as_power_damper().length_of_energy(energy);
  }
  bool releases_by_force() const noexcept { return as_power_damper().releases_by_force(); }
};
static_assert(ContactLaw<Tsuji>);

}  // namespace carom
