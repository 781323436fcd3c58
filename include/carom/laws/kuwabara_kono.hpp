#pragma once

#include <carom/laws/power_damper.hpp>

namespace carom {

/// f = k x^n + c x^(n-1) v: the derivative of k x^n with the compression delayed, hence the contact
/// of viscoelastic spheres for n = 3/2 with c = 3/2 k A.  [KuwabaraKono1987], [Brilliantov1996]
///
/// The loss of slow impacts grows with v^((n-1)/(n+1)), v^(1/5) for spheres. Lets go as soon as the
/// force would pull.
struct KuwabaraKono {
  double stiffness;       ///< k [N/m^n], > 0
  double exponent = 1.5;  ///< n, 1..20
  double damping = 0.0;   ///< c [N s/m^n], >= 0

  static constexpr LawText text{"kuwabara-kono", "KuwabaraKono",
                                "viscoelastic spheres: the damper of the Hertz contact itself",
                                "f = k x^n + c x^(n-1) v",
                                "Kuwabara and Kono, Jpn. J. Appl. Phys. 26 (1987) 1230; "
                                "Brilliantov et al., Phys. Rev. E 53 (1996) 5382"};
  static constexpr std::tuple fields{
      stiffness_field(&KuwabaraKono::stiffness), exponent_field(&KuwabaraKono::exponent),
      damping_field(&KuwabaraKono::damping, "N s/m^n", "c in the formula of the law")};

  bool operator==(const KuwabaraKono&) const = default;

  PowerDamper as_power_damper() const noexcept {
    return {stiffness, exponent, damping, exponent - 1};
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
static_assert(ContactLaw<KuwabaraKono>);

}  // namespace carom
