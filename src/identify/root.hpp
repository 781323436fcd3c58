#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include <boost/math/tools/roots.hpp>

namespace carom::detail {

/// The zero of a continuous function with a sign change on [low, high]; nothing without one. To the
/// last bits: the bracket is narrowed until it is a few roundings wide. A value below `at_bound` at
/// a bound counts as zero there.
template <class Function>
std::optional<double> bracketed_root(Function f, double low, double high, double at_bound = 0) {
  const double at_low = f(low), at_high = f(high);
  if (at_low == 0) return low;
  if (at_high == 0) return high;
  if (!(std::signbit(at_low) != std::signbit(at_high))) {
    // A measurement made at a bound lands on either side of it by rounding.
    if (std::abs(at_low) < at_bound) return low;
    if (std::abs(at_high) < at_bound) return high;
    return {};
  }
  std::uintmax_t iterations = 200;
  const auto narrow = [](double a, double b) { return std::abs(a - b) <= 4e-16 * std::abs(a); };
  const auto [a, b] =
      boost::math::tools::toms748_solve(f, low, high, at_low, at_high, narrow, iterations);
  return std::abs(f(a)) < std::abs(f(b)) ? a : b;
}

}  // namespace carom::detail
