#pragma once

#include <carom/laws/hertz_damper.hpp>

namespace carom {

/// f = k x + c v: HertzDamper with n = 1.  poursina2020 Sect. 2.
struct KelvinVoigt {
  double stiffness;      ///< k [N/m], > 0
  double damping = 0.0;  ///< c [N s/m], >= 0
  Release release = Release::zero_force;

  static constexpr LawText text{"kelvin-voigt", "KelvinVoigt",
                                "linear spring with a parallel linear damper", "f = k x + c v",
                                "poursina2020 eq. (7) with n = 1"};
  static constexpr std::tuple fields{
      stiffness_field(&KelvinVoigt::stiffness, "N/m"), FixedField("exponent", "n", 1),
      damping_field(&KelvinVoigt::damping, "N s/m", "c of the linear damper"),
      release_field(&KelvinVoigt::release)};

  bool operator==(const KelvinVoigt&) const = default;

  HertzDamper as_hertz_damper() const noexcept { return {stiffness, 1.0, damping, release}; }

  // While bodies touch.
  Force force(double x, double v, const ContactMemory& m) const noexcept {
    return as_hertz_damper().force(x, v, m);
  }
  double potential(double x, const ContactMemory&) const noexcept {
    return as_hertz_damper().potential(x);
  }
  int grade() const noexcept { return 2; }
  double length_of_energy(double energy) const noexcept {
    return std::sqrt(2 * energy / stiffness);
  }
  bool releases_by_force() const noexcept { return as_hertz_damper().releases_by_force(); }
};
static_assert(ContactLaw<KelvinVoigt>);

}  // namespace carom
