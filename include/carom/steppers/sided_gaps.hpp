#pragma once

#include <string>
#include <vector>

#include <carom/core/archive.hpp>
#include <carom/core/error.hpp>
#include <carom/systems/with_gaps.hpp>

namespace carom {

/// The gaps of a system as a stepper sees them: positive apart, on the side where the bodies are. A
/// contact changes sides, or (with one side only) is passed until its gap opens again, where its
/// gap closes out of reach, i.e. while can_touch() is false.
template <SystemWithGaps S>
class SidedGaps {
 public:
  /// Throws InvalidInput if the gaps move but their rates are not given: the impact law needs them.
  SidedGaps(const S& system, const Eigen::VectorXd& q, double step)
      : system_(&system),
        moving_(has_gap_rates(system)),
        side_(static_cast<std::size_t>(system.contacts()), 1),
        raw_(Eigen::VectorXd::Zero(system.contacts())) {
    system_->gaps(0.0, q, raw_);
    for (int i = 0; i < system.contacts(); ++i) {
      if (carom::two_sided(system, i) && raw_[i] < 0.0) side_[index(i)] = -1;
    }
    follow(0.0, q);
    if (moving_) return;
    const Eigen::VectorXd now = raw_;
    for (const double steps : {1.0, 17.3, 1234.5}) {
      system_->gaps(steps * step, q, raw_);
      if (raw_ != now) {
        throw InvalidInput("gaps depend on time, but the system has no gap_rates(t, q)");
      }
    }
  }

  void gaps(double t, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
    system_->gaps(t, q, g);
    for (Eigen::Index i = 0; i < g.size(); ++i) {
      if (side_[index(i)] < 0) g[i] = -g[i];
    }
  }
  /// dg/dq, contacts x coordinates.
  void gradients(double t, const Eigen::VectorXd& q, Eigen::MatrixXd& G) const {
    system_->gap_gradients(t, q, G);
    for (Eigen::Index i = 0; i < G.rows(); ++i) {
      if (side_[index(i)] < 0) G.row(i) = -G.row(i);
    }
  }
  /// Rows of the sliding speeds; zero where the system has none. Friction has no side.
  void tangents(double t, const Eigen::VectorXd& q, SparseRows& T) const {
    if constexpr (requires { system_->tangents(t, q, T); }) {
      system_->tangents(t, q, T);
    } else {
      T.setZero();
    }
  }
  void slip_rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const {
    if constexpr (requires { system_->slip_rates(t, q, r); }) {
      system_->slip_rates(t, q, r);
    } else {
      r.setZero();
    }
  }
  /// dg/dt at fixed q.
  void rates(double t, const Eigen::VectorXd& q, Eigen::VectorXd& r) const {
    if (!moving_) {
      r.setZero();
      return;
    }
    gap_rates(*system_, t, q, r);
    for (Eigen::Index i = 0; i < r.size(); ++i) {
      if (side_[index(i)] < 0) r[i] = -r[i];
    }
  }
  bool moving() const noexcept { return moving_; }
  /// Whether contact i touches at q if its gap is closed.
  bool touchable(Eigen::Index i, const Eigen::VectorXd& q) const {
    return side_[index(i)] != 0 && can_touch(*system_, static_cast<int>(i), q);
  }
  /// The gap of contact i closes out of reach.
  void pass(Eigen::Index i) {
    side_[index(i)] = two_sided(*system_, static_cast<int>(i))
                          ? static_cast<signed char>(-side_[index(i)])
                          : static_cast<signed char>(0);
  }
  /// After a step: contacts out of reach are on the side where they are.
  void follow(double t, const Eigen::VectorXd& q) {
    if constexpr (requires { system_->can_touch(0, q); }) {
      system_->gaps(t, q, raw_);
      for (Eigen::Index i = 0; i < raw_.size(); ++i) {
        signed char& side = side_[index(i)];
        const int contact = static_cast<int>(i);
        const bool inside = raw_[i] < 0.0;
        if (!two_sided(*system_, contact) && side == 0 && !inside) side = 1;
        if (can_touch(*system_, contact, q)) continue;
        side = static_cast<signed char>(!inside ? 1 : two_sided(*system_, contact) ? -1 : 0);
      }
    }
  }
  void archive(Archive& state) { state(side_); }

 private:
  static std::size_t index(Eigen::Index i) noexcept { return static_cast<std::size_t>(i); }

  const S* system_;
  bool moving_;
  std::vector<signed char> side_;  // 1; -1 on the far side; 0 passed
  Eigen::VectorXd raw_;
};

}  // namespace carom
