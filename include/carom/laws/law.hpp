#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

namespace carom {

/// The force of a contact by what becomes of its work. Signs (docs/conventions.md): compression
/// x > 0 in contact, its rate v > 0 approaching, a force >= 0 pushes apart.
struct Force {
  double conserved = 0.0;  ///< dV/dx [N]: its work is stored in the contact
  double lost = 0.0;       ///< the rest [N]: its work is gone, lost v >= 0

  double total() const noexcept { return conserved + lost; }
};

/// What a contact remembers of its own past since first touch. Most laws need none of it.
struct ContactMemory {
  double deepest = 0.0;    ///< compression at which the present unloading began [m]
  bool unloading = false;  ///< on an unloading branch

  bool operator==(const ContactMemory&) const = default;
};

/// What a compliant contact does. A law is a small value. Its functions hold *while bodies touch*:
/// when they begin and cease to is decided by the one state machine (contacts/) from
///   onset(m)  the compression at which they begin to touch (0 unless the law says otherwise),
///   edge(m)   the compression at which they cease to (likewise), and
///   releases_by_force()  true: they cease to as soon as the force falls to zero, with compression
///             left.
/// A law whose two parts cost more than their sum has total(x, v, m), the force alone.
/// A law whose force depends on its history has branches: while switching(x, v, m) > 0 the
/// present one holds, where it falls to zero flip(x, m) gives the memory of the next.
/// grade() is the power of the clock that makes the motion smooth at the edge (contacts/clock.hpp):
/// 2 where force and potential are polynomials in sqrt(x), 4 for any other powers.
template <class L>
concept ContactLaw = std::equality_comparable<L> &&
    requires(const L& law, double x, double v, const ContactMemory& m) {
  { law.force(x, v, m) }
  noexcept->std::same_as<Force>;
  { law.potential(x, m) }
  noexcept->std::same_as<double>;  // V [J], 0 at x = 0 under load
  { law.grade() }
  noexcept->std::same_as<int>;
};

/// x^n, with the powers of Hertz contact, springs and parabolas at their own cost; 0 for x <= 0.
inline double positive_power(double x, double n) noexcept {
  if (!(x > 0)) return 0.0;
  if (n == 1.5) return x * std::sqrt(x);
  if (n == 1.0) return x;
  if (n == 2.0) return x * x;
  return std::pow(x, n);
}

/// The clock for a force with the power x^n at the edge.
inline int grade_of_power(double n) noexcept { return std::floor(2 * n) == 2 * n ? 2 : 4; }

// What a law may leave out.

template <ContactLaw L>
double onset(const L& law, const ContactMemory& m) noexcept {
  if constexpr (requires { law.onset(m); }) return law.onset(m);
  return 0.0;
}

template <ContactLaw L>
double edge(const L& law, const ContactMemory& m) noexcept {
  if constexpr (requires { law.edge(m); }) return law.edge(m);
  return 0.0;
}

template <ContactLaw L>
bool releases_by_force(const L& law) noexcept {
  if constexpr (requires { law.releases_by_force(); }) return law.releases_by_force();
  return false;
}

/// A law with branches.
template <class L>
concept BranchingLaw = ContactLaw<L> &&
    requires(const L& law, double x, double v, const ContactMemory& m) {
  { law.switching(x, v, m) }
  noexcept->std::same_as<double>;
  { law.flip(x, m) }
  noexcept->std::same_as<ContactMemory>;
};

/// A law whose force is smooth piece by piece only: next_break(x, way, m) is the next compression
/// above (way > 0) or below x at which one of its derivatives jumps, infinite where there is none.
template <class L>
concept PiecewiseLaw = ContactLaw<L> &&
    requires(const L& law, double x, int way, const ContactMemory& m) {
  { law.next_break(x, way, m) }
  noexcept->std::same_as<double>;
};

/// A law f = dV/dx (1 + mu v). It has an invariant and, in other variables, a Hamiltonian
/// (steppers/invariant.hpp, symplectic.hpp).
template <class L>
concept ProportionalLaw = ContactLaw<L> && requires(const L& law) {
  { law.proportional_damping() }
  noexcept->std::same_as<double>;
};

/// What to evaluate many times in place of the law: numbers worked out beforehand where it has
/// prepared(), else a copy that the compiler knows to stay as it is.
template <ContactLaw L>
decltype(auto) prepared(const L& law) noexcept {
  if constexpr (requires { law.prepared(); }) {
    return law.prepared();
  } else if constexpr (std::is_trivially_copyable_v<L>) {
    return L(law);
  } else {
    return (law);
  }
}

/// The compression at which the law has stored `energy` [J] under load: the length of an impact.
template <ContactLaw L>
double length_of_energy(const L& law, double energy) noexcept {
  if constexpr (requires { law.length_of_energy(energy); }) {
    return law.length_of_energy(energy);
  } else {
    // V grows at least like a parabola beyond its foot: bracket by doubling, then bisect in ln x.
    const ContactMemory loading;
    if (!(energy > 0)) return 0.0;
    double low = 1e-12, high = 1e-12;
    while (law.potential(high, loading) < energy && high < 1e12) high *= 4;
    while (law.potential(low, loading) > energy && low > 1e-150) low /= 4;
    for (int i = 0; i < 40 && high > 1.01 * low; ++i) {
      const double middle = std::sqrt(low * high);
      (law.potential(middle, loading) < energy ? low : high) = middle;
    }
    return high;
  }
}

}  // namespace carom
