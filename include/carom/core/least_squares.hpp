#pragma once

#include <functional>

#include <Eigen/Core>

/// Small least-squares problems: a handful of parameters, any number of residuals.
namespace carom {

/// Writes the residuals at the parameters `p`; they come sized.
using Residuals = std::function<void(const Eigen::VectorXd& p, Eigen::VectorXd& residuals)>;

/// Writes the derivatives of the residuals, a row each; the matrix comes sized.
using Slopes = std::function<void(const Eigen::VectorXd& p, Eigen::MatrixXd& slopes)>;

struct LeastSquaresSettings {
  int max_evaluations = 600;
  double tolerance = 1e-14;  ///< relative, of the norm and of the parameters
  Slopes slopes = {};        ///< without it central differences
};

struct LeastSquaresFit {
  Eigen::VectorXd parameters;
  double norm;  ///< of the residuals
  bool converged;
};

/// By Levenberg and Marquardt's method (Eigen's MINPACK). Steps to residuals that are not finite
/// are not taken; if they are not finite at the start, the search ends as not converged.
LeastSquaresFit least_squares(const Residuals& residuals, int values, const Eigen::VectorXd& start,
                              const LeastSquaresSettings& settings = {});

/// The x of the least |a x - b|, by orthogonal columns.
Eigen::VectorXd linear_fit(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

/// (J^T J)^-1 at the parameters: their covariance for residuals of variance one.
Eigen::MatrixXd covariance(const Residuals& residuals, int values, const Eigen::VectorXd& p);

/// 95 % half width of a function of the parameters, to first order. `scale` is the standard
/// deviation of one residual; `freedom` > 0 degrees of freedom when that was estimated from the
/// fit, 0 when it was known.
double half_width(const std::function<double(const Eigen::VectorXd&)>& value,
                  const Eigen::VectorXd& p, const Eigen::MatrixXd& covariance, double scale,
                  int freedom);

}  // namespace carom
