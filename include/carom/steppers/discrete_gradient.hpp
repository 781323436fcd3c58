#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include <carom/steppers/invariant.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/wall_problem.hpp>

namespace carom {

/// Mean of dV/dx over the path from a to b, (V(b) - V(a))/(b - a). What cancels in the difference
/// does not spoil the energy: the work over the path is that difference. Only over so short a path
/// that the force would be noise it is taken by Gauss' rule with four points: the work is too
/// small there for the kinks of tables and the fold of JKR to be seen in the energy.
template <ContactLaw Law>
double mean_elastic_force(const Law& law, double a, double b,
                          const ContactMemory& memory = {}) noexcept {
  const double middle = 0.5 * (a + b), half = 0.5 * (b - a);
  if (std::abs(half) < 1e-5 * std::abs(middle) || a == b) {
    constexpr std::array<std::array<double, 2>, 2> rule{
        {{0.3399810435848563, 0.3260725774312731}, {0.8611363115940526, 0.1739274225687269}}};
    double sum = 0.0;
    for (const auto& [node, weight] : rule) {
      sum += weight * (law.force(middle - node * half, 0.0, memory).conserved +
                       law.force(middle + node * half, 0.0, memory).conserved);
    }
    return sum;
  }
  return (law.potential(b, memory) - law.potential(a, memory)) / (b - a);
}

/// (e^z - 1)/z and (e^z - 1 - z)/z^2, to rounding for every z.
inline double exponential_mean(double z) noexcept { return z == 0 ? 1.0 : std::expm1(z) / z; }
inline double exponential_second_mean(double z) noexcept {
  if (std::abs(z) > 0.5) return (std::expm1(z) - z) / (z * z);
  double sum = 0.0, term = 0.5;
  for (int j = 3; j < 20; ++j) {
    sum += term;
    term *= z / j;
  }
  return sum;
}

/// The discrete gradient method. For a law f = dV/dx (1 + mu v) it is taken in the variables (x, w)
/// of symplectic.hpp, where the motion conserves K(w) + V/m, K = (e^(mu w) - 1 - mu w)/mu^2: the
/// step
///   w' - w = d = -h g/m,  x' - x = h (K(w') - K(w))/(w' - w),  g = (V(x') - V(x))/(x' - x)
/// conserves it exactly for every h. On a level of it the energy falls with v, and v falls in every
/// step, hence no step gains energy, and the speed at x = 0 is the exact one at any step size.
/// For any other law: m (v' - v)/h = -g - l + f_e, x' - x = h (v + v')/2, with the lost part l of
/// the force in the middle at the rate (x' - x)/h; the step loses l (x' - x) >= 0. One scalar
/// equation for x', solved by the secant within a bracket.
struct DiscreteGradient {
  static constexpr StepperTraits traits{.name = "discrete-gradient", .order = 2, .passive = true};
  static constexpr int max_iterations = 240;

  template <class Problem>
  ContactPoint step(const Problem& problem, ContactPoint s, double h) const noexcept {
    return problem.with_law([&]<class Law>(const WallProblemOf<Law>& known) -> ContactPoint {
      if constexpr (ProportionalLaw<Law>) return hamiltonian_step(known, s, h);
      return plain_step(known, s, h);
    });
  }

  template <class Problem>
  StepWork work(const Problem& problem, const ContactPoint& from, const ContactPoint& to,
                double h) const noexcept {
    return problem.with_law([&]<class Law>(const WallProblemOf<Law>& known) -> StepWork {
      if constexpr (ProportionalLaw<Law>) {
        // The external force acts as two kicks: its work is what they add to m v^2/2.
        const double m = known.mass, kick = h / 2 * known.force / m;
        const double v0 = from.v + kick, v1 = to.v - kick, mu = known.law.proportional_damping();
        const double supplied = known.force * h / 2 * (from.v + to.v);
        // Close to its limit -1/mu the speed does not tell any more where on the level the body is:
        // log(1 + mu v) is rounding. The potential does.
        if (1 + mu * std::min(v0, v1) < 1e-3) {
          const auto stored = [&](double x) {
            return known.law.potential(x - known.state.dent(), known.state.memory());
          };
          return {m / 2 * (v0 - v1) * (v0 + v1) + stored(from.x) - stored(to.x), supplied};
        }
        return {hunt_crossley_loss(m, mu, v0, v1), supplied};
      }
      const double moved = to.x - from.x;
      return {h > 0 ? lost(known, from.x, to.x, h) * moved : 0.0, known.force * moved};
    });
  }

 private:
  template <class Problem>
  static double lost(const Problem& problem, double x0, double x1, double h) noexcept {
    return problem.contact_force(0.5 * (x0 + x1), (x1 - x0) / h).lost;
  }

  template <ProportionalLaw Law>
  static ContactPoint hamiltonian_step(const WallProblemOf<Law>& problem, ContactPoint s,
                                       double h) noexcept {
    const Law& law = problem.law;
    const double m = problem.mass, mu = law.proportional_damping(), dent = problem.state.dent();
    const double kick = h / 2 * problem.force / m;
    const double v0 = s.v + kick;
    // x' as a function of the kick d of w, and d as a function of x'.
    const auto position = [&](double d) {
      const double z = mu * d;
      return s.x + h * (v0 * exponential_mean(z) + d * exponential_second_mean(z));
    };
    const auto kick_of = [&](double x) {
      return -h / m * mean_elastic_force(law, s.x - dent, x - dent, problem.state.memory());
    };
    // x - position(kick_of(x)) grows with x; with no force x is the free position.
    const double free = std::max(s.x, position(0.0));
    const double x = bracketed(std::min(s.x, position(kick_of(free))), free,
                               std::min(position(-h / m * s.f), free),
                               [&](double at) { return at - position(kick_of(at)); });
    const double d = kick_of(x);
    const double v = v0 + (1 + mu * v0) * d * exponential_mean(mu * d) + kick;
    return {x, v, problem.contact_force(x, v).total()};
  }

  template <ContactLaw Law>
  static ContactPoint plain_step(const WallProblemOf<Law>& problem, ContactPoint s,
                                 double h) noexcept {
    const Law& law = problem.law;
    const double m = problem.mass, dent = problem.state.dent(), share = h * h / (2 * m);
    const double free = s.x + h * s.v + share * problem.force;
    const auto force = [&](double x) {
      return mean_elastic_force(law, s.x - dent, x - dent, problem.state.memory()) +
             lost(problem, s.x, x, h);
    };
    double end = free - share * force(free);
    // A force that pulls may pull harder on the way there: JKR next to its fold.
    for (int i = 0; i < 60 && end > free && end - free + share * force(end) < 0; ++i) {
      end = free + 2 * (end - free);
    }
    const double x =
        bracketed(std::min(free, end), std::max(free, end),
                  std::clamp(free - share * s.f, std::min(free, end), std::max(free, end)),
                  [&](double at) { return at - free + share * force(at); });
    // v' = 2 (x' - x)/h - v, for a short displacement, where rounding of x' would grow with 1/h, by
    // the force.
    const double moved = x - s.x;
    const double v = std::abs(moved) < 0.01 * std::abs(x) ? s.v + h / m * (problem.force - force(x))
                                                          : 2 * moved / h - s.v;
    return {x, v, problem.contact_force(x, v).total()};
  }

  /// The zero of `mismatch`, which grows, between low and high, from x.
  template <class F>
  static double bracketed(double low, double high, double x, F&& mismatch) noexcept {
    if (!(x >= low && x <= high)) x = 0.5 * (low + high);
    double previous_x = 0.0, previous_r = 0.0;
    for (int i = 0; i < max_iterations; ++i) {
      const double r = mismatch(x);
      if (r == 0) break;
      (r > 0 ? high : low) = x;
      double next = i == 0 ? x - r : x - r * (x - previous_x) / (r - previous_r);
      if (!(next > low && next < high) || (i > 0 && std::abs(r) > 0.5 * std::abs(previous_r))) {
        next = 0.5 * (low + high);
      }
      previous_x = x, previous_r = r;
      const double change = std::abs(next - x);
      x = next;
      if (change <= 1e-16 * std::abs(x)) break;
    }
    return x;
  }
};

}  // namespace carom
