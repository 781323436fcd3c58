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
};

/// The theta-method of Moreau and Jean: the impact law at velocity level, one complementarity
/// problem a step, for any system with gaps. With q_t = q + theta (q+ - q), v_t and t_t likewise,
///   M(q_t) (v+ - v) = dt f(t_t, q_t, v_t) + G^T p,    q+ = q + dt v_t,
///   0 <= u+ + e u  _|_  p >= 0,   u = G v + dg/dt,
/// for the contacts whose forecast g(t + dt/2, q + dt/2 v) is <= 0.
/// Unconditionally stable in the linear case for theta >= 1/2. Positions may penetrate by
/// |u| dt at most before the contact is seen.
/// The ledger books -p.(u+ + u)/2 >= 0 as dissipated, -p.(dg/dt+ + dg/dt)/2 as work of the obstacle
/// and the system's own losses and drives at t_t: for theta = 1/2 and a constant mass matrix
/// exactly the energy lost in the impact and, where they are linear, by the dampers.
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
        contacts_(system.contacts(), system.coordinates(), settings.common.contact),
        among_(static_cast<std::size_t>(system.contacts()), 0),
        q_(start.q),
        v_(start.v),
        clock_(settings.common.step) {
    validate(settings_);
    require_within("theta", theta_, 0.5, 1.0);
    for (Eigen::VectorXd* x : {&total_, &residual_, &change_, &middle_, &middle_v_}) {
      x->setZero(system.coordinates());
    }
    for (Eigen::VectorXd* x : {&impulses_, &gap_, &rhs_, &closing_, &drift_, &drift1_}) {
      x->setZero(system.contacts());
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
      gap_.noalias() = contacts_.gradients() * v_;
      lost -= 0.5 * impulses_.dot(closing_ + gap_ + drift1_);
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
  const Eigen::VectorXd& impulses() const noexcept { return impulses_; }  ///< of the step [N s]
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
      among_[static_cast<std::size_t>(i)] = closed ? 1 : 0;
      any = any || closed;
    }
    if (any) {
      gaps_.rates(time(), q_, drift_);
      middle_ = q_ + dt * v_;
      gaps_.rates(time() + dt, middle_, drift1_);
    }
    return any;
  }

  /// Impulses for the velocities after the step as they would be without any.
  void solve_contacts(double dt) {
    middle_v_ = v_ + dt * (total_ + change_);
    closing_.noalias() = contacts_.gradients() * v_;
    closing_ += drift_;
    rhs_.noalias() = contacts_.gradients() * middle_v_;
    rhs_ += drift1_;
    for (Eigen::Index i = 0; i < rhs_.size(); ++i) {
      rhs_[i] += restitution_[static_cast<std::size_t>(i)] * closing_[i];
    }
    const LcpResult result = contacts_.solve(among_, rhs_, impulses_);
    if (result.status != LcpStatus::solved) {
      report_.fail(StepStatus::contact_not_solved, time(), result.residual);
    }
    touching_ = impulses_.maxCoeff() > 0.0;
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
  ImpactContacts contacts_;
  std::vector<char> among_;
  Eigen::VectorXd q_, v_;
  Eigen::VectorXd total_;  // (v+ - v)/dt
  Eigen::VectorXd residual_, change_, middle_, middle_v_;
  Eigen::VectorXd impulses_, gap_, rhs_, closing_;  // closing: u before the step
  Eigen::VectorXd drift_, drift1_;                  // dg/dt before and after the step
  StepClock clock_;
  double kinetic_ = 0.0, largest_kinetic_ = 0.0, energy_ = 0.0;
  bool touching_ = false;
  Ledger ledger_;
  StepReport report_;
};

}  // namespace carom
