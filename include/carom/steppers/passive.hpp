#pragma once

#include <algorithm>
#include <cmath>

#include <carom/steppers/contact_flow.hpp>
#include <carom/steppers/discrete_gradient.hpp>
#include <carom/steppers/invariant.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// The default: a method that closes the energy balance of every step and gains energy in none,
/// whatever the stiffness, the rate and the phase.
///
/// A step of the contact's own size (ContactFlow; cut at samples) gives a trial state and the
/// energy D >= 0 that the damper took. The state is then moved along the gradient of the energy,
/// the shortest way, onto
///   m v'^2/2 + V(x') = m v^2/2 + V(x) - D + f_e (x' - x):
/// one scalar equation, solved by Newton within a bound. D >= 0 by construction, so the balance is
/// the proof of passivity. Steps follow the contact and not the samples, hence a contact of a
/// hundredth of a sample comes out as exactly as one of ten thousand.
/// A trial step that the equation cannot accept is halved; after `most_halvings` the discrete
/// gradient, which is passive at any length, takes the step. The order is that of its own steps,
/// seen where the tolerance does not choose them.
template <ContactLaw Law, int terms = 16>
class Passive {
 public:
  static constexpr StepperTraits traits{.name = "passive", .order = terms, .passive = true};
  static constexpr int most_iterations = 8;
  static constexpr int most_halvings = 6;
  static constexpr double far_from_limit = 0.1;  ///< of 1 + mu v

  explicit Passive(double tolerance = 1e-14) noexcept : tolerance_(tolerance) {}

  void begin(const ContactProblem<Law>& problem, ContactPoint& point) noexcept {
    scales_ = contact_scales(problem, point.x, point.v);
    flow_ = ContactFlow<Law, terms>(problem, scales_, tolerance_);
    point.f = problem.contact_force(point.x, point.v);
  }

  Advance advance(const ContactProblem<Law>& problem, ContactPoint& point, double dt) noexcept {
    return advance_along(flow_, problem, point, dt, [&](const ContactPoint& from, double most) {
      return closed_step(problem, from, most);
    });
  }

  const ContactExtremes& extremes() const noexcept { return flow_.extremes(); }

 private:
  using Step = typename ContactFlow<Law, terms>::Step;

  Step closed_step(const ContactProblem<Law>& problem, const ContactPoint& from,
                   double most) noexcept {
    for (int i = 0; i < most_halvings; ++i) {
      Step step = flow_.step(from, most);
      if (close(problem, from, step)) return step;
      most = 0.5 * step.h;
    }
    const ContactPoint to = DiscreteGradient{}.step(problem, from, most);
    return {to, most,
            std::max(0.0, problem.energy(from.x, from.v) - problem.energy(to.x, to.v) +
                              problem.force * (to.x - from.x)),
            !(to.x > 0)};
  }

  /// Moves the end of `step` onto the balance. The distance is measured in the scales of the
  /// impact, so that near the turning point x gives way and near x = 0 v does. Without external
  /// force the loss of a Hunt-Crossley contact is known in closed form as a function of v; it is
  /// used where it is well conditioned, away from the limit speed -1/mu.
  bool close(const ContactProblem<Law>& problem, const ContactPoint& from, Step& step) noexcept {
    const double m = problem.mass, fe = problem.force, n = problem.law.exponent;
    const double mu = damping(problem.law).mu;
    const bool closed_form =
        mu > 0 && fe == 0 && 1 + mu * std::min(from.v, step.to.v) > far_from_limit;
    // The same expression at both ends, so that its rounding does not add up over the steps.
    const double from_potential = problem.law.elastic_force(from.x) * from.x / (n + 1);
    const double size = 0.5 * m * from.v * from.v + from_potential + std::abs(fe) * from.x;
    const bool at_surface = step.released && !releases_at_zero_force(problem.law);
    double x = at_surface ? 0.0 : step.to.x, v = step.to.v;
    const double weight_x = at_surface ? 0.0 : scales_.length * scales_.length;
    const double weight_v = scales_.speed * scales_.speed;
    bool closed = false;
    for (int i = 0; i < most_iterations && !closed; ++i) {
      const double elastic = problem.law.elastic_force(x);
      const double kinetic =
          closed_form ? level_change(mu, from.v, v) : 0.5 * (v - from.v) * (v + from.v);
      const double excess = m * kinetic + elastic * x / (n + 1) - from_potential -
                            fe * (x - from.x) + (closed_form ? 0.0 : step.dissipated);
      // Below rounding there is nothing to close; at rest the slopes vanish as well.
      closed = std::abs(excess) <= 2e-16 * size;
      if (closed) break;
      const double slope_x = elastic - fe, slope_v = closed_form ? m * v / (1 + mu * v) : m * v;
      const double scale = slope_x * slope_x * weight_x + slope_v * slope_v * weight_v;
      const double move = scale > 0 ? excess / scale : 0.0;
      const double dx = move * slope_x * weight_x, dv = move * slope_v * weight_v;
      if (!(std::abs(excess) < 1e-3 * size)) return false;
      x -= dx;
      v -= dv;
      if (!at_surface && !(x > 0)) return false;
      closed = std::abs(dx) <= 2e-16 * std::abs(x) && std::abs(dv) <= 2e-16 * std::abs(v);
    }
    step.to.x = x;
    step.to.v = v;
    if (closed_form) step.dissipated = std::max(0.0, hunt_crossley_loss(m, mu, from.v, v));
    return closed && (!step.released || v < 0);
  }

  double tolerance_;  ///< relative, of one step
  ContactFlow<Law, terms> flow_;
  ContactScales scales_{};
};

}  // namespace carom
