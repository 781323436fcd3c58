#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <carom/core/error.hpp>
#include <carom/core/least_squares.hpp>
#include <carom/identify/force_trace.hpp>
#include <carom/impact/history.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/laws/conversions.hpp>

#include "law_uncertainty.hpp"
#include "root.hpp"

namespace carom {
namespace {

/// The parameters of the fit, all of order one: onset and duration in units of the rough duration,
/// size in units of the largest sample, all but the onset as logarithms, the exponent reflected
/// at 1.
struct TraceShape {
  double onset, duration, size, epsilon, exponent;

  explicit TraceShape(const Eigen::VectorXd& p)
      : onset(p[0]),
        duration(std::exp(p[1])),
        size(std::exp(p[2])),
        epsilon(std::exp(std::clamp(p[3], -20.0, 9.0))),
        exponent(std::min(1 + std::abs(p[4] - 1), 20.0)) {}
};

/// The trace against the exact force of a Hunt-Crossley impact.
class Misfit {
 public:
  Misfit(std::vector<double> times, std::vector<double> forces)
      : times_(std::move(times)), forces_(std::move(forces)) {}

  int values() const { return static_cast<int>(times_.size()); }

  void operator()(const Eigen::VectorXd& p, Eigen::VectorXd& misfit) const {
    const TraceShape s(p);
    // Unit mass, speed and stiffness: the dimensionless impact.
    const ImpactHistory history(HuntCrossley{1, s.exponent, s.epsilon}, {.mass = 1, .speed = 1});
    const Impact& hit = history.summary();
    for (int i = 0; i < values(); ++i) {
      const double t = (times_[i] - s.onset) / s.duration * hit.contact_time;
      const double model = t > 0 && t < hit.contact_time ? history.at(t).force / hit.max_force : 0;
      misfit[i] = s.size * model - forces_[i];
    }
  }

 private:
  std::vector<double> times_, forces_;
};

struct Start {
  Eigen::VectorXd parameters;
  double norm;
};

bool closer(const Start& a, const Start& b) { return a.norm < b.norm; }

/// The shape (epsilon, n) placed so that its 1 % points fall on 0 and 1.
Start start_at(const Misfit& misfit, double epsilon, double exponent) {
  const ImpactHistory history(HuntCrossley{1, exponent, epsilon}, {.mass = 1, .speed = 1});
  const Impact& hit = history.summary();
  const auto time_of_one_percent = [&](double outside) {
    const auto excess = [&](double t) { return history.at(t).force - 0.01 * hit.max_force; };
    const auto [low, high] = std::minmax(outside, hit.max_force_time);
    return detail::bracketed_root(excess, low, high).value_or(outside);
  };
  const double rise = time_of_one_percent(0), fall = time_of_one_percent(hit.contact_time);
  Start start{Eigen::VectorXd(5), 0};
  start.parameters << -rise / (fall - rise), std::log(hit.contact_time / (fall - rise)), 0,
      std::log(epsilon), exponent;
  Eigen::VectorXd values(misfit.values());
  misfit(start.parameters, values);
  start.norm = values.norm();
  return start;
}

/// What the trace was scaled by, and what is known besides.
struct TraceUnits {
  double origin, time, force;
  std::optional<double> mass, speed;
};

/// The impact of a shape, in SI units.
FittedTrace described_trace(const TraceShape& s, const TraceUnits& units) {
  const DimensionlessImpact d = dimensionless_impact(s.epsilon, s.exponent);
  FittedTrace out{};
  out.onset = units.origin + s.onset * units.time;
  out.contact_time = s.duration * units.time;
  out.max_force = s.size * units.force;
  out.restitution = d.restitution;
  Identified& law = out.law;
  law.problem = "force trace";
  law.epsilon = s.epsilon;
  law.exponent = s.exponent;
  law.omega = d.contact_time / out.contact_time;
  const double momentum = out.max_force / (d.max_force * *law.omega);  // m v
  out.impulse = momentum * (1 + d.restitution);
  law.check.restitution = d.restitution;
  law.check.contact_time = out.contact_time;
  law.check.max_force = out.max_force;
  if (units.mass || units.speed) {
    law.mass = units.mass ? *units.mass : momentum / *units.speed;
    law.speed = units.speed ? *units.speed : momentum / *units.mass;
    law.mu = s.epsilon / *law.speed;
    law.stiffness = stiffness_of_impact_frequency(*law.omega, s.exponent, *law.mass, *law.speed);
    law.lambda = lambda_of_mu(*law.mu, *law.stiffness);
    law.check.max_compression = d.max_compression * *law.speed / *law.omega;
  }
  return out;
}

}  // namespace

FittedTrace identify_force_trace(std::span<const double> times, std::span<const double> forces,
                                 std::optional<double> mass, std::optional<double> speed) {
  if (times.size() != forces.size()) {
    throw InvalidInput("times and forces must have the same length (got " +
                       std::to_string(times.size()) + " and " + std::to_string(forces.size()) +
                       ")");
  }
  if (mass && speed) {
    throw InvalidInput("contradictory: the trace gives mass times speed; give only one of the two");
  }
  if (mass) require_positive("mass", *mass);
  if (speed) require_positive("speed", *speed);
  for (std::size_t i = 0; i < times.size(); ++i) {
    require_finite("time", times[i]);
    require_finite("force", forces[i]);
    if (i > 0 && !(times[i] > times[i - 1])) {
      throw InvalidInput("times must increase (got " + number_text(times[i]) + " after " +
                         number_text(times[i - 1]) + ")");
    }
  }
  const auto top = std::max_element(forces.begin(), forces.end());
  const double peak = top == forces.end() ? 0 : *top;
  if (!(peak > 0)) throw InvalidInput("the trace has no positive force");
  // Rough onset and release: where the force around its peak falls to 1 %.
  auto left = top, right = top;
  while (left != forces.begin() && *(left - 1) > 0.01 * peak) --left;
  while (right + 1 != forces.end() && *(right + 1) > 0.01 * peak) ++right;
  const auto index = [&](auto it) { return static_cast<std::size_t>(it - forces.begin()); };
  if (index(right) - index(left) + 1 < 8) {
    throw InvalidInput("the trace needs at least 8 samples in contact (got " +
                       std::to_string(index(right) - index(left) + 1) + ")");
  }
  const double origin = times[index(left)];
  const double unit = times[index(right)] - origin;
  std::vector<double> scaled_times(times.size()), scaled_forces(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    scaled_times[i] = (times[i] - origin) / unit;
    scaled_forces[i] = forces[i] / peak;
  }

  // Weak damping and strong damping can look alike to within a percent, so there are several
  // minima: for each size of damping start from the closest exponent, laid over the trace at the 1
  // % points.
  const Misfit misfit(std::move(scaled_times), std::move(scaled_forces));
  std::vector<Start> starts;
  for (const double epsilon : {0.03, 0.3, 1.0, 3.0, 8.0, 25.0, 80.0}) {
    std::vector<Start> choice;
    for (const double exponent : {1.05, 1.5, 2.2, 3.2, 5.0}) {
      choice.push_back(start_at(misfit, epsilon, exponent));
    }
    starts.push_back(*std::min_element(choice.begin(), choice.end(), closer));
  }
  std::sort(starts.begin(), starts.end(), closer);
  LeastSquaresFit best{{}, 0, false};
  const double exact = 1e-9 * std::sqrt(static_cast<double>(times.size()));
  for (const Start& start : starts) {
    LeastSquaresFit fit = least_squares(misfit, misfit.values(), start.parameters);
    fit.converged = fit.converged || fit.norm < exact;
    if (best.parameters.size() == 0 || fit.norm < best.norm) best = std::move(fit);
    if (best.norm < exact) break;
  }

  const TraceUnits units{origin, unit, peak, mass, speed};
  FittedTrace out = described_trace(TraceShape(best.parameters), units);
  out.status = best.converged ? FitStatus::converged : FitStatus::not_converged;
  out.residual =
      best.norm / std::sqrt(static_cast<double>(times.size())) / TraceShape(best.parameters).size;
  const int freedom = misfit.values() - 5;
  const double scale = best.norm / std::sqrt(std::max(1, freedom));
  const Eigen::MatrixXd spread = covariance(misfit, misfit.values(), best.parameters);
  out.uncertainty = law_uncertainty(out.law, [&](auto member) {
    return half_width(
        [&](const Eigen::VectorXd& p) { return member(described_trace(TraceShape(p), units).law); },
        best.parameters, spread, scale, std::max(1, freedom));
  });
  return out;
}

}  // namespace carom
