#pragma once

#include <string_view>

namespace carom {

/// The unit of a number in `summary.json` from its place there ("results.impacts.1.max_force":
/// "N"), empty for plain numbers: results are named by what they are, in SI units.
std::string_view result_unit(std::string_view path) noexcept;

}  // namespace carom
