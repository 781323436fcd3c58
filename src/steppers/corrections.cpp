#include <cmath>
#include <type_traits>

#include <carom/impact/hunt_crossley.hpp>
#include <carom/steppers/corrections.hpp>
#include <carom/steppers/invariant.hpp>

namespace carom {

template <ContactLaw Law>
bool TrajectoryCorrection<Law>::closed_form() const noexcept {
  return !std::is_same_v<Law, HertzDamper> && problem_.force == 0;
}

template <ContactLaw Law>
void TrajectoryCorrection<Law>::prepare(const ContactProblem<Law>& problem, double speed) {
  problem_ = problem;
  speed_ = speed;
  if (!closed_form()) trajectory_.compute(problem, speed);
}

template <ContactLaw Law>
void TrajectoryCorrection<Law>::archive(Archive& state) {
  state(problem_, speed_);
  if (state.reading() && kind_ != Correct::none && speed_ > 0 && !closed_form())
    trajectory_.compute(problem_, speed_);
}

template <ContactLaw Law>
void TrajectoryCorrection<Law>::onto_trajectory(ContactPoint& point) const noexcept {
  if (kind_ == Correct::project) {
    if (closed_form()) {
      project(point);
    } else {
      const ContactPoint foot = trajectory_.nearest(point.x, point.v);
      point.x = foot.x;
      point.v = foot.v;
    }
  } else {
    point.x = closed_form() ? compression_at(point.v) : trajectory_.at_velocity(point.v, point.x).x;
  }
}

template <ContactLaw Law>
void TrajectoryCorrection<Law>::set_exit(ContactPoint& point) const noexcept {
  const double mu = damping(problem_.law).mu;
  double out = 0.0, x = 0.0;
  if (kind_ != Correct::project && exit_ == ExitSpeed::published) {
    if (!closed_form() || !published_exit_applies(mu * speed_, threshold_)) return;
    out = published_rebound_speed(mu, speed_);
  } else if (closed_form()) {
    out = rebound_speed(mu, speed_);
  } else {
    if (!trajectory_.impact().releases) return;
    out = trajectory_.impact().rebound_speed;
    x = trajectory_.impact().separation_compression;
  }
  point = {x, -out, 0.0};
}

/// x(v), papetti2011 eq. (3); 0 beyond v_out.
template <ContactLaw Law>
double TrajectoryCorrection<Law>::compression_at(double v) const noexcept {
  const double n = problem_.law.exponent, mu = damping(problem_.law).mu;
  if (!(1 + mu * v > 0)) return 0.0;
  const double level = -level_change(mu, speed_, v);
  if (!(level > 0)) return 0.0;
  return std::pow(level * (n + 1) * problem_.mass / problem_.law.stiffness, 1 / (n + 1));
}

/// Onto K(v) + V(x)/m = K(v_in), in units of the largest compression and the initial speed.
template <ContactLaw Law>
void TrajectoryCorrection<Law>::project(ContactPoint& point) const noexcept {
  const double n = problem_.law.exponent, mu = damping(problem_.law).mu, m = problem_.mass;
  const double length = compression_at(0.0);
  for (int i = 0; i < 12; ++i) {
    if (!(1 + mu * point.v > 0) || !(point.x > 0)) return;
    const double elastic = problem_.law.elastic_force(point.x) / m;
    const double excess = level_change(mu, speed_, point.v) + elastic * point.x / (n + 1);
    const double slope_x = elastic * length, slope_v = point.v / (1 + mu * point.v) * speed_;
    const double square = slope_x * slope_x + slope_v * slope_v;
    if (!(square > 0)) return;
    point.x -= excess * slope_x / square * length;
    point.v -= excess * slope_v / square * speed_;
    if (std::abs(excess) <= 1e-16 * speed_ * speed_) return;
  }
}

template class TrajectoryCorrection<PowerLaw>;
template class TrajectoryCorrection<HuntCrossley>;
template class TrajectoryCorrection<HertzDamper>;

}  // namespace carom
