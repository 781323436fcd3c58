#include "samples.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <boost/math/special_functions/erf.hpp>
#include <boost/random/sobol.hpp>

namespace carom {
namespace {

/// The upper 53 bits as a number in [0, 1).
double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

}  // namespace

std::vector<double> unit_samples(SampleMethod method, std::int64_t count, std::size_t dimensions,
                                 std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<double> points(static_cast<std::size_t>(count) * dimensions);
  switch (method) {
    case SampleMethod::random:
      for (double& value : points) value = unit(generator());
      break;
    case SampleMethod::sobol: {
      boost::random::sobol sequence(dimensions);
      std::vector<std::uint64_t> shift(dimensions);
      for (std::uint64_t& each : shift) each = generator();
      // Whole numbers modulo 2^64: the shift is exact.
      for (std::size_t i = 0; i < points.size(); ++i) {
        points[i] = unit(sequence() + shift[i % dimensions]);
      }
      break;
    }
    case SampleMethod::latin:
      for (std::size_t d = 0; d < dimensions; ++d) {
        std::vector<std::size_t> slice(static_cast<std::size_t>(count));
        std::iota(slice.begin(), slice.end(), std::size_t{0});
        // Fisher-Yates written out: std::shuffle differs between libraries.
        for (std::size_t i = slice.size(); i > 1; --i) {
          std::swap(slice[i - 1],
                    slice[static_cast<std::size_t>(unit(generator()) * static_cast<double>(i))]);
        }
        for (std::size_t i = 0; i < slice.size(); ++i) {
          points[i * dimensions + d] =
              (static_cast<double>(slice[i]) + unit(generator())) / static_cast<double>(count);
        }
      }
      break;
  }
  return points;
}

double normal_quantile(double u) {
  // 0 itself can be drawn; half the smallest step above it stands in.
  const double inside = std::clamp(u, 0x1p-54, 1 - 0x1p-53);
  return -std::sqrt(2.0) * boost::math::erfc_inv(2 * inside);
}

}  // namespace carom
