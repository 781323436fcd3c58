#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <carom/core/archive.hpp>
#include <carom/core/error.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/steppers/impact_contacts.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// How the event-driven method finds the state at an impact.
enum class ImpactInstant {
  resolved,      ///< the length of the step is changed until the gap closes: keeps energy
  interpolated,  ///< paoli2007 eq. (17) within the full step, as in the paper; loses some energy
};

/// The rule of motion between impacts; both are of second order and keep the energy of a linear
/// system exactly. Where the mass matrix depends on q they differ: the energy of Newmark's rule
/// swings by O(dt^2), and every impact keeps what the swing happens to be; at the midpoint that
/// swing is smaller by two orders of magnitude (measured on the bar: docs/which_method.md).
enum class FlightRule {
  midpoint,  ///< w+ = w + dt F((q + q+)/2, (w + w+)/2),  q+ = q + dt (w + w+)/2
  newmark,   ///< paoli2007 (15), (16), as in the paper
};

struct NewmarkImpactsSettings {
  NonsmoothSettings common = {};
  ImpactInstant instant = ImpactInstant::resolved;
  FlightRule flight = FlightRule::midpoint;  ///< eq. (17) belongs to Newmark's, which it implies
  /// A contact that would leave more slowly than this is held: infinitely many bounces end in
  /// sticking [m/s], > 0.
  double sticking_speed = 1e-9;
};

/// The event-driven method of paoli2007 Sect. 4.1 for any system with gaps: between impacts
/// Newmark's trapezoidal rule,
///   q+ = q + dt w + dt^2/4 (F + F+),   w+ = w + dt/2 (F + F+),   F = M^-1 f(t, q, w)   (15), (16),
/// or the midpoint rule (FlightRule), a search for the instant when a gap closes, the impact law
/// for all contacts closed then,
///   0 <= u+ + e u-  _|_  p >= 0,   u = G w + dg/dt,
/// and a new start. Contacts that no longer leave are held by multipliers
///   0 <= g''  _|_  lambda >= 0
/// until their multiplier vanishes. A step() ends at the end of dt or at an impact.
template <SystemWithGaps S, class D = DynamicsOf<S>>
class NewmarkImpacts {
 public:
  static constexpr StepperTraits traits{"event-driven", 2, false};

  NewmarkImpacts(const S& system, const std::vector<NewtonRestitution>& laws,
                 const MotionState& start, const NewmarkImpactsSettings& settings)
      : system_(&system),
        settings_(settings.common),
        instant_(settings.instant),
        at_midpoint_(settings.instant == ImpactInstant::resolved &&
                     settings.flight == FlightRule::midpoint),
        sticking_speed_(settings.sticking_speed),
        restitution_(restitutions(laws, system.contacts())),
        dynamics_(system),
        gaps_(system, validated(start, system.coordinates()).q, settings.common.step),
        contacts_(system.contacts(), system.coordinates(), settings.common.contact),
        held_(static_cast<std::size_t>(system.contacts()), 0),
        closed_(held_),
        met_(held_),
        q_(start.q),
        w_(start.v),
        clock_(settings.common.step) {
    validate(settings_);
    require_positive("sticking_speed", sticking_speed_);
    for (Eigen::VectorXd* x :
         {&F_, &last_F_, &F1_, &q1_, &w1_, &travel_, &residual_, &change_, &probe_}) {
      x->setZero(system.coordinates());
    }
    for (Eigen::VectorXd* x : {&impulses_, &forces_, &last_forces_, &gap_, &gap1_, &rhs_, &rates_,
                               &drift_, &curvature_, &law_, &rates_before_, &rates_after_}) {
      x->setZero(system.contacts());
    }
    probe_gradients_.setZero(system.contacts(), system.coordinates());
    dynamics_.set_position(q_);
    const double kinetic = dynamics_.kinetic_energy(w_);
    energy_ = kinetic + dynamics_.potential_energy();
    ledger_ = Ledger(energy_);
    // Contacts closed at the start are met like an impact; one that moves inward bounces at once.
    gaps_.gaps(time(), q_, gap_);
    for (Eigen::Index i = 0; i < gap_.size(); ++i) {
      closed_[index(i)] = gap_[i] <= 0.0 && gaps_.touchable(i, q_) ? 1 : 0;
    }
    apply_impact();
    close();
    last_F_ = F_;
    // From rest the scale of velocity is what the forces give within a step.
    largest_kinetic_ =
        std::max(kinetic, settings_.step * settings_.step * dynamics_.kinetic_energy(F_));
  }

  void step() {
    impulses_.setZero();
    last_forces_ = forces_;
    double length = 0.0;
    const Eigen::Index hit = go_on(length);
    account_flight(length);
    last_F_.swap(F_);
    q_.swap(q1_);
    w_.swap(w1_);
    F_.swap(F1_);
    if (hit < 0 || length == clock_.length()) {
      clock_.tick();
    } else {
      clock_.jump(time() + length);
    }
    last_length_ = length;
    if (hit >= 0) {
      apply_impact();
      met_ = closed_;
      last_F_ = F_;
      last_length_ = settings_.step;
    } else {
      if (at_midpoint_) dynamics_.set_position(q_);
      release();
      std::fill(met_.begin(), met_.end(), 0);
    }
    gaps_.follow(time(), q_);
    close();
  }

  void end_at(double end) noexcept { clock_.end_at(end); }
  double time() const noexcept { return clock_.time(); }
  const Ledger& ledger() const noexcept { return ledger_; }
  const StepReport& report() const noexcept { return report_; }
  const Eigen::VectorXd& position() const noexcept { return q_; }
  const Eigen::VectorXd& velocity() const noexcept { return w_; }
  /// Impulses of the impact that ended the step [N s]; zero without one.
  const Eigen::VectorXd& impulses() const noexcept { return impulses_; }
  /// Rates of the gaps before and after the last impact, < 0 closing [m/s].
  const Eigen::VectorXd& rates_before() const noexcept { return rates_before_; }
  const Eigen::VectorXd& rates_after() const noexcept { return rates_after_; }
  const Eigen::VectorXd& holding_forces() const noexcept { return forces_; }  ///< [N]
  bool impact() const noexcept { return impulses_.size() > 0 && impulses_.maxCoeff() > 0.0; }
  /// An impact ended the step or some contact is held.
  bool touching() const noexcept {
    return impact() || std::any_of(held_.begin(), held_.end(), [](char c) { return c != 0; });
  }
  double kinetic_energy() const noexcept { return kinetic_; }  ///< [J]
  double energy() const noexcept { return energy_; }           ///< [J]
  void archive(Archive& state) {
    state(gaps_, held_, closed_, met_, q_, w_, F_, last_F_, impulses_, forces_, clock_,
          last_length_, largest_kinetic_, kinetic_, energy_, ledger_, report_);
  }

 private:
  static std::size_t index(Eigen::Index i) noexcept { return static_cast<std::size_t>(i); }
  /// Of a gap at q [m].
  static double rounding(const Eigen::VectorXd& q) noexcept {
    return 2.0 * std::numeric_limits<double>::epsilon() * q.cwiseAbs().maxCoeff();
  }
  bool holding() const noexcept {
    return std::any_of(held_.begin(), held_.end(), [](char c) { return c != 0; });
  }

  /// (q1, w1, F1) at the end of the step or at the impact that ends it: which contact, and after
  /// what length. -1 without one.
  Eigen::Index go_on(double& length) {
    while (true) {
      length = clock_.length();
      fly(length);
      const Eigen::Index hit = find_impact(length);
      if (hit < 0) return hit;
      go_to_impact(hit, length);
      if (gaps_.touchable(hit, q1_)) return hit;
      gaps_.pass(hit);
    }
  }

  /// (q1, w1, F1) from (q, w, F) over h; F1 is the acceleration at the end of the step, or at its
  /// middle, where F serves as a guess only. The contacts held stay held unless they let go.
  void fly(double h) {
    const bool hold = holding();
    const double t = time() + (at_midpoint_ ? 0.5 * h : h);  // of F1
    const double reach = 0.25 * h * h;
    F1_ = F_ + (h / last_length_) * (F_ - last_F_);  // continued from the last step
    StepIteration iteration;
    while (true) {
      if (at_midpoint_) {
        q1_ = q_ + 0.5 * h * w_ + reach * F1_;
        w1_ = w_ + 0.5 * h * F1_;
      } else {
        arrive(h);
      }
      dynamics_.set_position(q1_);
      if (iteration.count() == 0) {
        if (!dynamics_.factor(reach)) report_.fail(StepStatus::mass_not_definite, time(), 0.0);
        if (hold) {
          contacts_.update(gaps_, dynamics_, t, q1_);
          find_curvature(t);
        }
      }
      dynamics_.residual(t, w1_, F1_, residual_);
      dynamics_.solve(residual_, change_);
      if (hold) {
        probe_ = F1_ + change_;
        hold_contacts(probe_, t, time() + h, 0.1 / settings_.step);
        change_.noalias() += contacts_.images() * forces_;
        residual_.noalias() += contacts_.gradients().transpose() * forces_;
      }
      F1_ += change_;
      const double moved = h * std::sqrt(std::max(0.0, change_.dot(residual_)));
      const double scale =
          std::sqrt(2.0 * (largest_kinetic_ > 0.0 ? largest_kinetic_
                                                  : h * h * dynamics_.kinetic_energy(F1_)));
      if (iteration.converged(moved, scale, settings_.tolerance)) break;
      if (iteration.count() >= settings_.max_iterations) {
        report_.fail(StepStatus::not_converged, time(), iteration.last() / scale);
        break;
      }
    }
    report_.iterations = std::max(report_.iterations, iteration.count());
    arrive(h);
  }

  /// (q1, w1) at the end of a step h with the accelerations found. q1 - q stays in `travel`.
  void arrive(double h) {
    if (at_midpoint_) {
      travel_ = h * w_ + 0.5 * h * h * F1_;
      w1_ = w_ + h * F1_;
    } else {
      travel_ = h * w_ + 0.25 * h * h * (F_ + F1_);
      w1_ = w_ + 0.5 * h * (F_ + F1_);
    }
    q1_ = q_ + travel_;
  }

  /// What of g'' is not G w': the change of G w + dg/dt at (t, q1, w1) for a constant w, by a
  /// difference along the motion; zero for gaps at rest that are linear in q.
  void find_curvature(double t) {
    const double h = 1e-3 * settings_.step;
    probe_ = q1_ + h * w1_;
    gaps_.gradients(t + h, probe_, probe_gradients_);
    probe_gradients_ -= contacts_.gradients();
    curvature_.noalias() = probe_gradients_ * w1_;
    if (gaps_.moving()) {
      gaps_.rates(t + h, probe_, gap1_);
      curvature_ += gap1_;
      gaps_.rates(t, q1_, gap1_);
      curvature_ -= gap1_;
    }
    curvature_ /= h;
  }

  /// Multipliers of the contacts held, for the acceleration `a` that would be without them. The
  /// gap obeys g'' + 2 c g' + c^2 g = 0 (Baumgarte), so that curved gaps do not drift. (q1, w1) is
  /// the motion at `t`; g is that at `end`.
  void hold_contacts(const Eigen::VectorXd& a, double t, double end, double c) {
    if (at_midpoint_) {  // the end of the step is what must lie on the gap, not its middle
      travel_ = 2.0 * q1_ - q_;
      gaps_.gaps(end, travel_, gap1_);
    } else {
      gaps_.gaps(end, q1_, gap1_);
    }
    relative_velocity(t, q1_, w1_, contacts_.gradients());
    rhs_.noalias() = contacts_.gradients() * a;
    rhs_ += curvature_ + 2.0 * c * rates_ + c * c * gap1_;
    const LcpResult result = contacts_.solve(held_, rhs_, forces_);
    if (result.status != LcpStatus::solved)
      report_.fail(StepStatus::contact_not_solved, time(), result.residual);
  }

  /// The contact that closes first within `length`, and when: from the parabola through its gap and
  /// rate now and its gap at the end, eq. (17) for gaps linear in q. -1 if none closes.
  Eigen::Index find_impact(double& length) {
    const double h = length;
    gaps_.gaps(time() + h, q1_, gap1_);
    if (gap1_.size() == 0 || !(gap1_.minCoeff() < 0.0)) return -1;
    gaps_.gaps(time(), q_, gap_);
    gaps_.gradients(time(), q_, probe_gradients_);
    relative_velocity(time(), q_, w_, probe_gradients_);
    Eigen::Index first = -1;
    for (Eigen::Index i = 0; i < gap_.size(); ++i) {
      if (gap1_[i] >= 0.0 || held_[index(i)] != 0) continue;
      if (!gaps_.touchable(i, q1_) && !gaps_.touchable(i, q_)) continue;
      const double gap = met_[index(i)] != 0 ? 0.0 : gap_[i];
      const double t = closing_time(gap, rates_[i], gap1_[i], h);
      if (t < length || first < 0) {
        length = t;
        first = i;
      }
    }
    return first;
  }

  /// Smallest positive root of g + rate t + curvature t^2, which is `after` < 0 at h. For a contact
  /// just met g is zero and its root at zero is not meant.
  static double closing_time(double g, double rate, double after, double h) noexcept {
    if (g <= 0.0) {
      const double curvature = (after - h * rate) / (h * h);
      return rate > 0.0 ? std::min(h, -rate / curvature) : 0.0;
    }
    const double curvature = (after - g - h * rate) / (h * h);
    const double root = std::sqrt(std::max(0.0, rate * rate - 4.0 * curvature * g));
    const double t = rate <= 0.0 ? 2.0 * g / (root - rate) : -(rate + root) / (2.0 * curvature);
    return std::min(h, t);
  }

  /// The state when contact `hit` closes, in (q1, w1, F1); `length` becomes its time in the step.
  void go_to_impact(Eigen::Index hit, double& length) {
    if (length == 0.0) {
      q1_ = q_;
      w1_ = w_;
      F1_ = F_;
    } else if (instant_ == ImpactInstant::interpolated) {
      arrive(length);
    } else {
      resolve_impact(hit, length);
    }
    // Closed with it: everything held, and gaps within what the speeds cover in 1e-9 of a step or
    // within rounding, where two corners that settle would otherwise wake each other for ever.
    gaps_.gaps(time() + length, q1_, gap1_);
    gaps_.gradients(time() + length, q1_, probe_gradients_);
    relative_velocity(time() + length, q1_, w1_, probe_gradients_);
    const double reach =
        std::max(1e-9 * settings_.step * rates_.cwiseAbs().maxCoeff(), rounding(q1_));
    for (Eigen::Index i = 0; i < gap1_.size(); ++i) {
      const bool closed =
          i == hit || held_[index(i)] != 0 || (gap1_[i] <= reach && gaps_.touchable(i, q1_));
      closed_[index(i)] = closed ? 1 : 0;
    }
  }

  /// Changes the length of the step until the gap of `hit` is zero at its end: Newton
  /// within a bracket. Bounces shorter than a step end below the rounding of q: from a contact just
  /// met the gap is taken from the increment of q, along the gradient half-way.
  void resolve_impact(Eigen::Index hit, double& length) {
    constexpr int max_halvings = 40;
    const bool met = met_[index(hit)] != 0;
    double low = 0.0, high = clock_.length(), t = length;
    for (int k = 0; k < max_halvings; ++k) {
      fly(t);
      double gap = 0.0;
      if (met) {
        probe_ = q_ + 0.5 * travel_;
        gaps_.gradients(time() + 0.5 * t, probe_, probe_gradients_);
        gaps_.rates(time() + 0.5 * t, probe_, drift_);
        gap = probe_gradients_.row(hit).dot(travel_) + t * drift_[hit];
      } else {
        gaps_.gaps(time() + t, q1_, gap1_);
        gap = gap1_[hit];
      }
      gaps_.gradients(time() + t, q1_, probe_gradients_);
      gaps_.rates(time() + t, q1_, drift_);
      const double rate = probe_gradients_.row(hit).dot(w1_) + drift_[hit];
      (gap > 0.0 ? low : high) = t;
      if (std::abs(gap) <= std::max(1e-10 * std::abs(rate) * t, met ? 0.0 : rounding(q1_))) break;
      double next = t - gap / rate;
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (high - low <= 1e-12 * high || k + 1 == max_halvings) break;
      t = next;
    }
    length = t;
  }

  /// The impact law at (q, w) for the contacts closed, then which of them are held and the
  /// acceleration that follows.
  void apply_impact() {
    dynamics_.set_position(q_);
    if (!dynamics_.factor()) report_.fail(StepStatus::mass_not_definite, time(), 0.0);
    contacts_.update(gaps_, dynamics_, time(), q_);
    relative_velocity(time(), q_, w_, contacts_.gradients());
    for (Eigen::Index i = 0; i < rates_.size(); ++i) {
      const double e = restitution_[index(i)];
      law_[i] = e * std::abs(rates_[i]) < sticking_speed_ ? 0.0 : e;
      rhs_[i] = (1.0 + law_[i]) * rates_[i];
    }
    impulses_.setZero();
    const LcpResult result = contacts_.solve(closed_, rhs_, impulses_);
    if (result.status != LcpStatus::solved)
      report_.fail(StepStatus::contact_not_solved, time(), result.residual);
    w_.noalias() += contacts_.images() * impulses_;
    gap_.noalias() = contacts_.gradients() * w_;
    gap_ += drift_;
    rates_before_ = rates_;
    rates_after_ = gap_;
    lost_ -= 0.5 * impulses_.dot(rates_ + gap_);
    injected_ -= impulses_.dot(drift_);
    for (Eigen::Index i = 0; i < gap_.size(); ++i) {
      held_[index(i)] = closed_[index(i)] != 0 && gap_[i] <= sticking_speed_ ? 1 : 0;
    }
    dynamics_.residual(time(), w_, F_, residual_);
    dynamics_.solve(residual_, change_);
    F_ += change_;
    forces_.setZero();
    if (holding()) {
      // A contact that does not bounce is held for the step to come even if nothing presses on it
      // now; whether it stays is decided at the end of that step. Let go at once it might fall back
      // within the step, where (17) has no positive root.
      q1_ = q_;
      w1_ = w_;
      find_curvature(time());
      hold_contacts(F_, time(), time(), 0.0);
      F_.noalias() += contacts_.images() * forces_;
    }
  }

  /// u = G v + dg/dt in `rates`, dg/dt in `drift`.
  void relative_velocity(double t, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                         const Eigen::MatrixXd& G) {
    gaps_.rates(t, q, drift_);
    rates_.noalias() = G * v;
    rates_ += drift_;
  }

  /// A contact without a force or out of reach is no longer held.
  void release() {
    for (Eigen::Index i = 0; i < forces_.size(); ++i) {
      if (!(forces_[i] > 0.0) || !gaps_.touchable(i, q_)) held_[index(i)] = 0;
    }
  }

  /// What the system itself loses and is given from (q, w) to (q1, w1), and the work of obstacles
  /// that hold it, by the rule of the flight.
  void account_flight(double h) {
    if (at_midpoint_) {
      probe_ = 0.5 * (q_ + q1_);
      change_ = 0.5 * (w_ + w1_);
      account_at(time() + 0.5 * h, h, probe_, change_, forces_);
    } else {
      account_at(time(), 0.5 * h, q_, w_, last_forces_);
      account_at(time() + h, 0.5 * h, q1_, w1_, forces_);
    }
  }
  void account_at(double t, double h, const Eigen::VectorXd& q, const Eigen::VectorXd& w,
                  const Eigen::VectorXd& forces) {
    lost_ += h * dissipation(*system_, t, q, w);
    injected_ += h * power(*system_, t, q, w);
    if (gaps_.moving() && holding()) {
      gaps_.rates(t, q, drift_);
      injected_ -= h * forces.dot(drift_);
    }
  }

  void close() {
    kinetic_ = dynamics_.kinetic_energy(w_);
    largest_kinetic_ = std::max(largest_kinetic_, kinetic_);
    energy_ = kinetic_ + dynamics_.potential_energy();
    ledger_.close_step(energy_, std::exchange(lost_, 0.0), std::exchange(injected_, 0.0));
    if (!std::isfinite(energy_)) report_.fail(StepStatus::not_finite, time(), energy_);
  }

  const S* system_;
  NonsmoothSettings settings_;
  ImpactInstant instant_;
  bool at_midpoint_;
  double sticking_speed_;
  std::vector<double> restitution_;
  D dynamics_;
  SidedGaps<S> gaps_;
  ImpactContacts contacts_;
  // Held by a multiplier; closed at the impact; met at the end of the last step, where the gap is
  // zero by definition (a rounding of it, fallen through, would bounce for ever).
  std::vector<char> held_, closed_, met_;
  Eigen::VectorXd q_, w_, F_, last_F_;  // the present, and the acceleration before it
  Eigen::VectorXd q1_, w1_, F1_;        // the end of the step
  Eigen::VectorXd travel_, residual_, change_, probe_;
  Eigen::VectorXd impulses_, forces_, last_forces_, gap_, gap1_, rhs_, rates_, drift_, curvature_,
      law_, rates_before_, rates_after_;
  Eigen::MatrixXd probe_gradients_;
  StepClock clock_;
  double last_length_ = 1.0, largest_kinetic_ = 0.0, kinetic_ = 0.0, energy_ = 0.0;
  double lost_ = 0.0, injected_ = 0.0;  // in the present step [J]
  Ledger ledger_;
  StepReport report_;
};

}  // namespace carom
