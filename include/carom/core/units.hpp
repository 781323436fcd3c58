#pragma once

#include <numbers>

namespace carom {

/// One degree in radians: `90 * degree`.
inline constexpr double degree = std::numbers::pi / 180;

}  // namespace carom
