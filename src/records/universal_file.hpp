#pragma once

#include <string>
#include <vector>

#include <carom/records/mode_file.hpp>

namespace carom {

/// Whether the lines are those of a universal file: "-1" alone, then the number of a dataset.
bool is_universal(const std::vector<std::string>& lines);

/// The modes in it. Throws InvalidInput when there are none, or for datasets that are not text.
ModeTable read_universal(const std::vector<std::string>& lines, const ReadModesOptions& options);

}  // namespace carom
