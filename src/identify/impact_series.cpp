#include <algorithm>
#include <cmath>
#include <string>

#include <carom/core/error.hpp>
#include <carom/core/least_squares.hpp>
#include <carom/identify/impact_series.hpp>
#include <carom/identify/single_impact.hpp>
#include <carom/impact/hertz_damper.hpp>
#include <carom/impact/hunt_crossley.hpp>
#include <carom/laws/conversions.hpp>

#include "law_uncertainty.hpp"

namespace carom {
namespace {

struct PredictedImpact {
  double restitution, contact_time;
};

/// The laws per unit of mass: damping is mu [s/m] or c/m [1/s], stiffness k/m.
struct SeriesModel {
  SeriesLaw law;
  Release release;
  double damping = 0, exponent = 1.5, stiffness = 1;

  double omega(double speed) const { return impact_frequency(stiffness, exponent, 1, speed); }
  double epsilon(double speed) const {
    return law == SeriesLaw::hunt_crossley ? damping * speed : damping / omega(speed);
  }
  PredictedImpact at(double speed) const {
    const double eps = epsilon(speed), frequency = omega(speed);
    if (law == SeriesLaw::hunt_crossley) {
      return {restitution_of_epsilon(eps),
              dimensionless_impact(eps, exponent).contact_time / frequency};
    }
    const DimensionlessRebound rebound = hertz_damper_rebound(eps, exponent, release);
    if (!rebound.releases) return {0, 1e3 / frequency};
    return {rebound.restitution, rebound.contact_time / frequency};
  }
};

/// Standard deviations of the two residuals of an impact.
struct SeriesSpread {
  double restitution = 1, log_time = 1;
};

class SeriesFit {
 public:
  SeriesFit(std::span<const SeriesImpact> impacts, SeriesLaw law, std::optional<double> exponent,
            Release release)
      : impacts_(impacts),
        timed_(impacts.front().contact_time.has_value()),
        weighted_(impacts.front().restitution_sd.has_value()),
        fixed_exponent_(exponent),
        model_{law, release},
        spreads_(impacts.size()) {}

  bool weighted() const { return weighted_; }
  int values() const { return static_cast<int>(impacts_.size()) * (timed_ ? 2 : 1); }
  int unknowns() const { return !timed_ ? 1 : fixed_exponent_ ? 2 : 3; }

  SeriesModel model(const Eigen::VectorXd& p) const {
    SeriesModel model = model_;
    model.damping = std::exp(std::clamp(p[0], -60.0, 60.0));
    if (fixed_exponent_) model.exponent = *fixed_exponent_;
    if (!timed_) return model;
    model.stiffness = std::exp(p[1]);
    // Reflected at 1: below it a law has no meaning.
    if (!fixed_exponent_) model.exponent = std::min(1 + std::abs(p[2] - 1), 20.0);
    return model;
  }

  void operator()(const Eigen::VectorXd& p, Eigen::VectorXd& residuals) const {
    const SeriesModel now = model(p);
    Eigen::Index next = 0;
    for (std::size_t i = 0; i < impacts_.size(); ++i) {
      const SeriesImpact& one = impacts_[i];
      const PredictedImpact predicted = now.at(one.speed);
      residuals[next++] = (predicted.restitution - one.restitution) / spreads_[i].restitution;
      if (timed_) {
        residuals[next++] =
            std::log(predicted.contact_time / *one.contact_time) / spreads_[i].log_time;
      }
    }
  }

  /// What the measured numbers themselves say, for an exponent.
  Eigen::VectorXd start(double exponent) const {
    std::vector<double> damping, stiffness;
    for (const SeriesImpact& one : impacts_) {
      const double e = std::clamp(one.restitution, 1e-6, 1 - 1e-9);
      const bool hunt_crossley = model_.law == SeriesLaw::hunt_crossley;
      const double eps = hunt_crossley ? epsilon_of_restitution(e)
                                       : damping_of_restitution(e, exponent, model_.release);
      double omega = 1;
      if (timed_) {
        omega = (hunt_crossley ? dimensionless_impact(eps, exponent).contact_time
                               : hertz_damper_rebound(eps, exponent, model_.release).contact_time) /
                *one.contact_time;
      }
      damping.push_back(hunt_crossley ? eps / one.speed : eps * omega);
      stiffness.push_back(stiffness_of_impact_frequency(omega, exponent, 1, one.speed));
    }
    Eigen::VectorXd p(unknowns());
    p[0] = std::log(middle(damping));
    if (timed_) p[1] = std::log(middle(stiffness));
    if (unknowns() == 3) p[2] = exponent;
    return p;
  }

  /// The errors of the speeds, carried over to what is predicted from them.
  void spread(const SeriesModel& now) {
    for (std::size_t i = 0; i < impacts_.size(); ++i) {
      const SeriesImpact& one = impacts_[i];
      const double step = 1e-5 * one.speed, sd = one.speed_sd.value_or(0);
      const PredictedImpact high = now.at(one.speed + step), low = now.at(one.speed - step);
      const double slope = (high.restitution - low.restitution) / (2 * step);
      const double log_slope = std::log(high.contact_time / low.contact_time) / (2 * step);
      spreads_[i].restitution = std::hypot(*one.restitution_sd, slope * sd);
      if (timed_) {
        spreads_[i].log_time = std::hypot(*one.contact_time_sd / *one.contact_time, log_slope * sd);
      }
    }
  }

  LeastSquaresFit fit() {
    LeastSquaresFit best = from_all_starts();
    if (!weighted_) return best;
    for (int pass = 0; pass < 2; ++pass) {
      spread(model(best.parameters));
      best = least_squares(*this, values(), best.parameters);
    }
    return best;
  }

 private:
  static double middle(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
    return values[values.size() / 2];
  }

  LeastSquaresFit from_all_starts() const {
    LeastSquaresFit best{{}, 0, false};
    for (const double exponent : {1.5, 1.05, 2.2, 3.2, 5.0}) {
      LeastSquaresFit fit =
          least_squares(*this, values(), start(fixed_exponent_.value_or(exponent)));
      if (best.parameters.size() == 0 || fit.norm < best.norm) best = std::move(fit);
      if (unknowns() < 3) break;
    }
    return best;
  }

  std::span<const SeriesImpact> impacts_;
  bool timed_, weighted_;
  std::optional<double> fixed_exponent_;
  SeriesModel model_;
  std::vector<SeriesSpread> spreads_;
};

Identified described_series(const SeriesModel& model, bool timed, double speed,
                            std::optional<double> mass) {
  Identified law;
  law.problem = timed ? "a series of impacts with restitution and contact_time"
                      : "a series of impacts with restitution";
  law.speed = speed;
  law.mass = mass;
  law.epsilon = model.epsilon(speed);
  law.release = model.release;
  const bool hunt_crossley = model.law == SeriesLaw::hunt_crossley;
  if (hunt_crossley) law.mu = model.damping;
  const PredictedImpact back = model.at(speed);
  law.check.restitution = back.restitution;
  if (!timed) return law;
  law.exponent = model.exponent;
  law.omega = model.omega(speed);
  law.check.contact_time = back.contact_time;
  if (mass) {
    law.stiffness = model.stiffness * *mass;
    if (hunt_crossley) {
      law.lambda = lambda_of_mu(*law.mu, *law.stiffness);
    } else {
      law.damping = model.damping * *mass;
    }
  }
  return law;
}

void require_sound_series(std::span<const SeriesImpact> impacts) {
  if (impacts.empty()) throw InvalidInput("a series needs at least one impact");
  const SeriesImpact& first = impacts.front();
  for (const SeriesImpact& one : impacts) {
    require_positive("speed", one.speed);
    require_positive("restitution", one.restitution);
    require_within("restitution", one.restitution, 0, 1);
    if (one.contact_time) require_positive("contact_time", *one.contact_time);
    if (one.restitution_sd) require_positive("restitution_sd", *one.restitution_sd);
    if (one.contact_time_sd) require_positive("contact_time_sd", *one.contact_time_sd);
    if (one.speed_sd) require_not_negative("speed_sd", *one.speed_sd);
    if (one.contact_time.has_value() != first.contact_time.has_value() ||
        one.restitution_sd.has_value() != first.restitution_sd.has_value() ||
        one.contact_time_sd.has_value() != first.contact_time_sd.has_value()) {
      throw InvalidInput("contact times and standard deviations: of all impacts or of none");
    }
  }
  const bool weighted = first.restitution_sd.has_value();
  if ((first.contact_time && first.contact_time_sd.has_value() != weighted) ||
      (first.speed_sd && !weighted)) {
    throw InvalidInput(
        "standard deviations are incomplete: give restitution_sd and contact_time_sd (speed_sd may "
        "be added), or none");
  }
}

}  // namespace

FittedSeries identify_series(std::span<const SeriesImpact> impacts, SeriesLaw law,
                             std::optional<double> mass, std::optional<double> exponent,
                             Release release) {
  require_sound_series(impacts);
  if (mass) require_positive("mass", *mass);
  if (exponent) require_within("exponent", *exponent, 1, 20);
  const bool timed = impacts.front().contact_time.has_value();
  if (law == SeriesLaw::hertz_damper && !timed) {
    throw InvalidInput("contact_time is missing: without it hertz-damper cannot be identified");
  }
  SeriesFit problem(impacts, law, exponent, release);
  const int freedom = problem.values() - problem.unknowns();
  if (freedom < 0) {
    throw InvalidInput(std::to_string(problem.values()) + " measured numbers for " +
                       std::to_string(problem.unknowns()) +
                       " unknowns: missing are more impacts, or the exponent");
  }
  const LeastSquaresFit fit = problem.fit();
  const SeriesModel model = problem.model(fit.parameters);
  FittedSeries out{};
  out.status = fit.converged ? FitStatus::converged : FitStatus::not_converged;
  out.law = described_series(model, timed, impacts.front().speed, mass);
  out.misfit = fit.norm / std::sqrt(std::max(1, problem.weighted() ? freedom : problem.values()));
  for (const SeriesImpact& one : impacts) {
    const PredictedImpact back = model.at(one.speed);
    out.points.push_back(
        {back.restitution, timed ? std::optional(back.contact_time) : std::nullopt});
  }
  // As many unknowns as data leave nothing to judge the noise by.
  if (!problem.weighted() && freedom == 0) return out;
  const Eigen::MatrixXd spread = covariance(problem, problem.values(), fit.parameters);
  const double scale = problem.weighted() ? 1 : fit.norm / std::sqrt(freedom);
  out.uncertainty = law_uncertainty(out.law, [&](auto member) {
    return half_width(
        [&](const Eigen::VectorXd& p) {
          return member(described_series(problem.model(p), timed, impacts.front().speed, mass));
        },
        fit.parameters, spread, scale, problem.weighted() ? 0 : freedom);
  });
  return out;
}

}  // namespace carom
