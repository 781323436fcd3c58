#pragma once

#include <filesystem>
#include <string>

#include <carom/records/identify_file.hpp>

namespace carom {

/// report.html in `folder`: the record with what was recognised marked in it, fit and residual, the
/// ranking of the laws, the numbers with their intervals, what the law predicts. One page that
/// stands alone. Returns its path.
std::filesystem::path write_fit_report(const IdentifiedFile& found, const std::string& file,
                                       const FitSettings& settings,
                                       const std::filesystem::path& folder);

}  // namespace carom
