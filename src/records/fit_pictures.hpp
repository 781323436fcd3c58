#pragma once

#include <vector>

#include <carom/records/identify_file.hpp>
#include <carom/scenario/panel.hpp>

namespace carom {

/// The pictures of one run: the record, the fit, what it leaves, what it predicts.
std::vector<Panel> fit_panels(const IdentifiedRun& run, const FitSettings& settings);

}  // namespace carom
