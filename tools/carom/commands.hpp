#pragma once

#include <vector>

#include "command.hpp"

namespace carom::cli {

/// Prints the completion script of a shell for these commands.
Command completion_command(const std::vector<Command>& commands);

}  // namespace carom::cli
