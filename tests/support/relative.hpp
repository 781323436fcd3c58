#pragma once

#include <cmath>

#include <gtest/gtest.h>

namespace support {

/// |got - want| <= tolerance |want|; fails on NaN.
inline ::testing::AssertionResult close(double got, double want, double tolerance) {
  if (std::abs(got - want) <= tolerance * std::abs(want)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << ::testing::PrintToString(got) << " instead of " << ::testing::PrintToString(want)
         << ", relative error " << std::abs(got / want - 1) << " > " << tolerance;
}

}  // namespace support
