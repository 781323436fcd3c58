#include "adaptive_motion.hpp"

#include <cmath>

#include <boost/numeric/odeint/stepper/runge_kutta_fehlberg78.hpp>

namespace carom::detail {

struct AdaptiveMotion::Stepper {
  boost::numeric::odeint::runge_kutta_fehlberg78<State> method;
  State unused;  ///< its own estimate of the error
};

AdaptiveMotion::AdaptiveMotion(double guess, Formula formula)
    : guess_(guess), formula_(formula), stepper_(std::make_unique<Stepper>()) {}
AdaptiveMotion::~AdaptiveMotion() = default;

AdaptiveMotion::State AdaptiveMotion::classical(const AdaptiveSystem& system, const State& from,
                                                double h) const {
  State at = from, sum(from.size(), 0.0), slope(from.size());
  constexpr double places[] = {0.0, 0.5, 0.5, 1.0}, weights[] = {1.0, 2.0, 2.0, 1.0};
  for (int stage = 0; stage < 4; ++stage) {
    for (std::size_t i = 0; stage > 0 && i < at.size(); ++i) {
      at[i] = from[i] + places[stage] * h * slope[i];
    }
    system.slopes(at, slope);
    for (std::size_t i = 0; i < at.size(); ++i) sum[i] += weights[stage] / 6 * slope[i];
  }
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = from[i] + h * sum[i];
  return at;
}

AdaptiveMotion::Trial AdaptiveMotion::tried(const AdaptiveSystem& system, const State& from,
                                            double h) {
  if (formula_ == Formula::classical) return {classical(system, from, h), h};
  Trial trial{from, h};
  stepper_->unused.resize(from.size());
  stepper_->method.do_step([&](const State& y, State& dy, double /*t*/) { system.slopes(y, dy); },
                           from, 0.0, trial.y, h, stepper_->unused);
  return trial;
}

AdaptiveMotion::Trial AdaptiveMotion::accepted(const AdaptiveSystem& system, const State& from,
                                               double most) {
  constexpr double least_error = 1e-10;
  double h = std::min(guess_, most);
  for (int i = 0; i < 60; ++i) {
    // The method's own estimate vanishes for pure quadrature and is too small near it; two steps of
    // half the length do not deceive.
    State wrong = tried(system, from, h).y;
    Trial halves = tried(system, tried(system, from, 0.5 * h).y, 0.5 * h);
    halves.h = h;
    for (std::size_t j = 0; j < wrong.size(); ++j) wrong[j] -= halves.y[j];
    const double error = system.step_error(wrong);
    const double factor = 0.9 * std::pow(std::max(error, least_error), -1.0 / (order + 1));
    if (error <= 1) {
      if (h < most || factor < 1) guess_ = h * std::clamp(factor, 0.2, 4.0);
      return halves;
    }
    h *= std::clamp(factor, 0.1, 0.9);
    guess_ = h;
  }
  converged_ = false;
  return tried(system, from, h);
}

}  // namespace carom::detail
