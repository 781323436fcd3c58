#pragma once

#include <string>
#include <utility>

namespace carom {

/// The unit people use for values of this size: 0.000123 s is 123 µs.
struct ScaledUnit {
  double factor;     ///< value in this unit = value / factor
  std::string name;  ///< "µs"
};
ScaledUnit unit_for(double size, const std::string& unit);

/// A value and its unit as people read them: {"132.9", "µs"}.
std::pair<std::string, std::string> for_people(double value, const std::string& unit);

/// A round distance for at most `most` marks over a range.
double round_tick(double range, int max_ticks);

}  // namespace carom
