#include "fit_core.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SVD>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace carom::detail {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

/// soft L1: rho, its first and its second derivative.
struct Loss {
  double rho, psi, slope;
};

Loss loss_of(double r, double scale) {
  if (std::isinf(scale)) return {r * r / 2, r, 1};
  const double z = r / scale, root = std::sqrt(1 + z * z);
  return {r * r / (1 + root), r / root, 1 / (root * root * root)};
}

/// Residuals whose squares add up to 2 sum rho.
Residuals lossy(const FitProblem& problem) {
  return [&problem](const VectorXd& p, VectorXd& r) {
    problem.residuals(p, r);
    if (std::isinf(problem.loss_scale)) return;
    for (double& one : r) {
      one = std::copysign(std::sqrt(2 * loss_of(one, problem.loss_scale).rho), one);
    }
  };
}

MatrixXd slopes_at(const FitProblem& problem, const VectorXd& p, Side side = Side::both) {
  MatrixXd slopes(problem.values, p.size());
  if (problem.slopes) {
    problem.slopes(p, slopes);
  } else {
    differences(problem.residuals, p, slopes, side);
  }
  return slopes;
}

Slopes lossy_slopes(const FitProblem& problem, Side side) {
  return [&problem, side](const VectorXd& p, MatrixXd& slopes) {
    slopes = slopes_at(problem, p, side);
    if (std::isinf(problem.loss_scale)) return;
    VectorXd r(problem.values);
    problem.residuals(p, r);
    for (Index i = 0; i < r.size(); ++i) {
      const Loss loss = loss_of(r[i], problem.loss_scale);
      const double root = std::sqrt(2 * loss.rho);
      if (root > 0) slopes.row(i) *= std::abs(loss.psi) / root;
    }
  };
}

/// 1 + 2 sum of the autocorrelations of neighbours while they are significant: how many samples are
/// worth one.
double correlated_samples(const VectorXd& noise) {
  const Index n = noise.size();
  const double variance = noise.squaredNorm();
  double sum = 1;
  for (Index lag = 1; lag < n / 4; ++lag) {
    const double r = noise.head(n - lag).dot(noise.tail(n - lag)) / variance;
    if (!(r > 2 / std::sqrt(static_cast<double>(n)))) break;
    sum += 2 * r;
  }
  return sum;
}

template <class Distribution>
double two_sided(const Distribution& distribution) {
  return boost::math::quantile(boost::math::complement(distribution, 0.025));
}

VectorXd gradient(const Derived& number, const VectorXd& p) {
  VectorXd slope(p.size());
  for (Index i = 0; i < p.size(); ++i) {
    VectorXd high = p, low = p;
    high[i] += difference_step;
    low[i] -= difference_step;
    slope[i] = (number(high) - number(low)) / (2 * difference_step);
  }
  return slope;
}

/// The best fit with the number held near `wanted` by one more, very stiff residual.
struct HeldFit {
  double deviation;  ///< root of the rise of the objective over the noise
  VectorXd p;
};

HeldFit held_fit(const FitProblem& problem, const Optimum& optimum, const Knowledge& known,
                 const Derived& number, double wanted, const VectorXd& start, double spread) {
  const double stiffness = 1e3 * std::sqrt(known.noise) / spread;
  const Residuals inner = lossy(problem);
  const Residuals residuals = [&](const VectorXd& q, VectorXd& r) {
    VectorXd head(problem.values);
    inner(q, head);
    r.head(problem.values) = head;
    r[problem.values] = stiffness * (number(q) - wanted);
  };
  const Slopes inner_slopes = lossy_slopes(problem, Side::forward);
  const Slopes slopes = [&](const VectorXd& q, MatrixXd& all) {
    MatrixXd head(problem.values, q.size());
    inner_slopes(q, head);
    all.topRows(problem.values) = head;
    all.row(problem.values) = stiffness * gradient(number, q).transpose();
  };
  const LeastSquaresFit fit =
      least_squares(residuals, problem.values + 1, start,
                    {.max_evaluations = 40, .tolerance = 1e-6, .slopes = slopes});
  VectorXd r(problem.values);
  inner(fit.parameters, r);
  return {std::sqrt(std::max(0.0, (r.squaredNorm() - optimum.objective) / known.noise)),
          fit.parameters};
}

}  // namespace

void differences(const Residuals& residuals, const VectorXd& p, MatrixXd& slopes, Side side) {
  const bool forward = side == Side::forward;
  VectorXd high(slopes.rows()), low(slopes.rows());
  if (forward) residuals(p, low);
  for (Index i = 0; i < p.size(); ++i) {
    VectorXd moved = p;
    moved[i] = p[i] + difference_step;
    residuals(moved, high);
    moved[i] = p[i] - difference_step;
    if (!forward) residuals(moved, low);
    slopes.col(i) = (high - low) / (forward ? difference_step : 2 * difference_step);
  }
}

Optimum minimum(const FitProblem& problem, const VectorXd& start, Effort effort) {
  // Residuals are good to some ten digits: a tighter search only goes round in rounding.
  const bool full = effort == Effort::full;
  if (start.size() == 0) {  // nothing to choose
    VectorXd r(problem.values);
    lossy(problem)(start, r);
    return {start, r.squaredNorm(), true};
  }
  const LeastSquaresFit fit =
      least_squares(lossy(problem), problem.values, start,
                    {.max_evaluations = full ? 300 : 25,
                     .tolerance = full ? 1e-9 : 1e-6,
                     .slopes = lossy_slopes(problem, full ? Side::both : Side::forward)});
  return {fit.parameters, fit.norm * fit.norm, fit.converged};
}

Knowledge knowledge(const FitProblem& problem, const Optimum& optimum) {
  const Index n = problem.values, k = optimum.p.size();
  VectorXd r(n);
  problem.residuals(optimum.p, r);
  const MatrixXd slopes = slopes_at(problem, optimum.p);
  MatrixXd weighted = slopes;
  VectorXd psi(n);
  double bend = 0;
  for (Index i = 0; i < n; ++i) {
    const Loss loss = loss_of(r[i], problem.loss_scale);
    psi[i] = loss.psi;
    bend += loss.slope / static_cast<double>(n);
    weighted.row(i) *= std::sqrt(loss.slope);
  }
  Knowledge out;
  out.leverage = VectorXd::Zero(n);
  if (k == 0) {
    out.left_out_misfit = std::sqrt(psi.squaredNorm() / static_cast<double>(n));
    return out;
  }
  const Eigen::JacobiSVD<MatrixXd> svd(weighted, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const VectorXd& sizes = svd.singularValues();
  // Differences leave some eight digits of a slope.
  while (out.rank < sizes.size() && sizes[out.rank] > 1e-6 * sizes[0]) ++out.rank;
  out.undetermined = svd.matrixV().rightCols(k - out.rank);
  const MatrixXd inverse =
      svd.matrixV().leftCols(out.rank) * sizes.head(out.rank).cwiseInverse().asDiagonal();
  const auto freedom = static_cast<double>(n - out.rank);
  const bool known = problem.noise_known && std::isinf(problem.loss_scale);
  if (problem.ordered) out.correlation = correlated_samples(psi);
  out.noise = (known ? 1 : psi.squaredNorm() / std::max(freedom, 1.0) / bend) * out.correlation;
  // `weighted` has the curvature of the loss already: noise/bend of an M-estimator [Huber1981].
  out.covariance = out.noise * inverse * inverse.transpose();
  const double worth = std::max(freedom / out.correlation / problem.noise_scales, 1.0);
  out.factor = known ? two_sided(boost::math::normal()) : two_sided(boost::math::students_t(worth));
  // Residual i without datum i: r/(1 - h), exact for linear models.
  out.leverage = svd.matrixU().leftCols(out.rank).rowwise().squaredNorm();
  const VectorXd left_out = psi.cwiseQuotient((1 - out.leverage.array()).max(1e-3).matrix());
  out.left_out_misfit = std::sqrt(left_out.squaredNorm() / static_cast<double>(n));
  return out;
}

double standard_deviation(const Knowledge& known, const Derived& number, const VectorXd& p) {
  const VectorXd slope = gradient(number, p);
  return std::sqrt(std::max(0.0, slope.dot(known.covariance * slope)));
}

Interval profile_interval(const FitProblem& problem, const Optimum& optimum, const Knowledge& known,
                          const Derived& number) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double best = number(optimum.p);
  const VectorXd slope = gradient(number, optimum.p), toward = known.covariance * slope;
  const double spread = std::sqrt(std::max(0.0, slope.dot(toward)));
  if (!(spread > 0)) return {best, best};
  if (!std::isfinite(spread)) return {-infinity, infinity};
  // Where data and law agree to rounding there is no noise to profile.
  if (optimum.objective < problem.values * std::pow(problem.resolution, 2))
    return {best - known.factor * spread, best + known.factor * spread};
  const auto side = [&](double sign) {
    HeldFit at{known.factor, optimum.p + sign * known.factor / spread * toward};
    double wanted = best + sign * known.factor * spread;
    for (int pass = 0; pass < 5; ++pass) {
      at = held_fit(problem, optimum, known, number, wanted, at.p, spread);
      const double reached = number(at.p);
      if (!(std::abs(reached - best) > 0) || !std::isfinite(reached)) return sign * infinity;
      if (std::abs(at.deviation / known.factor - 1) < 0.01) return reached;
      // Nearly linear in the distance; a flat profile goes out by at most a factor of four.
      const double stretch = std::clamp(known.factor / std::max(at.deviation, 1e-6), 0.25, 4.0);
      if (pass == 4) return at.deviation > 0.5 * known.factor ? reached : sign * infinity;
      wanted = best + (reached - best) * stretch;
      at.p = optimum.p + (at.p - optimum.p) * stretch;
    }
    return sign * infinity;
  };
  return {side(-1), side(1)};
}

std::vector<std::pair<double, double>> profile_curve(const FitProblem& problem,
                                                     const Optimum& optimum, const Knowledge& known,
                                                     const Derived& number,
                                                     const Interval& interval) {
  const double best = number(optimum.p);
  const double spread = (interval.high - interval.low) / 2 / known.factor;
  if (!std::isfinite(spread) || !(spread > 0)) return {};
  std::vector<std::pair<double, double>> out{{best, 0}};
  for (const double end : {interval.low, interval.high}) {
    // Outwards, each from where the one before would go on to.
    VectorXd p = optimum.p;
    double before = 0;
    for (const double share : {0.35, 0.7, 1.0, 1.25}) {
      if (before > 0) p = optimum.p + (p - optimum.p) * (share / before);
      const double wanted = best + share * (end - best);
      const HeldFit at = held_fit(problem, optimum, known, number, wanted, p, spread);
      p = at.p;
      before = share;
      const double reached = number(p);
      if (std::isfinite(reached) && std::isfinite(at.deviation))
        out.emplace_back(reached, at.deviation / known.factor);
    }
  }
  std::sort(out.begin(), out.end());
  return out;
}

bool is_open(const Knowledge& known, int parameter) {
  return known.undetermined.cols() > 0 && known.undetermined.row(parameter).norm() > 1e-3;
}

double akaike(const FitProblem& problem, double objective, int searched, int determined) {
  const double all = problem.values, n = problem.worth > 0 ? problem.worth : all;
  double k = determined, deviance = objective * n / all + 2 * searched;
  if (!problem.noise_known && !problem.ordered) {
    k += 1;
    deviance =
        n * std::log(std::max(objective / all, std::pow(problem.resolution, 2))) + 2 * searched;
  }
  // A model with as many numbers as there are values explains nothing, and one value tells no law
  // from its noise. The correction has a pole at n = k + 1; beyond it stays as large as one step
  // before, so that of three values a constant may be preferred to a law without any number that
  // misses all of them.
  if (determined >= all || all < 2) return deviance + 1e6;
  return deviance + 2 * k * (k + 1) / std::max(1.0, all - k - 1);
}

}  // namespace carom::detail
