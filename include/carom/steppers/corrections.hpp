#pragma once

#include <array>
#include <string_view>

#include <carom/core/archive.hpp>
#include <carom/steppers/reference_impact.hpp>
#include <carom/steppers/wall_problem.hpp>

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

/// A correction for WallMarch. Without external force a law f = dV/dx (1 + mu v) uses the closed
/// forms; otherwise the trajectory is computed at first touch (ReferenceImpact), which the
/// identity d/dx [mu v - ln(1 + mu v) + (k mu^2/m) x^(n+1)/(n+1)] = (mu^2 f_e/m)/(1 + mu v) allows
/// also where the paper found no closed form.
class TrajectoryCorrection {
 public:
  explicit TrajectoryCorrection(Correct kind = Correct::none, ExitSpeed exit = ExitSpeed::exact,
                                double threshold_percent = 0.1) noexcept
      : kind_(kind), exit_(exit), threshold_(threshold_percent) {}

  void begin(const WallProblem& problem, double speed) {
    if (kind_ != Correct::none) prepare(problem, speed);
  }
  void in_contact(ContactPoint& point) const noexcept {
    if (kind_ != Correct::none && kind_ != Correct::exit) onto_trajectory(point);
  }
  void at_release(ContactPoint& point) const noexcept {
    if (kind_ != Correct::none && kind_ != Correct::hybrid) set_exit(point);
  }

  void archive(Archive& state);

 private:
  void prepare(const WallProblem& problem, double speed);
  void onto_trajectory(ContactPoint& point) const noexcept;
  void set_exit(ContactPoint& point) const noexcept;
  bool closed_form() const noexcept { return mu_ >= 0; }
  double compression_at(double v) const noexcept;
  void project(ContactPoint& point) const noexcept;

  Correct kind_;
  ExitSpeed exit_;
  double threshold_;
  WallProblem problem_;
  double speed_ = 0.0;
  double mu_ = -1.0;  ///< of a law with a closed form; < 0: it has none
  ReferenceImpact trajectory_;
};

}  // namespace carom
