#pragma once

#include <array>
#include <vector>

#include "hunt_crossley_path.hpp"

namespace carom::detail {

/// The dimensionless equation of every compliant law here, with a constant push F:
///     X'' = F - f(X, X'),  f = c X' + (1 + eps X') X^n,  X(0) = 0,  X'(0) = 1.
struct PathEquation {
  double n;
  double epsilon = 0;  ///< Hunt-Crossley
  double c = 0;        ///< linear damper
  double push = 0;     ///< F
  bool release_at_zero_force = true;

  double force(double x, double v) const noexcept;
};

/// A piece of the solution as Taylor polynomials. Away from X = 0 in time. Near X = 0, where X^n is
/// not smooth, in ln X: there X^n is an entire function, so that the steps do not shrink.
struct PathPiece {
  static constexpr int order = 24;
  using Series = std::array<double, order + 1>;

  bool logarithmic = false;
  double begin = 0;   ///< time
  double end = 0;     ///< time
  double x0 = 0;      ///< logarithmic: x = x0 exp(h)
  double length = 0;  ///< step in time, or in ln X
  Series x{};  ///< in time: X; logarithmic: theta with t = begin + x0 (exp(h) theta(h) - theta(0))
  Series v{};

  PathState state(double h, const PathEquation& equation) const noexcept;
  double time(double h) const noexcept;
  double step_at(double t) const noexcept;  ///< the h with time(h) = t
};

/// The exact motion by Taylor series of order 24 with step control at rounding level. Used where no
/// closed form exists: the linear damper, and any law under a constant external force.
class TaylorPath {
 public:
  struct Outcome {
    bool releases = true;
    double time = 0;  ///< of release
    double x = 0;     ///< compression at release
    double v = 0;     ///< rate at release
    double loss = 0;  ///< 1 - v^2 at release, summed from the dissipation: accurate when tiny
    double max_x = 0;
    double max_x_time = 0;
    double max_force = 0;  ///< this and the next: not with Keep::rebound
    double max_force_time = 0;
  };

  enum class Keep { rebound, outcome, history };

  /// Truncation allowed per step: below rounding.
  static constexpr double finest = 2e-17;

  TaylorPath(const PathEquation& equation, Keep keep, double tolerance = finest);

  const PathEquation& equation() const noexcept { return equation_; }
  const Outcome& outcome() const noexcept { return outcome_; }
  /// 0 <= time, up to release. When the body is held the motion is continued as far as asked.
  PathState at(double time) const;

 private:
  PathEquation equation_;
  Outcome outcome_;
  std::vector<PathPiece> pieces_;
};

}  // namespace carom::detail
