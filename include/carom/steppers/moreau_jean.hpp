#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <carom/core/archive.hpp>
#include <carom/core/error.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/steppers/impact_contacts.hpp>
#include <carom/steppers/march.hpp>

namespace carom {

struct MoreauJeanSettings {
  NonsmoothSettings common = {};
  double theta = 0.5;  ///< 1/2 (second order, keeps energy) .. 1 (damps fast vibrations)
  ImpactLaw impact_law = ImpactLaw::newton;  ///< of contacts that act at once
  std::vector<double> friction = {};         ///< Coulomb's coefficient of each contact; empty: none
};

/// The theta-method of Moreau and Jean: the impact law at velocity level, one complementarity
/// problem a step, for any system with gaps. With q_t = q + theta (q+ - q), v_t and t_t likewise,
///   M(q_t) (v+ - v) = dt f(t_t, q_t, v_t) + G^T p,    q+ = q + dt v_t,
///   0 <= u+ + e u  _|_  p >= 0,   u = G v + dg/dt,
/// or another impact law, and with friction where there is any (ImpactProblem), for the contacts
/// whose forecast g(t + dt/2, q + dt/2 v) is <= 0. Unconditionally stable in the linear case for
/// theta >= 1/2. Positions may penetrate by |u| dt at most before the contact is seen. The ledger
/// takes -p.(u+ + u)/2 >= 0 as dissipated, -p.(dg/dt+ + dg/dt)/2 as work of the obstacle and the
/// system's own losses and drives at t_t: for theta = 1/2 and a constant mass matrix exactly the
/// energy lost in the impact and, where they are linear, by the dampers.
template <SystemWithGaps S, class D = DynamicsOf<S>>
class MoreauJean {
 public:
  static constexpr StepperTraits traits{"moreau-jean", 2, false};

  MoreauJean(const S& system, const std::vector<NewtonRestitution>& laws, const MotionState& start,
             const MoreauJeanSettings& settings)
      : system_(&system),
        settings_(settings.common),
        theta_(settings.theta),
        restitution_(restitutions(laws, system.contacts())),
        dynamics_(system),
        gaps_(system, validated(start, system.coordinates()).q, settings.common.step),
        impact_law_(settings.impact_law),
        friction_(settings.friction),
        contacts_(system.contacts(), system.coordinates(), settings.common.contact,
                  !settings.friction.empty()),
        problem_(system.contacts(), !settings.friction.empty(), settings.common.contact),
        considered_(static_cast<std::size_t>(system.contacts()), 0),
        q_(start.q),
        v_(start.v),
        clock_(settings.common.step) {
    validate(settings_);
    require_within("theta", theta_, 0.5, 1.0);
    for (Eigen::VectorXd* x : {&total_, &residual_, &change_, &middle_, &middle_v_}) {
      x->setZero(system.coordinates());
    }
    if (!friction_.empty() && !has_tangents(system))
      throw InvalidInput("friction: the system has no tangents(t, q)");
    if (!friction_.empty() && friction_.size() != restitution_.size())
      throw InvalidInput("friction: one coefficient is needed for each contact");
    gap_.setZero(system.contacts());
    drift_part_.setZero(system.contacts());
    for (Eigen::VectorXd* x : {&impulses_, &rhs_, &after_, &closing_, &drift_, &drift1_}) {
      x->setZero(contacts_.rows());
    }
    close_energy();
    ledger_ = Ledger(energy_);
    if (!dynamics_.factor()) report_.fail(StepStatus::mass_not_definite, time(), 0.0);
    dynamics_.residual(time(), v_, total_, residual_);
    dynamics_.solve(residual_, total_);
    // From rest the scale of velocity is what the forces give within a step.
    largest_kinetic_ =
        std::max(kinetic_, settings_.step * settings_.step * dynamics_.kinetic_energy(total_));
  }

  void step() {
    const double dt = clock_.length();
    const double t = time() + theta_ * dt;
    const bool candidates = forecast(dt);
    impulses_.setZero();
    touching_ = false;
    bool factored = false;
    StepIteration iteration;
    while (true) {
      middle_v_ = v_ + theta_ * dt * total_;
      middle_ = q_ + theta_ * dt * middle_v_;
      dynamics_.set_position(middle_);
      if (!factored) {
        const double reach = theta_ * dt;
        if (!dynamics_.factor(reach * reach))
          report_.fail(StepStatus::mass_not_definite, time(), 0.0);
        if (candidates) contacts_.update(gaps_, dynamics_, t, middle_);
        factored = true;
      }
      dynamics_.residual(t, middle_v_, total_, residual_);
      dynamics_.solve(residual_, change_);
      if (candidates) {
        solve_contacts(dt);
        rhs_ = impulses_ / dt;
        change_.noalias() += contacts_.images() * rhs_;
        residual_.noalias() += contacts_.gradients().transpose() * rhs_;
      }
      total_ += change_;
      const double moved = dt * std::sqrt(std::max(0.0, change_.dot(residual_)));
      const double scale =
          std::sqrt(2.0 * (largest_kinetic_ > 0.0 ? largest_kinetic_
                                                  : dt * dt * dynamics_.kinetic_energy(total_)));
      if (iteration.converged(moved, scale, settings_.tolerance)) break;
      if (iteration.count() >= settings_.max_iterations) {
        report_.fail(StepStatus::not_converged, time(), iteration.last() / scale);
        break;
      }
    }
    report_.iterations = std::max(report_.iterations, iteration.count());
    middle_v_ = v_ + theta_ * dt * total_;
    middle_ = q_ + theta_ * dt * middle_v_;
    double lost = dt * dissipation(*system_, t, middle_, middle_v_);
    double injected = dt * power(*system_, t, middle_, middle_v_);
    q_ += dt * middle_v_;
    v_ += dt * total_;
    if (touching_) total_.noalias() -= contacts_.images() * rhs_;  // the next guess
    clock_.tick();
    gaps_.follow(time(), q_);
    close_energy();
    if (touching_) {
      after_.noalias() = contacts_.gradients() * v_;
      lost -= 0.5 * impulses_.dot(closing_ + after_ + drift1_);
      injected -= 0.5 * impulses_.dot(drift_ + drift1_);
    }
    ledger_.close_step(energy_, lost, injected);
    if (!std::isfinite(energy_)) report_.fail(StepStatus::not_finite, time(), energy_);
  }

  void end_at(double time) noexcept { clock_.end_at(time); }
  double time() const noexcept { return clock_.time(); }
  const Ledger& ledger() const noexcept { return ledger_; }
  const StepReport& report() const noexcept { return report_; }
  const Eigen::VectorXd& position() const noexcept { return q_; }
  const Eigen::VectorXd& velocity() const noexcept { return v_; }
  /// Of the step [N s]: of all contacts along the normal, then with friction along the tangent.
  const Eigen::VectorXd& impulses() const noexcept { return impulses_; }
  /// How often restitutions were reduced because they would have gained energy (ImpactProblem).
  long long reduced() const noexcept { return problem_.reduced(); }
  bool touching() const noexcept { return touching_; }
  double kinetic_energy() const noexcept { return kinetic_; }  ///< [J]
  double energy() const noexcept { return energy_; }           ///< [J]
  void archive(Archive& state) {
    state(gaps_, q_, v_, total_, impulses_, clock_, kinetic_, largest_kinetic_, energy_, touching_,
          ledger_, report_);
  }

 private:
  /// Marks the contacts that the step must consider.
  bool forecast(double dt) {
    middle_ = q_ + 0.5 * dt * v_;
    gaps_.gaps(time() + 0.5 * dt, middle_, gap_);
    bool any = false;
    for (Eigen::Index i = 0; i < gap_.size(); ++i) {
      const bool closed = gap_[i] <= 0.0 && gaps_.touchable(i, middle_);
      considered_[static_cast<std::size_t>(i)] = closed ? 1 : 0;
      any = any || closed;
    }
    if (any) {
      rates(time(), q_, drift_);
      middle_ = q_ + dt * v_;
      rates(time() + dt, middle_, drift1_);
    }
    return any;
  }

  /// Of normals and tangents by the motion of the obstacles.
  void rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) {
    gaps_.rates(t, q, drift_part_);
    r.head(drift_part_.size()) = drift_part_;
    if (friction_.empty()) return;
    gaps_.slip_rates(t, q, drift_part_);
    r.tail(drift_part_.size()) = drift_part_;
  }

  /// Impulses for the velocities after the step as they would be without any.
  void solve_contacts(double dt) {
    middle_v_ = v_ + dt * (total_ + change_);
    closing_.noalias() = contacts_.gradients() * v_;
    closing_ += drift_;
    rhs_.noalias() = contacts_.gradients() * middle_v_;
    rhs_ += drift1_;
    LcpResult result;
    if (friction_.empty() && impact_law_ == ImpactLaw::newton) {
      for (Eigen::Index i = 0; i < rhs_.size(); ++i) {
        rhs_[i] += restitution_[static_cast<std::size_t>(i)] * closing_[i];
      }
      result = contacts_.solve(considered_, rhs_, impulses_);
    } else {
      result = contacts_.solve(problem_, considered_, closing_, rhs_, restitution_, friction_,
                               impact_law_, impulses_);
    }
    if (result.status != LcpStatus::solved) {
      report_.fail(StepStatus::contact_not_solved, time(), result.residual);
    }
    touching_ = impulses_.head(gap_.size()).maxCoeff() > 0.0;
  }

  void close_energy() {
    dynamics_.set_position(q_);
    kinetic_ = dynamics_.kinetic_energy(v_);
    largest_kinetic_ = std::max(largest_kinetic_, kinetic_);
    energy_ = kinetic_ + dynamics_.potential_energy();
  }

  const S* system_;
  NonsmoothSettings settings_;
  double theta_;
  std::vector<double> restitution_;
  D dynamics_;
  SidedGaps<S> gaps_;
  ImpactLaw impact_law_;
  std::vector<double> friction_;
  ImpactContacts contacts_;
  ImpactProblem problem_;
  std::vector<char> considered_;
  Eigen::VectorXd q_, v_;
  Eigen::VectorXd total_;  // (v+ - v)/dt
  Eigen::VectorXd residual_, change_, middle_, middle_v_;
  Eigen::VectorXd impulses_, gap_, rhs_, closing_, after_;  // u before and after the step
  Eigen::VectorXd drift_, drift1_, drift_part_;             // dg/dt before and after the step
  StepClock clock_;
  double kinetic_ = 0.0, largest_kinetic_ = 0.0, energy_ = 0.0;
  bool touching_ = false;
  Ledger ledger_;
  StepReport report_;
};

}  // namespace carom
