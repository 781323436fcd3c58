#pragma once

#include <vector>

#include <carom/records/mode_file.hpp>

namespace carom {

/// The table of the modes that ring in these samples. Throws InvalidInput where none does.
ModeTable modes_of_recording(const std::vector<double>& samples, double rate,
                             const ReadModesOptions& options);

}  // namespace carom
