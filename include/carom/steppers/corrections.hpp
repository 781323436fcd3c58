#pragma once

#include <array>
#include <cmath>
#include <string_view>
#include <type_traits>

#include <carom/core/archive.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/steppers/contact_problem.hpp>
#include <carom/steppers/invariant.hpp>
#include <carom/steppers/reference_impact.hpp>

namespace carom {

/// What is done to the state of a simulation in the light of the exact trajectory.
enum class Correct {
  none,
  hybrid,   ///< papetti2011 Sect. IV-A1: x := x(v) after every step
  exit,     ///< papetti2011 Sect. IV-A2: x := 0 and v := v_out at release
  both,     ///< hybrid and exit
  project,  ///< the state moves the shortest way onto the trajectory; exact v_out at release
};
inline constexpr std::array<std::string_view, 5> correction_names{"none", "hybrid", "exit", "both",
                                                                  "project"};

/// Which v_out the exit correction enforces.
enum class ExitSpeed {
  exact,
  published,  ///< papetti2011 eqs (7), (8), where its error is below the threshold; else none
};

/// Whether the error of eq. (7) at u = mu v_in is below 0.1 % or 1 % (papetti2011 Fig. 3; the
/// limits are computed). Any other threshold [%] is compared with the greatest error, 2.045 %.
constexpr bool published_exit_applies(double u, double threshold_percent) noexcept {
  if (threshold_percent >= 2.046) return true;
  if (threshold_percent >= 1.0) return u < 1.65859 || u > 5.00288;
  if (threshold_percent >= 0.1) return u < 0.798392 || u > 8.05366;
  return false;
}

/// A correction for WallMarch. Without external force a Hunt-Crossley or lossless contact uses the
/// closed forms; otherwise the trajectory is computed at first touch (ReferenceImpact), which the
/// identity d/dx [mu v - ln(1 + mu v) + (k mu^2/m) x^(n+1)/(n+1)] = (mu^2 f_e/m)/(1 + mu v) allows
/// also where the paper found no closed form.
template <ContactLaw Law>
class TrajectoryCorrection {
 public:
  explicit TrajectoryCorrection(Correct kind = Correct::none, ExitSpeed exit = ExitSpeed::exact,
                                double threshold_percent = 0.1) noexcept
      : kind_(kind), exit_(exit), threshold_(threshold_percent) {}

  void begin(const ContactProblem<Law>& problem, double speed) {
    if (kind_ == Correct::none) return;
    problem_ = problem;
    speed_ = speed;
    if (!closed_form()) trajectory_.compute(problem, speed);
  }

  void in_contact(ContactPoint& point) const noexcept {
    if (kind_ == Correct::hybrid || kind_ == Correct::both) {
      point.x =
          closed_form() ? compression_at(point.v) : trajectory_.at_velocity(point.v, point.x).x;
    } else if (kind_ == Correct::project) {
      if (closed_form()) {
        project(point);
      } else {
        const ContactPoint foot = trajectory_.nearest(point.x, point.v);
        point.x = foot.x;
        point.v = foot.v;
      }
    }
  }

  void at_release(ContactPoint& point) const noexcept {
    if (kind_ == Correct::none || kind_ == Correct::hybrid) return;
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

  void archive(Archive& state) {
    state(problem_, speed_);
    if (state.reading() && kind_ != Correct::none && speed_ > 0 && !closed_form()) {
      trajectory_.compute(problem_, speed_);
    }
  }

 private:
  bool closed_form() const noexcept {
    return !std::is_same_v<Law, HertzDamper> && problem_.force == 0;
  }

  /// x(v), papetti2011 eq. (3); 0 beyond v_out.
  double compression_at(double v) const noexcept {
    const double n = problem_.law.exponent, mu = damping(problem_.law).mu;
    if (!(1 + mu * v > 0)) return 0.0;
    const double level = -level_change(mu, speed_, v);
    if (!(level > 0)) return 0.0;
    return std::pow(level * (n + 1) * problem_.mass / problem_.law.stiffness, 1 / (n + 1));
  }

  /// Onto K(v) + V(x)/m = K(v_in), in units of the largest compression and the initial speed.
  void project(ContactPoint& point) const noexcept {
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

  Correct kind_;
  ExitSpeed exit_;
  double threshold_;
  ContactProblem<Law> problem_{};
  double speed_ = 0.0;
  ReferenceImpact<Law> trajectory_;
};

}  // namespace carom
