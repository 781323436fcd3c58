#pragma once

#include <Eigen/Core>

#include <carom/systems/modal_body.hpp>

namespace carom {

/// A system whose free motion is known exactly: rigid bodies on a line, modes of structures, or
/// both (a striker and a resonator), under constant forces. Gap i is
///   offsets_i + sum_j body.shapes(i, j) q_j,
/// and a contact force f there drives mode j with shapes(i, j) f.
struct LinearSystem {
  ModalBody body;           ///< shapes: one row per contact
  Eigen::VectorXd offsets;  ///< gaps at q = 0 [m]
  Eigen::VectorXd force;    ///< constant, on each mode [N]
  /// Acts in place of `force` while any contact touches; empty: the same. papetti2011 Sect. IV-B
  /// suspends gravity in contact.
  Eigen::VectorXd force_in_contact = {};

  /// Points that are read and not touched, one row each as in body.shapes; may be empty.
  ShapeMatrix observed = {};

  int contacts() const noexcept { return static_cast<int>(body.shapes.rows()); }
};

/// Throws InvalidInput unless body and sizes are usable.
void validate(const LinearSystem& system);

/// A point mass [kg] in front of a wall; q is its distance from it [m].
LinearSystem wall_system(double mass, double force_in_flight, double force_in_contact);

}  // namespace carom
