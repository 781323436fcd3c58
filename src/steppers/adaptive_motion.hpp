#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include <carom/core/archive.hpp>

namespace carom::detail {

/// A motion that AdaptiveMotion can follow: y' = slopes(y).
class AdaptiveSystem {
 public:
  using State = std::vector<double>;

  virtual void slopes(const State& y, State& dy) const noexcept = 0;
  /// The size of an error made in one step; 1 is as much as a step may make.
  virtual double step_error(const State& wrong) const noexcept = 0;

 protected:
  ~AdaptiveSystem() = default;
};

/// The eighth-order method of Runge-Kutta-Fehlberg 7(8), its steps controlled by halving. Events
/// are the step lengths at which the method itself meets a condition. The classical method of order
/// four is there for steps of fixed length: use tried().
class AdaptiveMotion {
 public:
  using State = AdaptiveSystem::State;
  static constexpr int order = 8;

  struct Trial {
    State y;
    double h;
  };

  enum class Formula { fehlberg, classical };

  explicit AdaptiveMotion(double guess, Formula formula = Formula::fehlberg);
  ~AdaptiveMotion();

  /// The length the next step is tried with.
  void restart(double guess) noexcept { guess_ = guess; }
  /// False: a step that was small enough could not be found.
  bool converged() const noexcept { return converged_; }
  void archive(Archive& state) { state(guess_, converged_); }

  Trial tried(const AdaptiveSystem& system, const State& from, double h);
  /// The longest step up to `most` that keeps the tolerance.
  Trial accepted(const AdaptiveSystem& system, const State& from, double most);

  /// The part of the step to `end` after which `f`, positive at `from`, is not so any more;
  /// f(end) <= 0.
  template <class F>
  Trial located(const AdaptiveSystem& system, const State& from, const Trial& end, F&& f) {
    double low = 0.0, high = end.h, f_low = f(from), f_high = f(end.y);
    State y = end.y;
    for (int i = 0; i < 120 && high - low > 1e-16 * std::max(high, 1e-12) && f_high < 0; ++i) {
      double h = f_low > 0 ? high - f_high * (high - low) / (f_high - f_low) : 0.5 * (low + high);
      if (!(h > low && h < high) || i % 3 == 2) h = 0.5 * (low + high);
      const Trial trial = tried(system, from, h);
      const double value = f(trial.y);
      if (value > 0) {
        low = h, f_low = value;
      } else {
        high = h, f_high = value, y = trial.y;
      }
    }
    return {y, high};
  }

  /// The greatest value of `f` over the step to `end`, which has one maximum at the most inside.
  template <class F>
  double greatest(const AdaptiveSystem& system, const State& from, const Trial& end, F&& f) {
    const double at_ends = std::max(f(from), f(end.y));
    const auto at = [&](double h) { return f(tried(system, from, h).y); };
    if (!(at(1e-3 * end.h) > f(from) && at(0.999 * end.h) > f(end.y))) return at_ends;
    double low = 0.0, high = end.h;
    for (int i = 0; i < 60; ++i) {
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      if (at(a) < at(b)) {
        low = a;
      } else {
        high = b;
      }
    }
    return std::max(at_ends, at(0.5 * (low + high)));
  }

 private:
  struct Stepper;

  State classical(const AdaptiveSystem& system, const State& from, double h) const;

  double guess_;
  Formula formula_;
  bool converged_ = true;
  std::unique_ptr<Stepper> stepper_;
};

}  // namespace carom::detail
