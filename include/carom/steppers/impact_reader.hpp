#pragma once

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <carom/contacts/system_march.hpp>
#include <carom/core/archive.hpp>
#include <carom/systems/dense_dynamics.hpp>

namespace carom {

/// The impacts of a nonsmooth run, read off the impulses of its steps. An impact begins with the
/// first step that has an impulse and ends with the first that has none: Moreau-Jean pushes in one
/// step, Paoli-Schatzman in two. A contact that closed no faster than the other forces move it
/// within two steps only carries them and is no impact.
template <SystemWithGaps S>
class ImpactReader {
 public:
  ImpactReader(const S& system, const MotionState& start)
      : system_(&system),
        dynamics_(system),
        contacts_(static_cast<std::size_t>(system.contacts())),
        before_(start),
        gradients_(Eigen::MatrixXd::Zero(system.contacts(), system.coordinates())),
        rates_(Eigen::VectorXd::Zero(system.contacts())),
        residual_(Eigen::VectorXd::Zero(system.coordinates())),
        solved_(residual_) {}

  /// Once before the first step (Paoli-Schatzman may push at the start already) and after each.
  template <class Stepper>
  void read(const Stepper& stepper, double step) {
    finished_.clear();
    for (int i = 0; i < system_->contacts(); ++i) {
      const double impulse = stepper.impulses()[i];
      Contact& contact = contacts_[static_cast<std::size_t>(i)];
      const bool pushed = contact.pushed;
      contact.pushed = impulse > 0.0;
      contact.held = pushed && contact.pushed && contact.carries;
      if (contact.pushed && !pushed) begin(contact, i, step);
      contact.impact.impulse += impulse;
      impulse_ += impulse;
      if (pushed && !contact.pushed && !contact.carries) end(contact, i, stepper);
    }
    before_.q = stepper.position();
    before_.v = stepper.velocity();
    time_ = stepper.time();
  }

  /// The impacts that ended within the last step.
  std::span<const SystemImpact> finished() const noexcept { return finished_; }
  bool held(int contact) const noexcept {
    return contacts_[static_cast<std::size_t>(contact)].held;
  }
  double impulse() const noexcept { return impulse_; }  ///< of all contacts so far [N s]
  void archive(Archive& state) {
    state(contacts_, before_.q, before_.v, time_, impulse_, finished_);
  }

 private:
  struct Contact {
    SystemImpact impact;
    double speed = 0.0;    // dg/dt before it
    bool pushed = false;   // in the last step
    bool carries = false;  // pushed by no more than the other forces
    bool held = false;     // and again in the next step
    void archive(Archive& state) { state(impact, speed, pushed, carries, held); }
  };

  double gap_rate(int contact, double t, const MotionState& at) {
    system_->gap_gradients(t, at.q, gradients_);
    gap_rates(*system_, t, at.q, rates_);
    return gradients_.row(contact).dot(at.v) + rates_[contact];
  }

  void begin(Contact& contact, int i, double step) {
    contact.speed = gap_rate(i, time_, before_);
    dynamics_.set_position(before_.q);
    double mobility = 0.0, smooth = 0.0;
    if (dynamics_.factor()) {
      solved_.setZero();
      dynamics_.residual(time_, before_.v, solved_, residual_);
      dynamics_.solve(residual_, solved_);
      smooth = std::abs(gradients_.row(i).dot(solved_));
      residual_ = gradients_.row(i).transpose();
      dynamics_.solve(residual_, solved_);
      mobility = residual_.dot(solved_);
    }
    contact.carries = std::abs(contact.speed) <= 2 * smooth * step;
    contact.impact = {.contact = i,
                      .record = {.time = time_},
                      .effective_mass = 1 / mobility,
                      .before = before_,
                      .after = {}};
  }

  template <class Stepper>
  void end(Contact& contact, int i, const Stepper& stepper) {
    SystemImpact& impact = contact.impact;
    impact.after = {stepper.position(), stepper.velocity()};
    const double speed = gap_rate(i, stepper.time(), impact.after);
    const double side = speed < contact.speed ? -1.0 : 1.0;  // impulses open the gap
    impact.record.speed_in = -side * contact.speed;
    impact.record.speed_out = std::max(0.0, side * speed);
    impact.record.max_force = std::numeric_limits<double>::infinity();
    if (impact.record.speed_in > 0.0) finished_.push_back(impact);
  }

  const S* system_;
  DynamicsOf<S> dynamics_;
  std::vector<Contact> contacts_;
  MotionState before_;
  double time_ = 0.0, impulse_ = 0.0;
  std::vector<SystemImpact> finished_;
  Eigen::MatrixXd gradients_;
  Eigen::VectorXd rates_, residual_, solved_;
};

}  // namespace carom
