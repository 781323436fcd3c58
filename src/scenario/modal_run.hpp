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

/// `[contact]`, `[run]` and `[output]`: the same for every modal body.
Table modal_contact_table();
Table modal_run_table();
Table modal_output_table(Field points);
Table modal_sound_table();

/// Law, method, rate and options of the scenario into the problem; refuses what does not fit.
void read_modal_method(const Scenario& scenario, ModalProblem& problem);

/// Checks [run], [contact], [output] and [sound] together, for a body with so many output points.
void check_modal_method(const Scenario& scenario, std::size_t points, Problems& problems);

std::vector<Advice> advise_modal(const Scenario& scenario, const ModalProblem& problem);

RunOutcome run_modal(const ModalSetup& setup, const Scenario& scenario, RunContext& context);

}  // namespace carom
