#include <cmath>
#include <variant>

#include <carom/impact/hunt_crossley.hpp>
#include <carom/steppers/corrections.hpp>
#include <carom/steppers/invariant.hpp>

namespace carom {

void TrajectoryCorrection::prepare(const WallProblem& problem, double speed) {
  problem_ = problem;
  speed_ = speed;
  mu_ = std::visit(
      [&]<class Law>(const Law& law) {
        if constexpr (ProportionalLaw<Law>) {
          if (problem.force == 0) return law.proportional_damping();
        }
        return -1.0;
      },
      problem.contact.law);
  if (!closed_form()) {
    trajectory_ = ReferenceImpact(problem.contact.law, {problem.mass, speed, problem.force});
  }
}

void TrajectoryCorrection::archive(Archive& state) {
  state(problem_.state, problem_.force, speed_);
  state.require(std::isfinite(problem_.force) && std::isfinite(speed_) && speed_ < 1e9);
  if (state.reading() && kind_ != Correct::none && speed_ > 0) prepare(problem_, speed_);
}

void TrajectoryCorrection::onto_trajectory(ContactPoint& point) const noexcept {
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

void TrajectoryCorrection::set_exit(ContactPoint& point) const noexcept {
  const double mu = mu_;
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
double TrajectoryCorrection::compression_at(double v) const noexcept {
  const double mu = mu_;
  if (!(1 + mu * v > 0)) return 0.0;
  const double level = -level_change(mu, speed_, v);
  if (!(level > 0)) return 0.0;
  return problem_.state.dent() +
         std::visit([&](const auto& law) { return length_of_energy(law, level * problem_.mass); },
                    problem_.contact.law);
}

/// Onto K(v) + V(x)/m = K(v_in), in units of the largest compression and the initial speed.
void TrajectoryCorrection::project(ContactPoint& point) const noexcept {
  const double mu = mu_, m = problem_.mass;
  const double length = compression_at(0.0);
  for (int i = 0; i < 12; ++i) {
    if (!(1 + mu * point.v > 0) || !(point.x > 0)) return;
    const double elastic = problem_.contact_force(point.x, 0.0).conserved / m;
    const double excess = level_change(mu, speed_, point.v) + problem_.potential(point.x) / m;
    const double slope_x = elastic * length, slope_v = point.v / (1 + mu * point.v) * speed_;
    const double square = slope_x * slope_x + slope_v * slope_v;
    if (!(square > 0)) return;
    point.x -= excess * slope_x / square * length;
    point.v -= excess * slope_v / square * speed_;
    if (std::abs(excess) <= 1e-16 * speed_ * speed_) return;
  }
}

}  // namespace carom
