#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <carom/core/archive.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/steppers/impact_contacts.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

/// The time-stepping scheme of Paoli and Schatzman, paoli2007 eqs (13)-(22), for any system with
/// gaps: positions only, no search for impacts. With the metric frozen at q^n,
///   M(q^n) (q^{n+1} - 2 q^n + q^{n-1}) = dt^2 f(t_n, q^n, w^n) + dt G^T p,
///   0 <= g((q^{n+1} + e q^{n-1})/(1 + e))  _|_  p >= 0,   w^n = (q^{n+1} - q^{n-1})/(2 dt),
/// g at the same mean of the times, several contacts at once by the complementarity problem with
/// the matrix G M^-1 G^T. For gaps that are not linear in q the condition on g itself is met by
/// iteration, not its linearisation. Explicit in the forces of position: dt must stay below 2/omega
/// of the fastest vibration. An impact takes two steps, after which the velocity is reversed and
/// multiplied by e; q^n leaves the admissible set by O(dt) at most. Before a step of another length
/// h (the last of a run) q^{n-1} stands for q^n - h (q^n - q^{n-1})/dt, and f acts for (dt + h)/2.
///
/// Contacts that are hit within the same few steps, in directions that are not orthogonal in the
/// metric M^-1, can gain energy for e near 1. The condition is one on positions: a contact that is
/// inside by d at t_{n-1} must be outside by e d at t_{n+1}, whatever the impulse of another
/// contact has made of its velocity meanwhile. (Orthogonality is also what the limit needs to
/// depend continuously on the data: Paoli, Math. Models Methods Appl. Sci. 15, 2005.) The report
/// says energy_gained when such impacts have raised the energy by 1 % of the largest kinetic
/// energy; a block rattling on two corners does with e = 0.99, by 7 % in one impact. MoreauJean,
/// whose condition is one on velocities, does not.
///
/// The ledger takes the mean of the kinetic energies of the two half-steps around t_n, i.e.
/// T(w^n) + p.(G M^-1 G^T) p/8, and half the work of p at t_{n-1} and at t_n: without other forces
/// this closes exactly. The system's own losses and drives are counted by the trapezoidal rule.
/// With e = 1 the work is taken in one step of an impact and given back in the next, so single
/// steps may show a negative dissipation; the sum over an impact does not.
template <SystemWithGaps S, class D = DynamicsOf<S>>
class PaoliSchatzman {
 public:
  static constexpr StepperTraits traits{"paoli-schatzman", 2, false};

  PaoliSchatzman(const S& system, const std::vector<NewtonRestitution>& laws,
                 const MotionState& start, const NonsmoothSettings& settings)
      : system_(&system),
        settings_(settings),
        restitution_(restitutions(laws, system.contacts())),
        dynamics_(system),
        gaps_(system, validated(start, system.coordinates()).q, settings.step),
        contacts_(system.contacts(), system.coordinates(), settings.contact),
        considered_(static_cast<std::size_t>(system.contacts()), 1),
        q_(start.q),
        velocity_(start.v),
        clock_(settings.step),
        last_length_(settings.step),
        pushed_(considered_.size(), 0) {
    validate(settings);
    for (Eigen::VectorXd* x : {&smooth_, &earlier_, &residual_, &change_, &push_, &mean_}) {
      x->setZero(system.coordinates());
    }
    for (Eigen::VectorXd* x : {&impulses_, &last_impulses_, &gap_, &rhs_, &drift_}) {
      x->setZero(system.contacts());
    }
    // The motion before the start as free flight backwards: q^{-1} = q^0 - dt v + dt^2/2 a. The
    // first step is then a step like any other and w^0 = v exactly.
    dynamics_.set_position(q_);
    if (!dynamics_.factor()) report_.fail(StepStatus::mass_not_definite, time(), 0.0);
    dynamics_.residual(time(), velocity_, smooth_, residual_);
    dynamics_.solve(residual_, smooth_);
    earlier_ = smooth_;
    before_ = velocity_ - 0.5 * settings_.step * smooth_;
    kinetic_ = dynamics_.kinetic_energy(velocity_);
    // From rest the scale of velocity is what the forces give within a step.
    largest_kinetic_ =
        std::max(kinetic_, settings.step * settings.step * dynamics_.kinetic_energy(smooth_));
    ledger_ = Ledger(kinetic_ + dynamics_.potential_energy());
    advance();
    // A contact that is closed at the start is hit there: half of that impulse is before t_0.
    if (touching_) close_ledger(share_ * lost_, share_ * injected_);
  }

  void step() {
    const double h = clock_.length();
    q_.swap(next_);
    before_.swap(after_);
    clock_.tick();
    last_length_ = h;
    gaps_.follow(time(), q_);
    const double contacts_lost = (1.0 - share_) * lost_;
    double lost = contacts_lost + 0.5 * h * dissipation_;
    double injected = (1.0 - share_) * injected_ + 0.5 * h * power_;
    // First guess: the smooth acceleration continued from the last two steps.
    change_ = smooth_;
    smooth_ = 2.0 * smooth_ - earlier_;
    earlier_.swap(change_);
    advance();
    lost += share_ * lost_ + 0.5 * h * dissipation_;
    injected += share_ * injected_ + 0.5 * h * power_;
    close_ledger(lost, injected);
    follow_gain(contacts_lost + share_ * lost_);
  }

  void end_at(double end) {
    const double planned = clock_.length();
    clock_.end_at(end);
    if (clock_.length() != planned) advance();
  }
  double time() const noexcept { return clock_.time(); }
  const Ledger& ledger() const noexcept { return ledger_; }
  const StepReport& report() const noexcept { return report_; }
  const Eigen::VectorXd& position() const noexcept { return q_; }         ///< q^n
  const Eigen::VectorXd& velocity() const noexcept { return velocity_; }  ///< w^n
  const Eigen::VectorXd& impulses() const noexcept { return impulses_; }  ///< p at t_n [N s]
  bool touching() const noexcept { return touching_; }  ///< some impulse at t_n is not zero
  /// T(w^n) + U(q^n) [J], the energy of paoli2007 Tables 2 and 4; it dips in the steps of an
  /// impact.
  double energy() const noexcept { return kinetic_ + potential_; }
  double kinetic_energy() const noexcept { return kinetic_; }  ///< T(w^n) [J]
  void archive(Archive& state) {
    state(gaps_, q_, next_, before_, after_, velocity_, smooth_, earlier_, impulses_, clock_,
          last_length_, share_, kinetic_, potential_, largest_kinetic_, lost_, injected_,
          dissipation_, power_, jump_, touching_, impact_lost_, gained_, coupled_, pushed_, ledger_,
          report_);
  }

 private:
  /// From q^{n-1} and q^n to q^{n+1}, with the smooth acceleration guessed.
  void advance() {
    const double h = clock_.length(), dt = 0.5 * (last_length_ + h);
    share_ = last_length_ / (last_length_ + h);
    dynamics_.set_position(q_);
    if (!dynamics_.factor()) report_.fail(StepStatus::mass_not_definite, time(), 0.0);
    for (Eigen::Index i = 0; i < gap_.size(); ++i) {
      considered_[static_cast<std::size_t>(i)] = gaps_.touchable(i, q_) ? 1 : 0;
    }
    push_.setZero();
    impulses_.setZero();
    touching_ = false;
    bool in_space = false;
    StepIteration iteration;
    while (true) {
      velocity_ = before_ + share_ * (dt * smooth_ + push_);
      dynamics_.residual(time(), velocity_, smooth_, residual_);
      dynamics_.solve(residual_, change_);
      smooth_ += change_;
      double moved = dt * dt * change_.dot(residual_);
      after_ = before_ + dt * smooth_ + push_;
      next_ = q_ + h * after_;
      if (evaluate_gaps(h) || touching_) {
        if (!in_space) contacts_.update(gaps_, dynamics_, time(), q_);
        in_space = true;
        moved += solve_contacts(dt, h);
      }
      const double scale =
          std::sqrt(2.0 * (largest_kinetic_ > 0.0 ? largest_kinetic_
                                                  : dt * dt * dynamics_.kinetic_energy(smooth_)));
      const bool done =
          iteration.converged(std::sqrt(std::max(0.0, moved)), scale, settings_.tolerance);
      if (done) break;
      if (iteration.count() >= settings_.max_iterations) {
        report_.fail(StepStatus::not_converged, time(), iteration.last() / scale);
        break;
      }
    }
    report_.iterations = std::max(report_.iterations, iteration.count());
    velocity_ = before_ + share_ * (dt * smooth_ + push_);
    kinetic_ = dynamics_.kinetic_energy(velocity_);
    potential_ = dynamics_.potential_energy();
    largest_kinetic_ = std::max(largest_kinetic_, kinetic_);
    if (!std::isfinite(kinetic_ + potential_))
      report_.fail(StepStatus::not_finite, time(), kinetic_);
    account();
  }

  void close_ledger(double lost, double injected) {
    ledger_.close_step(energy() + 0.5 * share_ * (1.0 - share_) * jump_, lost, injected);
  }

  /// Sums what an impact loses, from its first impulse to the step after its last.
  void follow_gain(double lost) {
    if (pushed_.size() < 2) return;
    impact_lost_ += lost;
    if (touching_) {
      const Eigen::MatrixXd& W = contacts_.delassus();
      for (Eigen::Index i = 0; i < impulses_.size(); ++i) {
        if (!(impulses_[i] > 0.0)) continue;
        for (Eigen::Index j = 0; j < impulses_.size(); ++j) {
          coupled_ = coupled_ || (i != j && pushed_[static_cast<std::size_t>(j)] != 0 &&
                                  std::abs(W(i, j)) > 1e-12 * std::sqrt(W(i, i) * W(j, j)));
        }
        pushed_[static_cast<std::size_t>(i)] = 1;
      }
      return;
    }
    if (coupled_) gained_ += std::max(0.0, -impact_lost_);
    if (gained_ > 0.01 * largest_kinetic_) {
      report_.fail(StepStatus::energy_gained, time(), gained_ / largest_kinetic_);
    }
    impact_lost_ = 0.0;
    coupled_ = false;
    std::fill(pushed_.begin(), pushed_.end(), static_cast<char>(0));
  }

  /// What is lost and given at t_n: by the contacts [J] and, per time, by the system itself [W].
  void account() {
    dissipation_ = dissipation(*system_, time(), q_, velocity_);
    power_ = power(*system_, time(), q_, velocity_);
    lost_ = injected_ = jump_ = 0.0;
    if (!touching_) return;
    gaps_.rates(time(), q_, drift_);
    mean_ = 0.5 * (before_ + after_);
    rhs_.noalias() = contacts_.gradients() * mean_;
    lost_ = -impulses_.dot(rhs_ + drift_);
    injected_ = -impulses_.dot(drift_);
    rhs_.noalias() = contacts_.delassus() * impulses_;
    jump_ = impulses_.dot(rhs_);
  }

  /// g at the weighted means of q^{n+1} and q^{n-1}, times 1 + e. True if any is negative.
  bool evaluate_gaps(double h) {
    const bool same = std::all_of(restitution_.begin(), restitution_.end(),
                                  [this](double e) { return e == restitution_.front(); });
    bool closed = false;
    for (Eigen::Index i = 0; i < rhs_.size(); ++i) {
      const double e = restitution_[static_cast<std::size_t>(i)];
      if (i == 0 || !same) {
        mean_ = (next_ + e * (q_ - h * before_)) / (1.0 + e);
        gaps_.gaps(time() + h * (1.0 - e) / (1.0 + e), mean_, gap_);
      }
      rhs_[i] = (1.0 + e) * gap_[i];
      closed = closed || (rhs_[i] < 0.0 && considered_[static_cast<std::size_t>(i)] != 0);
    }
    return closed;
  }

  /// New impulses from the gaps at the present ones; returns the squared change of velocity.
  double solve_contacts(double dt, double h) {
    last_impulses_ = impulses_;
    rhs_ = rhs_ / h;
    rhs_.noalias() -= contacts_.delassus() * impulses_;
    const LcpResult result = contacts_.solve(considered_, rhs_, impulses_);
    if (result.status != LcpStatus::solved) {
      report_.fail(StepStatus::contact_not_solved, time(), result.residual);
    }
    last_impulses_ -= impulses_;
    touching_ = impulses_.maxCoeff() > 0.0;
    push_.noalias() = contacts_.images() * impulses_;
    after_ = before_ + dt * smooth_ + push_;
    next_ = q_ + h * after_;
    rhs_.noalias() = contacts_.delassus() * last_impulses_;
    return last_impulses_.dot(rhs_);
  }

  const S* system_;
  NonsmoothSettings settings_;
  std::vector<double> restitution_;
  D dynamics_;
  SidedGaps<S> gaps_;
  ImpactContacts contacts_;
  std::vector<char> considered_;
  Eigen::VectorXd q_, next_;                   // q^n, q^{n+1}
  Eigen::VectorXd before_, after_, velocity_;  // (q^n - q^{n-1})/dt, (q^{n+1} - q^n)/dt, w^n
  Eigen::VectorXd smooth_, earlier_;           // M^-1 f at t_n and t_{n-1}
  Eigen::VectorXd residual_, change_, push_, mean_;
  Eigen::VectorXd impulses_, last_impulses_, gap_, rhs_, drift_;
  StepClock clock_;
  double last_length_, share_ = 0.5;  // of the step before t_n; its part of both around t_n
  double kinetic_ = 0.0, potential_ = 0.0, largest_kinetic_ = 0.0;
  double lost_ = 0.0, injected_ = 0.0, dissipation_ = 0.0, power_ = 0.0, jump_ = 0.0;
  bool touching_ = false;
  double impact_lost_ = 0.0, gained_ = 0.0;  // by the impact under way; by those that ended
  bool coupled_ = false;                     // contacts that act on each other were pushed in it
  std::vector<char> pushed_;                 // contacts pushed in it
  Ledger ledger_;
  StepReport report_;
};

}  // namespace carom
