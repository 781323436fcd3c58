#pragma once

#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <carom/core/least_squares.hpp>

/// What every fit of a law shares, whatever was measured: a loss, the search, and what the data say
/// about each parameter.
namespace carom::detail {

/// Residuals in units in which their noise is about one.
struct FitProblem {
  int values = 0;
  Residuals residuals = {};
  Slopes slopes = {};  ///< of the residuals; without it central differences
  /// Residuals beyond this count by their size, not their square: rho = c^2 (sqrt(1 + (r/c)^2) -
  /// 1).
  double loss_scale = std::numeric_limits<double>::infinity();
  bool noise_known = false;  ///< the residuals have variance one; else it is estimated
  double resolution = 1e-5;  ///< residuals below this are rounding: no model is better for them
  bool ordered =
      false;  ///< samples in time, in units of their middling noise; neighbours may share
  int noise_scales = 1;  ///< standard deviations that were estimated from the residuals themselves
  double worth = 0;      ///< how many independent residuals these are worth; 0: all of them
};

/// Differences wide enough for residuals of twelve digits: the parameters are logarithms.
inline constexpr double difference_step = 1e-4;
enum class Side { both, forward };  ///< forward: half the cost, four digits
void differences(const Residuals& residuals, const Eigen::VectorXd& p, Eigen::MatrixXd& slopes,
                 Side side = Side::both);

struct Optimum {
  Eigen::VectorXd p;
  double objective = std::numeric_limits<double>::infinity();  ///< 2 sum rho
  bool converged = false;
};
/// `rough`: enough to rank candidates by.
enum class Effort { rough, full };
Optimum minimum(const FitProblem& problem, const Eigen::VectorXd& start, Effort effort);

/// What the data say at the optimum.
struct Knowledge {
  Eigen::MatrixXd covariance;     ///< of the parameters, over the directions the data determine
  Eigen::MatrixXd undetermined;   ///< orthonormal directions along which no residual changes
  int rank = 0;                   ///< parameters that the data determine
  double noise = 1;               ///< variance by which objective differences are judged
  double factor = 1.96;           ///< standard deviations that hold 95 %
  double left_out_misfit = 0;     ///< rms of each residual predicted without its own datum
  Eigen::VectorXd leverage = {};  ///< of each residual: the share of it that the fit takes up
  double correlation = 1;         ///< samples of noise that are worth one independent one
};
Knowledge knowledge(const FitProblem& problem, const Optimum& optimum);

/// A number that follows from the parameters.
using Derived = std::function<double(const Eigen::VectorXd& p)>;

struct Interval {
  double low, high;
};
/// 95 %: where the best objective with this value of the number rises by `factor`^2 `noise`
/// (profile likelihood). Infinite where it never does.
Interval profile_interval(const FitProblem& problem, const Optimum& optimum, const Knowledge& known,
                          const Derived& number);
/// Values around the interval, each with how far the best fit that keeps it is off: one at its
/// ends.
std::vector<std::pair<double, double>> profile_curve(const FitProblem& problem,
                                                     const Optimum& optimum, const Knowledge& known,
                                                     const Derived& number,
                                                     const Interval& interval);
/// The same to first order in the parameters.
double standard_deviation(const Knowledge& known, const Derived& number, const Eigen::VectorXd& p);

/// Whether the data leave this parameter open: it moves along an undetermined direction.
bool is_open(const Knowledge& known, int parameter);

/// Akaike's criterion for small samples, from the objective; smaller is better. Differences count.
/// Every number that is searched costs; what the data determine makes the sample small.
double akaike(const FitProblem& problem, double objective, int searched, int determined);

}  // namespace carom::detail
