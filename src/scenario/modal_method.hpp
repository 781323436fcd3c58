#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <carom/scenario/kind.hpp>
#include <carom/steppers/modal_problem.hpp>

namespace carom {

/// `[contact]`, `[run]` and `[output]`: the same for every modal body.
Table modal_contact_table();
Table modal_run_table();
Table modal_output_table(Field points);
Table modal_sound_table();

/// The keys of a hammer that give it a felt of its own, and what they say: the last contact of the
/// problem, the hammer's, is then compliant whatever [contact] is.
std::vector<Field> with_felt(std::vector<Field> hammer);
void read_felt(const Scenario& scenario, ModalProblem& problem);

/// Law, method, rate and options of the scenario into the problem; refuses what does not fit.
void read_modal_method(const Scenario& scenario, ModalProblem& problem);

/// Checks [run], [contact], [output] and [sound] together, for a body with so many output points.
void check_modal_method(const Scenario& scenario, std::size_t points, Problems& problems);

/// `carom compare`: the passive method that belongs to the law.
std::string modal_reference(const Scenario& scenario);

std::vector<Advice> advise_modal(const Scenario& scenario, const ModalProblem& problem);

}  // namespace carom
