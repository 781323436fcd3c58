#pragma once

#include <carom/identify/fit.hpp>
#include <carom/records/measurements.hpp>
#include <carom/scenario/json.hpp>

namespace carom {

/// The parts of a document that every identification has: law, uncertainty, interval, verdict,
/// reasons, advice, candidates, status, joint. `timed`: the data have a time scale, so that the
/// frequency of the impact is known even where the stiffness is not.
Json fit_json(const Identification& laws, bool timed);

/// {"format", "run", "columns"}: how a run was read.
Json read_json(const std::string& format, const MeasuredRun& run);

}  // namespace carom
