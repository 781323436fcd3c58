#pragma once

#include <vector>

#include <carom/systems/modal_structures.hpp>

namespace carom {

Mode lossy_mode(double omega, double mass, const StructureLoss& loss);

/// A free or clamped plate, by Ritz's method.
ModalBody plate_by_polynomials(const RectangularPlate& plate, std::span<const Place> places);

/// Nodes and weights of Gauss and Legendre on [-1, 1].
struct GaussRule {
  std::vector<double> nodes, weights;
};
GaussRule gauss_rule(int points);

}  // namespace carom
