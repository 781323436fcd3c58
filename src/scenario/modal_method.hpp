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

/// The keys of a table with those of a law beside them: what the table stands for then has a law of
/// its own. Laws with a key that the table has already are left out.
std::vector<Field> with_own_law(std::vector<Field> fields);

/// The law of every contact point: of its table (`tables`, one name a point: "frets",
/// "obstacle.2"), else of [contact]. A hammer with a stiffness and no law has a felt, hunt-crossley
/// with the exponent 2.5.
void read_contact_laws(const Scenario& scenario, const std::vector<std::string>& tables,
                       ModalProblem& problem);

/// Method, rate and options of the scenario into the problem.
void read_modal_method(const Scenario& scenario, ModalProblem& problem);

/// Which sorts of law the contacts have; without contacts, [contact].
struct ContactKinds {
  bool nonsmooth = false, compliant = false;
};
ContactKinds contact_kinds(const ModalProblem& problem);

/// Kind::refusal of modal bodies.
std::string modal_refusal(std::string_view law, std::string_view method);

/// Refuses a method that none of the contacts can take: it would do nothing.
void check_law_and_method(const Scenario& scenario, const ModalProblem& problem,
                          Problems& problems);

/// Checks [run], [contact], [output] and [sound] together, for a body with so many output points.
void check_modal_method(const Scenario& scenario, std::size_t points, Problems& problems);

/// `carom compare`: the passive method that belongs to the law.
std::string modal_reference(const Scenario& scenario);

std::vector<Advice> advise_modal(const Scenario& scenario, const ModalProblem& problem);

}  // namespace carom
