#pragma once

#include <string>
#include <vector>

#include <carom/records/record.hpp>

namespace carom {

/// --columns: what the user says about the columns of one run. Throws InvalidInput with what is
/// there.
void choose_columns(RecordRun& run, const std::vector<std::string>& wanted, bool titled);

/// --units, then everything to SI.
void apply_units(RecordRun& run, const std::vector<std::string>& units);

}  // namespace carom
