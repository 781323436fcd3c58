#pragma once

#include <functional>
#include <span>
#include <vector>

namespace carom {

/// CurveResiduals of a model at given parameters, written into the second span.
using CurveResiduals = std::function<void(std::span<const double>, std::span<double>)>;

struct CurveFit {
  std::vector<double> parameters;
  double rms;      ///< root mean square of the residuals
  double largest;  ///< largest magnitude among them
  bool converged;
};

/// Smallest sum of squares from a start.
CurveFit fit_least_squares(const CurveResiduals& residuals, std::size_t count,
                           const std::vector<double>& start);

/// Smallest largest residual: least squares again and again, each residual weighted by how large it
/// has been (Lawson's algorithm). Returns the best of all rounds.
CurveFit fit_minimax(const CurveResiduals& residuals, std::size_t count, std::vector<double> start,
                     int rounds = 200);

}  // namespace carom
