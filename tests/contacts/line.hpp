#pragma once

#include <Eigen/Core>

namespace carom {

/// Bodies on a line, q their positions from left to right; neighbours touch where they are equal.
struct Line {
  Eigen::VectorXd masses;
  double drag = 0.0;  ///< of every body [N s/m]

  int coordinates() const { return static_cast<int>(masses.size()); }
  int contacts() const { return coordinates() - 1; }
  void mass_matrix(const Eigen::VectorXd&, Eigen::MatrixXd& M) const { M = masses.asDiagonal(); }
  void force(double, const Eigen::VectorXd&, const Eigen::VectorXd& v, Eigen::VectorXd& f) const {
    f = -drag * v;
  }
  double potential_energy(const Eigen::VectorXd&) const { return 0.0; }
  double dissipation(double, const Eigen::VectorXd&, const Eigen::VectorXd& v) const {
    return drag * v.squaredNorm();
  }
  void gaps(double, const Eigen::VectorXd& q, Eigen::VectorXd& g) const {
    g = q.tail(contacts()) - q.head(contacts());
  }
  void gap_gradients(double, const Eigen::VectorXd&, Eigen::MatrixXd& G) const {
    G.setZero();
    for (int i = 0; i < contacts(); ++i) {
      G(i, i) = -1;
      G(i, i + 1) = 1;
    }
  }
};

}  // namespace carom
