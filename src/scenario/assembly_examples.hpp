#pragma once

#include <vector>

#include <carom/scenario/kind.hpp>

namespace carom {

/// The ready assemblies of `carom new assembly --example NAME`.
std::vector<ScenarioExample> assembly_examples();

}  // namespace carom
