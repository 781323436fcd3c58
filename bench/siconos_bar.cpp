// The bar of paoli2007 (model 2, its own 20 coordinates) as a plug-in for Siconos: mass matrix and
// forces from carom's dense check formulas, so that both programs move the same Lagrangian system.

#include <carom/systems/bar_pairs.hpp>

namespace {

const carom::BarPairs& bar() {
  static const carom::BarPairs the_bar;
  return the_bar;
}

Eigen::VectorXd vector_of(unsigned int size, const double* values) {
  return Eigen::Map<const Eigen::VectorXd>(values, static_cast<Eigen::Index>(size));
}

}  // namespace

extern "C" {

void bar_mass(unsigned int size, double* q, double* mass, unsigned int /*z*/, double* /*z*/) {
  const auto n = static_cast<Eigen::Index>(size);
  Eigen::MatrixXd M(n, n);
  bar().mass_matrix(vector_of(size, q), M);
  Eigen::Map<Eigen::MatrixXd>(mass, n, n) = M;
}

/// What the springs, gravity and the turning of the segments ask for: -f(q, v).
void bar_internal_forces(double /*time*/, unsigned int size, double* q, double* v, double* forces,
                         unsigned int /*z*/, double* /*z*/) {
  Eigen::VectorXd f(static_cast<Eigen::Index>(size));
  bar().force(vector_of(size, q), vector_of(size, v), f);
  Eigen::Map<Eigen::VectorXd>(forces, f.size()) = -f;
}
}
