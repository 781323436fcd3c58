#include <numeric>

#include <carom/steppers/modal_plain.hpp>

namespace carom {

ModalPlain::ModalPlain(const ModalProblem& problem)
    : rate_(problem.rate),
      shapes_((validate(problem), signed_shapes(problem))),
      heights_(signed_heights(problem)),
      contacts_(problem),
      q_(problem.start.position),
      dq_(start_difference(problem)),
      next_(q_.size()),
      impulse_(Eigen::VectorXd::Zero(heights_.size())),
      ids_(problem.heights.size()) {
  for (const Mode& mode : problem.body.modes) {
    coefficients_.push_back(mode_step(mode, 1 / problem.rate, problem.scaling));
  }
  std::iota(ids_.begin(), ids_.end(), 0);
  now_ = shapes_ * q_ - heights_;
  before_ = now_ - shapes_ * dq_;
  ledger_ = Ledger(stored());
}

double ModalPlain::stored() const {
  double sum = contacts_.energy().stored;
  for (Eigen::Index j = 0; j < q_.size(); ++j) {
    const ModeStep& c = coefficients_[static_cast<std::size_t>(j)];
    sum += (c.inertia * dq_[j] * dq_[j] + c.elasticity * q_[j] * (q_[j] - dq_[j])) / 2;
  }
  return sum;
}

void ModalPlain::step() {
  for (Eigen::Index j = 0; j < q_.size(); ++j) {
    const ModeStep& c = coefficients_[static_cast<std::size_t>(j)];
    next_[j] = c.decay * dq_[j] - c.stiffness * q_[j];
  }
  const double contact_loss = contacts_.energy().dissipated;
  touched_ = false;
  if (!ids_.empty()) {
    free_.noalias() = shapes_ * next_;
    free_ += now_;
    const auto count = ids_.size();
    touched_ = contacts_.step(ids_, {before_.data(), count}, {now_.data(), count},
                              {free_.data(), count}, {impulse_.data(), count});
  }
  double loss = contacts_.energy().dissipated - contact_loss;
  for (Eigen::Index j = 0; j < q_.size(); ++j) {
    const ModeStep& c = coefficients_[static_cast<std::size_t>(j)];
    if (touched_) next_[j] += c.admittance * shapes_.col(j).dot(impulse_);
    const double both = next_[j] + dq_[j];
    loss += c.loss * both * both;
  }
  dq_.swap(next_);
  q_ += dq_;
  before_.swap(now_);
  now_.noalias() = shapes_ * q_;
  now_ -= heights_;
  ++steps_;
  ledger_.close_step(stored(), loss);
}

}  // namespace carom
