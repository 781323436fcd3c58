#pragma once

#include <algorithm>
#include <cmath>

#include <carom/laws/fields.hpp>
#include <carom/laws/law.hpp>

namespace carom {

/// When a spring with a parallel damper lets go.
enum class Release {
  zero_force,  ///< poursina2020 eq. (20): as soon as the force would pull; compression is left
  zero_compression,  ///< the textbook rule: at x = 0, after a phase in which the contact pulls
};

inline constexpr std::array<std::string_view, 2> release_names{"zero-force", "zero-compression"};

template <class Law>
constexpr ChoiceField<Law, Release> release_field(Release Law::*member) {
  return {"release", member, release_names,
          "when the damper lets go: as soon as it would pull, or at x = 0"};
}

/// f = k x^n + c v.  poursina2020 eq. (7); Kelvin-Voigt for n = 1.
struct HertzDamper {
  double stiffness;       ///< k [N/m^n], > 0
  double exponent = 1.5;  ///< n, >= 1
  double damping = 0.0;   ///< c [N s/m], >= 0
  Release release = Release::zero_force;

  static constexpr LawText text{"hertz-damper", "HertzDamper",
                                "spring of any exponent with a parallel linear damper",
                                "f = k x^n + c v", "poursina2020 eq. (7)"};
  static constexpr std::tuple fields{
      stiffness_field(&HertzDamper::stiffness), exponent_field(&HertzDamper::exponent),
      damping_field(&HertzDamper::damping, "N s/m", "c of the linear damper"),
      release_field(&HertzDamper::release)};

  bool operator==(const HertzDamper&) const = default;

  double elastic_force(double x) const noexcept { return stiffness * positive_power(x, exponent); }
  double force(double x, double v) const noexcept {
    if (!(x > 0)) return 0.0;
    const double f = elastic_force(x) + damping * v;
    return release == Release::zero_force ? std::max(0.0, f) : f;
  }
  double potential(double x) const noexcept {
    return x > 0 ? elastic_force(x) * x / (exponent + 1) : 0.0;
  }

  // While bodies touch.
  Force force(double x, double v, const ContactMemory&) const noexcept {
    return {elastic_force(x), damping * v};
  }
  double potential(double x, const ContactMemory&) const noexcept { return potential(x); }
  int grade() const noexcept { return grade_of_power(exponent); }
  double length_of_energy(double energy) const noexcept {
    return std::pow((exponent + 1) * energy / stiffness, 1 / (exponent + 1));
  }
  bool releases_by_force() const noexcept { return release == Release::zero_force && damping > 0; }
};
static_assert(ContactLaw<HertzDamper>);

}  // namespace carom
