#pragma once

#include <string>
#include <vector>

#include <carom/scenario/kind.hpp>
#include <carom/steppers/modal_problem.hpp>

namespace carom {

/// A modal body in front of obstacles with what is to be recorded, ready to run.
struct ModalSetup {
  ModalProblem problem = {};
  ShapeMatrix output_points = {};   ///< shapes, one row per [output] point
  ShapeMatrix contact_points = {};  ///< shapes of the contacts as displacements, one row each
  /// For the picture of the body over its obstacles: positions and shapes there; may be empty.
  std::vector<double> line = {};
  ShapeMatrix line_shapes = {};
  std::vector<double> obstacle_positions = {};
  std::vector<std::string> warnings = {};
};

RunOutcome run_modal(const ModalSetup& setup, const Scenario& scenario, RunContext& context);

}  // namespace carom
