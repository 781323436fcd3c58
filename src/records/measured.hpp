#pragma once

#include <carom/records/measurements.hpp>

namespace carom {

/// The measurements in a record, and in a recording. Throw InvalidInput that names the file.
Measurements measured_runs(const std::filesystem::path& file, const Record& record, double gravity);
Measurements measured_sound(const std::filesystem::path& file, const ReadOptions& options,
                            SoundRecord sound);

}  // namespace carom
