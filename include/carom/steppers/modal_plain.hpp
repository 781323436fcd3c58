#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include <carom/core/archive.hpp>
#include <carom/energy/ledger.hpp>
#include <carom/steppers/contact_space.hpp>
#include <carom/steppers/march.hpp>
#include <carom/steppers/modal_problem.hpp>

namespace carom {

/// The modal scheme of issanchou2018 step by step, as it is written: every mode, every contact,
/// every step, the ledger closed each time. The reference for ModalMarch, which computes the
/// same trajectory faster.
class ModalPlain {
 public:
  static constexpr StepperTraits traits{.name = "modal-plain", .order = 1, .passive = false};

  explicit ModalPlain(const ModalProblem& problem);

  void step();
  double time() const noexcept { return static_cast<double>(steps_) / rate_; }
  const Ledger& ledger() const noexcept { return ledger_; }

  long long steps() const noexcept { return steps_; }
  const Eigen::VectorXd& position() const noexcept { return q_; }        ///< q
  const Eigen::VectorXd& difference() const noexcept { return dq_; }     ///< q - q^-
  const Eigen::VectorXd& impulses() const noexcept { return impulse_; }  ///< of the last step [N s]
  bool touched() const noexcept { return touched_; }  ///< whether the last step had an impulse
  const ContactSpace& contacts() const noexcept { return contacts_; }
  void archive(Archive& state) {
    state(contacts_, q_, dq_, impulse_, before_, now_, steps_, touched_, ledger_);
    state.require(steps_ >= 0);
  }

 private:
  double stored() const;

  double rate_;
  std::vector<ModeStep> coefficients_;
  ShapeMatrix shapes_;
  Eigen::VectorXd heights_;
  ContactSpace contacts_;
  Eigen::VectorXd q_, dq_, next_, impulse_, before_, now_, free_;
  std::vector<int> ids_;
  long long steps_ = 0;
  bool touched_ = false;
  Ledger ledger_;
};
static_assert(Stepper<ModalPlain>);

}  // namespace carom
