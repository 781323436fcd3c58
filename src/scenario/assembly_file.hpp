#pragma once

#include <string>
#include <vector>

#include <carom/impact/impact.hpp>
#include <carom/laws/catalogue.hpp>
#include <carom/scenario/kind.hpp>
#include <carom/scenario/scenario.hpp>
#include <carom/systems/assembly.hpp>

namespace carom {

/// An assembly as its file describes it.
struct AssemblyFile {
  Assembly parts;
  std::vector<std::string> contact_names = {};    ///< FIRST-SECOND, one for each [[contact]]
  std::vector<double> friction = {};              ///< Coulomb's coefficient of each
  std::vector<double> tangential_stiffness = {};  ///< of each [N/m]
};

/// The tables of the kind: [space], [[body]], [[link]], [[hinge]], [[contact]].
std::vector<Table> assembly_tables();

/// Reads bodies and what connects them; files what is wrong with them.
AssemblyFile read_assembly(const Scenario& scenario, Problems& problems);

/// The law of a contact; where its file gives a restitution in place of damping, for an impact of
/// this mass at this speed.
LawChoice assembly_law(const Scenario& scenario, std::size_t contact, const Collision& collision);
/// Whether that depends on the impact.
bool law_depends_on_impact(const Scenario& scenario, std::size_t contact);

/// What `carom check` says.
std::vector<Advice> advise_assembly(const Scenario& scenario);

}  // namespace carom
