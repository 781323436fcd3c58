#pragma once

#include <vector>

#include "command.hpp"

namespace carom::cli {

/// One impact, exactly or by any method.
Command impact_command();

/// From a measured impact to a law.
Command identify_command();

/// A law as the parameters of a physics engine.
Command export_command();

/// The modes of a struck object.
Command modes_command();

/// An impact that another program simulated beside the exact one.
Command score_command();

/// The contact laws and their parameters.
Command laws_command();

/// The named materials.
Command materials_command();

/// Which law runs by which method, for each kind.
Command methods_command();

/// Runs a scenario file.
Command run_command();

/// Velocity layers and notes for a sampler.
Command render_command();

/// Repeats a run from its summary.
Command rerun_command();

/// Says whether a scenario is valid and well resolved, without running it.
Command check_command();

/// Runs a scenario by several methods and compares them.
Command compare_command();

/// How the error of a scenario falls with its step.
Command order_command();

/// How two runs that differ a little grow apart.
Command divergence_command();

/// Writes a commented scenario to start from.
Command new_command();

/// Runs a scenario over many values of its keys.
Command sweep_command();

/// Prints the completion script of a shell for these commands.
Command completion_command(const std::vector<Command>& commands);

/// Prints the manual page of one of these commands.
Command manual_command(const std::vector<Command>& commands);

/// The reference papers, number by number.
Command papers_command();

/// BibTeX of carom and of the reference papers.
Command cite_command();

}  // namespace carom::cli
