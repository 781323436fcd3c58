#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// How points are spread over the unit cube.
enum class SampleMethod {
  random,  ///< independent, uniform
  sobol,   ///< low discrepancy: Sobol's sequence, shifted by the seed (Cranley-Patterson rotation)
  latin,   ///< Latin hypercube: each of `count` slices of each axis holds one point
};

/// `count` points of `dimensions` numbers in [0, 1), point after point. The same arguments give the
/// same bits everywhere: the generator is the one the C++ standard fixes, the rest is written here.
std::vector<double> unit_samples(SampleMethod method, std::int64_t count, std::size_t dimensions,
                                 std::uint64_t seed);

/// The inverse of the normal distribution function: mean 0, deviation 1; `u` in (0, 1).
double normal_quantile(double u);

}  // namespace carom
