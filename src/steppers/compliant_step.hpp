#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <carom/laws/law.hpp>
#include <carom/steppers/contact_space.hpp>

namespace carom {

/// A law that is there from x = 0 to x = 0 and does not depend on its history: whether bodies
/// touch need not be remembered, the compression says it.
template <class Law>
inline constexpr bool remembers_touch = BranchingLaw<Law> ||
                                        requires(const Law& law, const ContactMemory& m) {
  law.onset(m);
}
|| requires(const Law& law, const ContactMemory& m) { law.edge(m); };

/// One compliant contact over one step. With x^-, x, x+ the compressions of the last, the present
/// and the next step and r = gap+ - gap^- = x^- - x+ the unknown,
///   p(r) = dt [V(x+) - V(x^-)]/(x+ - x^-) + dt s d(x, (x+ - x^-)/(2 dt)),
/// d the law's lost force and s the share of the path from x^- to x+ on which bodies touch. A
/// damper thus acts for just as long as bodies touch, and the scheme is of second order also where
/// its force jumps at x = 0. For convex V and d that grows with the rate, p falls with r.
///
/// Energy. The bodies gain p (gap+ - gap^-)/(2 dt) in the step (ModeStep), the contact's store
/// [V(x+) + V(x)]/2 gains [V(x+) - V(x^-)]/2, and the sum is -s d (x+ - x^-)/2 <= 0 because
/// d v >= 0: the loss.
/// If the law does not pull, p is not allowed to either: p = 0 where the formula gives p < 0. Its
/// first part is not negative, so the second is, so x+ < x^-: what the store gives up,
/// [V(x^-) - V(x+)]/2 >= 0, is then lost as a whole.
template <ContactLaw Law>
class CompliantStep {
 public:
  CompliantStep(const Law& law, const LawBehaviour& behaviour, const CompliantState& state,
                double before, double now, double dt) noexcept
      : law_(law), behaviour_(behaviour), state_(state), dt_(dt), x0_(-before), x_(-now) {
    if constexpr (remembers_touch<Law>) {
      lower_ = state.touching ? edge(law, state.memory) : onset(law, state.memory);
      const double there = law.potential(lower_, state.memory);
      (state.touching ? rest_ : offset_) = there;
    }
    stored_before_ = potential(x0_);
  }

  struct Response {
    double impulse, slope;  ///< p(r) [N s] and about dp/dr
  };
  Response respond(double r) const noexcept {
    const double x1 = x0_ - r;
    if ((x0_ <= lower_ && x1 <= lower_) || state_.released) return {.impulse = 0, .slope = 0};
    Response response = stored_part(r);
    if (behaviour_.damped) {
      const double lost = lost_impulse(r), h = 1e-7 * (std::abs(x0_) + std::abs(r));
      const bool proportional = behaviour_.linear && x0_ > lower_ && x1 > lower_ && r != 0;
      response.impulse += lost;
      response.slope += proportional ? lost / r : (lost_impulse(r + h) - lost) / h;
    }
    if (response.impulse < 0 && !behaviour_.pulls) return {.impulse = 0, .slope = 0};
    return response;
  }

  /// What a step with this r comes to.
  struct Outcome {
    double loss;   ///< [J]
    double after;  ///< V(x+)
    bool let_go;   ///< p = 0 in place of a pull
  };
  Outcome outcome(double r) const noexcept {
    const double x1 = x0_ - r, after = potential(x1);
    if (x0_ <= lower_ && x1 <= lower_) return {0, after, state_.released};
    const double lost = behaviour_.damped && !state_.released ? lost_impulse(r) : 0;
    const double given_up = stored_before_ - after;
    const bool would_pull = lost < 0 && !behaviour_.pulls && dt_ * given_up + lost * r < 0;
    if (state_.released || would_pull) return {given_up / 2, after, true};
    return {-lost * r / (2 * dt_), after, false};
  }

  /// V in the present state, and constant where bodies do not touch.
  double potential(double x) const noexcept {
    return x > lower_ ? law_.potential(x, state_.memory) - offset_ : rest_;
  }

 private:
  double conserved(double x) const noexcept {
    return x > lower_ ? law_.force(x, 0.0, state_.memory).conserved : 0.0;
  }

  // The secant of V has a removable singularity at r = 0; near it the average of the force over the
  // step, by Simpson's rule, is exact to (r/x)^4.
  Response stored_part(double r) const noexcept {
    const double x1 = x0_ - r, size = std::max(x0_, x1) - lower_;
    if (std::abs(r) < 1e-3 * size) {
      const double middle = (x0_ + x1) / 2;
      const double f0 = conserved(x0_), f1 = conserved(x1), fm = conserved(middle);
      const double slope = std::abs(r) > 1e-8 * size
                               ? (f0 - f1) / r
                               : (conserved(middle + 1e-6 * size) - fm) / (1e-6 * size);
      return {.impulse = dt_ * (f0 + 4 * fm + f1) / 6, .slope = -dt_ * slope / 2};
    }
    const double secant = (stored_before_ - potential(x1)) / r;
    return {.impulse = dt_ * secant, .slope = dt_ * (conserved(x1) - secant) / r};
  }

  double lost_impulse(double r) const noexcept {
    const double x1 = x0_ - r;
    const double from = std::max(x0_, lower_), to = std::max(x1, lower_);
    if (from == lower_ && to == lower_) return 0;
    const double share = x0_ > lower_ && x1 > lower_ ? 1.0 : (from - to) / r;
    const double rate = -r / (2 * dt_);
    const double lost = law_.force(std::max(x_, lower_), rate, state_.memory).lost;
    return lost * rate > 0 ? dt_ * share * lost : 0;  // not on a branch that has ceased to hold
  }

  const Law& law_;
  const LawBehaviour& behaviour_;
  const CompliantState& state_;
  double dt_, x0_, x_;
  double lower_ = 0.0;                // bodies touch above this compression
  double offset_ = 0.0, rest_ = 0.0;  // of the potential: while apart V starts from zero
  double stored_before_ = 0.0;
};

/// The law is asked at compressions and rates of all sizes.
template <ContactLaw Law>
LawBehaviour behaviour_of(const Law& law) noexcept {
  const ContactMemory memory;
  LawBehaviour found;
  found.branches = BranchingLaw<Law>;
  found.remembers_touch = remembers_touch<Law>;
  found.by_force = releases_by_force(law);
  const double start = onset(law, memory), end = edge(law, memory);
  // Bodies that hold on beyond where they touch pull on the way, however short it is.
  if (end < start) found.pulls = law.force((start + end) / 2, 0.0, memory).total() < 0;
  double growth = 0;
  for (double x = 1e-8; x < 0.2; x *= 10) {
    const double ratio = law.potential(2 * x, memory) / law.potential(x, memory);
    if (growth == 0) growth = ratio;
    found.power = found.power && std::abs(ratio - growth) <= 1e-9 * growth;
    for (const double depth : {start + x, end + x}) {
      for (double v = 1e-4; v < 1e7; v *= 100) {
        const double closing = law.force(depth, v, memory).lost;
        const Force opening = law.force(depth, -v, memory);
        found.damped = found.damped || closing != 0 || opening.lost != 0;
        found.pulls = found.pulls || opening.total() < 0;
        const double twice = law.force(depth, 2 * v, memory).lost;
        found.linear = found.linear && std::abs(twice - 2 * closing) <= 1e-9 * std::abs(twice);
      }
    }
  }
  found.pulls = found.pulls && !found.by_force;
  return found;
}

}  // namespace carom
