#pragma once

#include <carom/scenario/scenario.hpp>

namespace carom {

/// Where results come from: everything that is needed to compute them again, and to notice that
/// something is not as it was.
///   program         version, commit, compiler, instructions
///   scenario        every key after defaults and overrides
///   given           the same without the defaults
///   source          the text of the scenario file, before overrides
///   input_files     of every file that was read: key, file, sha256; the scenario file first
Json provenance(const Scenario& scenario);

/// `program` of the above.
Json program_json();

}  // namespace carom
