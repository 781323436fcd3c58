#pragma once

#include <optional>
#include <string>
#include <vector>

#include <carom/scenario/kind.hpp>
#include <carom/steppers/modal_problem.hpp>

namespace carom {

/// A modal body from the side, for the film: a line through it and the obstacles on that line.
struct SideView {
  std::string where = {};      ///< which line it is, in words; empty if there is only one
  std::vector<double> x = {};  ///< points of the line [m]; empty: there is no view
  ShapeMatrix shapes = {};     ///< there, one row each
  std::vector<double> mark_x = {}, mark_height = {};  ///< [m]
  std::optional<double> hammer_x = {};                ///< [m]; its height is the last mode
};

/// A modal body in front of obstacles with what is to be recorded, ready to run.
struct ModalSetup {
  ModalProblem problem = {};
  ShapeMatrix output_points = {};   ///< shapes, one row per [output] point
  ShapeMatrix contact_points = {};  ///< shapes of the contacts as displacements, one row each
  SideView view = {};
};

/// Puts a free mass above the point with these shapes: one more mode, the last, and one more
/// contact, the last. `height` [m] and `speed` [m/s, downward] at the start.
void add_hammer(ModalSetup& setup, const ShapeMatrix& at, double mass, double height, double speed);

RunOutcome run_modal(const ModalSetup& setup, const Scenario& scenario, RunContext& context);

}  // namespace carom
