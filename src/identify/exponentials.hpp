#pragma once

#include <complex>

#include <Eigen/Core>

namespace carom {

/// y_k = sum of amplitude_j z_j^k, k = 0, 1, ...: damped complex exponentials and how sure they
/// are.
struct Exponentials {
  Eigen::VectorXcd log_poles;   ///< ln z
  Eigen::VectorXcd amplitudes;  ///< at k = 0
  Eigen::VectorXd pole_sd;      ///< of the real and of the imaginary part of ln z
  Eigen::VectorXd amplitude_sd;
  double residual = 0;  ///< sum of squares
};

/// The exponentials in a signal, at most `most`; as many as the Bayesian criterion allows, none in
/// noise.
Exponentials find_exponentials(const Eigen::VectorXcd& signal, int most);

}  // namespace carom
