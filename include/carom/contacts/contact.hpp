#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <variant>

#include <carom/core/archive.hpp>
#include <carom/laws/catalogue.hpp>

namespace carom {

/// What is left of the compression after a release by force.
enum class Surface {
  /// The surface comes back behind the body without touching it with any force; what it still
  /// stores is lost in its own damper on the way. The next contact begins at the undeformed
  /// surface, or where the body turns round if it has not left the dent by then.
  recovers,
  /// poursina2020 Sect. 3, "permanent penetration": the dent stays, its elastic energy is lost at
  /// once, and the next contact begins at the bottom of the dent.
  keeps_indentation,
};

/// A finished contact. Speeds are magnitudes.
struct ImpactRecord {
  double time = 0.0;                    ///< of first touch [s]
  double speed_in = 0.0;                ///< [m/s]
  double speed_out = 0.0;               ///< [m/s]
  double contact_time = 0.0;            ///< [s]
  double max_compression = 0.0;         ///< [m]; the largest the method has seen
  double max_force = 0.0;               ///< [N]; likewise
  double separation_compression = 0.0;  ///< [m]
  /// NaN for a contact that began at no speed.
  double restitution() const noexcept { return speed_in > 0 ? speed_out / speed_in : std::nan(""); }
};

/// What acts between two bodies where a gap closes.
struct Contact {
  AnyLaw law = PowerLaw{1.0};
  Surface surface = Surface::recovers;
};

enum class Phase : std::uint8_t {
  apart,
  touching,
  recovering,  ///< the body leaves faster than the surface comes back: no force, compression left
  resting,     ///< held for good by the forces that press it on
};

/// The state machine of a contact; there is no other. Its rows are
///   apart       x rises to the onset                        -> touching, -V(onset) is lost
///   touching    x falls to the edge                         -> apart, V(edge) is lost
///   touching    the force falls to zero (releases_by_force) -> recovering, or apart and V is lost
///                                                              where the surface keeps its dent
///   touching    the branch of the law ends                  -> touching, memory of the next branch
///   touching    the same above the onset (plastic branches) -> recovering, along its last branch
///   recovering  x falls to 0                                -> apart; V is lost on the way
///   recovering  the body turns round, or in a plastic dent  -> touching
///               x rises to the edge again
/// and rest, which the march declares (contact_march.hpp). A method asks for the guards, goes no
/// further than to the first zero of one of them, and lets it pass there.
class ContactState {
 public:
  /// Guards are positive while a phase holds and fall through zero where it ends. Two at most.
  using Guards = std::array<double, 2>;
  static constexpr double holds = 1e300;  ///< a guard that is not there

  Phase phase() const noexcept { return phase_; }
  bool touching() const noexcept { return phase_ == Phase::touching; }
  const ContactMemory& memory() const noexcept { return memory_; }
  double dent() const noexcept { return dent_; }  ///< kept from earlier contacts [m]

  /// The compression at which this contact begins, and the one at which it ends unless by force.
  double onset(const Contact& contact) const noexcept;
  double edge(const Contact& contact) const noexcept;

  Force force(const Contact& contact, double x, double v) const noexcept;  ///< while touching
  double potential(const Contact& contact, double x) const noexcept {      ///< [J]; 0 apart
    return phase_ == Phase::apart ? 0.0 : stored(contact, x);
  }
  /// Both at once while touching, where a law has a power in common to them.
  struct Load {
    double force, potential;  ///< [N], [J]
  };
  Load load(const Contact& contact, double x, double v) const noexcept;

  Guards guards(const Contact& contact, double x, double v) const noexcept;
  /// The same while touching, of a law that is known.
  template <ContactLaw Law>
  Guards guards(const Law& law, double x, double v) const noexcept {
    Guards both{x - dent_ - carom::edge(law, memory_), holds};
    // A force that vanishes while bodies approach is no release. A weak damper lets go so close to
    // the edge that the edge itself is the end.
    if (releases_by_force(law) && both[0] > 0) {
      both[0] = v < 0 ? law.force(x - dent_, v, memory_).total() : holds;
    }
    if constexpr (BranchingLaw<Law>) both[1] = law.switching(x - dent_, v, memory_);
    return both;
  }
  /// The next compression above (way > 0) or below x at which the force of the law is not smooth;
  /// infinite where there is none.
  double next_break(const Contact& contact, double x, int way) const noexcept;
  /// Whether the phase ends by reaching the edge, where the force has its singularity.
  bool ends_at_edge(const Contact& contact) const noexcept;
  /// Recovering from a plastic branch: no force and no energy below the edge it left at.
  bool in_plastic_dent(const Contact& contact) const noexcept;

  /// Lets the phase end through guard `which` at (x, v). Returns the energy that is lost [J].
  double pass(const Contact& contact, int which, double x, double v) noexcept;
  void rest() noexcept { phase_ = Phase::resting; }
  void touch() noexcept;  ///< begins a contact anew
  void part() noexcept { phase_ = Phase::apart; }
  void archive(Archive& state) {
    state(phase_, memory_.deepest, memory_.unloading, dent_);
    state.require(phase_ <= Phase::resting);
  }

 private:
  double stored(const Contact& contact, double x) const noexcept;

  Phase phase_ = Phase::apart;
  ContactMemory memory_;
  double dent_ = 0.0;
};

/// The power of the clock at the edge of its law.
int grade_of(const Contact& contact) noexcept;

/// How a gap moves at one instant.
struct GapMotion {
  double x, v;  ///< compression [m] and its rate [m/s]
};
/// When between two instants, h apart, the cubic through both motions has its summit, if that is
/// beyond the onset while both ends are not [s]; 0: it is not.
double summit_beyond(double onset, const GapMotion& a, const GapMotion& b, double h) noexcept;

/// The end of a phase in free flight, x = x0 + v0 t + a t^2/2.
struct Crossing {
  double time;  ///< from now [s], >= 0
  int guard;
};
/// The first end of the phase of a contact without force (apart or recovering); `time` is infinite
/// when there is none.
Crossing next_crossing(const ContactState& state, const Contact& contact, double x0, double v0,
                       double a) noexcept;

}  // namespace carom
