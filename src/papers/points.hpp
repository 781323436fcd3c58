#pragma once

#include <cmath>
#include <vector>

namespace carom {

/// `count` values from `first` to `last`, both included.
inline std::vector<double> evenly(double first, double last, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(first + (last - first) * i / (count - 1));
  return values;
}

/// The same with even ratios; both ends > 0.
inline std::vector<double> evenly_in_log(double first, double last, int count) {
  std::vector<double> values = evenly(std::log(first), std::log(last), count);
  for (double& value : values) value = std::exp(value);
  return values;
}

}  // namespace carom
